// npm run screenshots: the docs in both themes, wide and on a phone.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { listeningService } from '../../harness/listening.ts'
import { testBrowser } from '../../harness/pages/browser.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'dashboard', 'screenshots')
const PAGES = [
  '',
  '/quickstart',
  '/webhooks',
  '/templates',
  '/api',
  '/api/verifications',
  '/errors',
  '/errors/quota_exceeded',
  '/changelog',
]
const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  'phone-light': { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  'phone-dark': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
} as const

const service = await listeningService()
const browser = await testBrowser()
await mkdir(FOLDER, { recursive: true })

for (const [name, look] of Object.entries(LOOKS)) {
  test(name, async () => {
    const context = await browser.newContext(look)
    const page = await context.newPage()
    for (const path of PAGES) {
      await page.goto(`${service.base}/docs${path}`)
      await page.waitForSelector('[data-find]:visible')
      const title = path === '' ? 'overview' : path.slice(1).replaceAll('/', '-')
      await page.screenshot({ path: join(FOLDER, `docs-${name}-${title}.png`) })
    }
    await page.click('[data-find]')
    await page.fill('.search input', 'webhook secret')
    await page.waitForSelector('.search li a')
    await page.screenshot({ path: join(FOLDER, `docs-${name}-search.png`) })
    await context.close()
  })
}

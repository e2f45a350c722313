// npm run screenshots: the docs in both themes, wide and on a phone.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { listeningService } from '../../harness/listening.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { person } from '../../harness/staff.ts'

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
  '/not-a-page',
]
const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  'phone-light': { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  'phone-dark': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
} as const

const service = await listeningService()
const { cookie } = await person(service, await service.tenant({ name: 'Weinhandlung Sonnenhof' }), 'admin')
const [cookieName = '', cookieValue = ''] = cookie.split('=')
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
    const shoot = (title: string) => page.screenshot({ path: join(FOLDER, `docs-${name}-${title}.png`) })
    await shoot('search')
    await page.fill('.search input', 'zzzzqq')
    await page.waitForSelector('.search li:not(:has(a))')
    await shoot('search-nothing')
    await page.goto(`${service.base}/docs/webhooks`)
    await page.waitForSelector('[data-find]:visible')
    await page.locator('.neighbours').scrollIntoViewIfNeeded()
    await shoot('webhooks-end')
    if (look.viewport.width < 820) {
      await page.goto(`${service.base}/docs/webhooks`)
      await page.click('.menu')
      await shoot('contents')
    }
    await page.goto(`${service.base}/docs/api/verifications`)
    await page.click('text=Create a test key')
    await page.waitForSelector('[data-key-panel] [role=alert]')
    await shoot('key-stranger')
    await context.addCookies([{ name: cookieName, value: cookieValue, url: service.base }])
    await page.reload()
    await page.click('text=Create a test key')
    await page.waitForSelector('[data-key-panel] >> text=Remove it')
    await shoot('key')
    const operation = page.locator('#createVerification')
    await operation.locator('.try summary').click()
    await operation.locator('.try form > button').click()
    await operation.locator('output .good').waitFor()
    await operation.locator('output').scrollIntoViewIfNeeded()
    await shoot('try-it')
    await operation.locator('textarea').fill('{"template":"nobody_has_it"}')
    await operation.locator('.try form > button').click()
    await operation.locator('output .bad').waitFor()
    await operation.locator('output').scrollIntoViewIfNeeded()
    await shoot('try-it-refused')
    await context.close()
  })
}

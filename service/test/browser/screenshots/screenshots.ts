// npm run screenshots: every page of the dashboard as a picture, in both languages and themes, wide and on a phone.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { runJob } from '../../harness/jobs.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { busyTenant, type Look, openPage, pagesOf, settled, signInAt } from '../../harness/pages/dashboard.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'dashboard', 'screenshots')
const LOOKS: Record<string, Look> = {
  'en-light': { width: 1440 },
  'de-dark': { locale: 'de-DE', dark: true, width: 1440 },
  'en-phone': { width: 390 },
  'de-phone-dark': { locale: 'de-DE', dark: true, width: 390 },
}

/** Pages again, with content. */
const STATES = [
  ['overview of a month', '?span=month'],
  ['found', '/verifications?reason=wallet_declined&channel=qr'],
] as const

const busy = await busyTenant()
await runJob(busy.service.deps, 'count-endings')
const browser = await testBrowser()
await mkdir(FOLDER, { recursive: true })

for (const [name, look] of Object.entries(LOOKS)) {
  test(name, async () => {
    const { page } = await openPage(browser, busy, look)
    await page.goto(`${busy.service.base}/dashboard/sign-in`)
    await page.waitForSelector('h1')
    await page.screenshot({ path: join(FOLDER, `${name}-sign-in.png`) })
    await signInAt(page, busy.service.base, busy.owner.email)
    for (const [title, path] of [...pagesOf(busy), ...STATES]) {
      await page.goto(`${busy.service.base}/dashboard/${busy.tenant}/test${path}`)
      await settled(page)
      for (const frame of page.frames()) await frame.waitForLoadState('load')
      await page.screenshot({ path: join(FOLDER, `${name}-${title}.png`), fullPage: true })
    }
    await page.context().close()
  })
}

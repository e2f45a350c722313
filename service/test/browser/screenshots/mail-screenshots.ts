// npm run screenshots: every mail in both languages and themes, wide and on a phone.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import type { Language } from '../../../../labels/catalogue.ts'
import type { Mail } from '../../../src/features/mail/domain/mail.ts'
import { writeLetter } from '../../../src/features/mail/domain/write-letter.ts'
import { readMailLook } from '../../../src/features/pages/usecases/read-mail-look.ts'
import { instantOf } from '../../../src/platform/world.ts'
import { dress, LOGO } from '../../harness/pages/brands.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { testService } from '../../harness/service.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'dashboard', 'screenshots')
const HOST = 'https://vidimus.example'
const LOOKS = [
  { name: 'en-light', language: 'en', colorScheme: 'light', width: 900 },
  { name: 'de-dark', language: 'de', colorScheme: 'dark', width: 900 },
  { name: 'en-phone-dark', language: 'en', colorScheme: 'dark', width: 390 },
  { name: 'de-phone', language: 'de', colorScheme: 'light', width: 390 },
] as const

const until = instantOf(Date.UTC(2027, 5, 22, 12))
const url = `${HOST}/l/3fGk29ZtQm`
const tenantName = 'Grünhof'

const mailsOf = (language: Language): Record<string, Mail> => {
  const to = { to: 'vida@shop.example', language }
  const alert = { tenantName, url, unsubscribe: url }
  return {
    invitation: { kind: 'invitation', ...to, values: { tenantName, role: 'admin', url, until } },
    link: {
      kind: 'verification_link',
      ...to,
      values: { merchant: tenantName, tenantName: 'Grünhof Versand GmbH', purpose: null, isTest: false, url, until },
    },
    quota: {
      kind: 'alert',
      ...to,
      values: { ...alert, facts: { topic: 'quota', percent: 80, used: 800, quota: 1_000 } },
    },
    webhooks: {
      kind: 'alert',
      ...to,
      values: { ...alert, facts: { topic: 'webhooks', host: 'shop.example', since: until, isDisabled: false } },
    },
    'sign-in': { kind: 'new_sign_in', ...to, values: { method: 'password', at: until, url } },
    'lost-access': { kind: 'lost_access', ...to, values: { links: [{ tenantNames: [tenantName], url }], until } },
  }
}

const browser = await testBrowser()
await mkdir(FOLDER, { recursive: true })
const service = await testService()
const tenant = await service.tenant({ name: tenantName })
await dress(service, tenant, { name: tenantName, logo: await drawLogo() })
const brand = await readMailLook(service.deps, tenant, ['test'])

/** Mails show PNG only. */
async function drawLogo(): Promise<Buffer> {
  const page = await browser.newPage()
  await page.setContent(`<style>svg { width: 96px; height: 96px }</style>${LOGO}`)
  const png = await page.locator('svg').screenshot({ omitBackground: true })
  await page.close()
  return png
}

/** A mail program shows the images that the mail contains. */
async function shownLetter(mail: Mail): Promise<string> {
  // Alerts and mails about an account come from the service.
  const isTenants = mail.kind === 'invitation' || mail.kind === 'verification_link'
  const { html, images } = writeLetter(mail, HOST, isTenants ? brand : null)
  return images.reduce(
    (text, { cid, bytes }) => text.replaceAll(`cid:${cid}`, `data:image/png;base64,${bytes.toString('base64')}`),
    html,
  )
}

for (const { name, language, colorScheme, width } of LOOKS) {
  test(name, async () => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 700 } })
    const page = await context.newPage()
    for (const [title, mail] of Object.entries(mailsOf(language))) {
      await page.setContent(await shownLetter(mail))
      await page.screenshot({ path: join(FOLDER, `mail-${name}-${title}.png`) })
    }
    await context.close()
  })
}

// npm run screenshots: a verification in its states, and the template builder, in both languages and themes, wide and on a phone.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { listeningService } from '../../harness/listening.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, type Look, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { person } from '../../harness/staff.ts'
import { testWallet } from '../../harness/wallet.ts'
import { create } from '../../wallet/verifications.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'dashboard', 'screenshots')
const LOOKS: Record<string, Look> = {
  'en-light': { width: 1440 },
  'de-dark': { locale: 'de-DE', dark: true, width: 1440 },
  'en-phone-dark': { width: 390, dark: true },
  'de-phone': { locale: 'de-DE', width: 390 },
}

await builtDashboard()
const service = await listeningService()
const browser = await testBrowser()
await mkdir(FOLDER, { recursive: true })
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const admin = await person(service, tenant, 'admin')
const key = await service.key(tenant)
const wallet = await testWallet(service)

async function answered(body: object, scenario: Parameters<typeof wallet.present>[1] = 'good'): Promise<string> {
  const { id, wallet_uri } = await create(service, key, body)
  await wallet.request(wallet_uri)
  await service.deps.fetchNotes.flush()
  service.clock.advance(14_000)
  await wallet.present(wallet_uri, scenario)
  return id
}

const states = {
  identity: await answered({ template: 'identity', purpose: 'To open an account', metadata: { order: '1024' } }),
  age: await answered({ template: 'age_over_18' }),
  portrait: await answered({ template: 'portrait' }),
  licence: await answered({ template: 'driving_licence' }),
  untrusted: await answered({ template: 'identity' }, 'untrusted'),
  declined: await answered({ template: 'age_over_18' }, 'declined'),
  waiting: (await create(service, key)).id,
}
const OPEN = { 'en-GB': 'New template', 'de-DE': 'Neue Vorlage' }
const CHOSEN = { 'en-GB': ['Given name', 'Date of birth'], 'de-DE': ['Vorname', 'Geburtsdatum'] }

for (const [name, look] of Object.entries(LOOKS)) {
  const locale = look.locale ?? 'en-GB'
  test(name, async () => {
    const { page } = await openPage(browser, { service }, look)
    await signInAt(page, service.base, admin.email)
    const shoot = (title: string, fullPage = false) =>
      page.screenshot({ path: join(FOLDER, `${name}-${title}.png`), fullPage })
    for (const [state, id] of Object.entries(states)) {
      await page.goto(`${service.base}/dashboard/${tenant}/test/verifications/${id}`)
      await settled(page)
      if (state === 'identity') {
        await page.locator('summary', { hasText: /^(Request sent to the wallet|Anfrage an die Wallet)$/ }).click()
        await page.locator('#main pre').waitFor()
        await page.evaluate(() => scrollTo(0, 0))
      }
      await shoot(`verification-${state}`, true)
    }
    await page.goto(`${service.base}/dashboard/${tenant}/test/templates`)
    await settled(page)
    await page.getByRole('button', { name: OPEN[locale] }).click()
    const dialog = page.locator('dialog[open]')
    await dialog.waitFor()
    await shoot('builder-empty')
    for (const label of CHOSEN[locale]) await dialog.getByLabel(label, { exact: true }).check()
    await page.frameLocator('iframe').locator('.asked li').nth(1).waitFor()
    await shoot('builder-chosen')
    await dialog.getByRole('button', { name: 'JSON' }).click()
    const json = dialog.locator('textarea')
    await json.fill((await json.inputValue()).replace('"format": "dc+sd-jwt",', '"format": "dc+sd-jwt"'))
    await dialog.locator('[data-line].text-bad').waitFor()
    await json.blur()
    await shoot('builder-json')
    await page.context().close()
  })
}

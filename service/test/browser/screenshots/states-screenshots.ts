// npm run screenshots: the dashboard's sign-in pages, dialogs, and pages that are empty, loading or missing, in both languages and themes.

import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { invite } from '../../../src/features/staff/usecases/manage-team.ts'
import { parseCidr } from '../../../src/platform/cidr.ts'
import { listeningService } from '../../harness/listening.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { busyTenant, type Look, openPage, pagesOf, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { CLIENT, startProvider } from '../../harness/servers/oidc-provider.ts'
import { OPERATOR } from '../../harness/service.ts'
import { person } from '../../harness/staff.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'dashboard', 'screenshots')
const LOOKS: Record<string, Look> = {
  'en-light': { width: 1440 },
  'de-dark': { locale: 'de-DE', dark: true, width: 1440 },
  'en-phone-dark': { width: 390, dark: true },
  'de-phone': { locale: 'de-DE', width: 390 },
}

const busy = await busyTenant()
const { base } = busy.service
const browser = await testBrowser()
await mkdir(FOLDER, { recursive: true })
const fresh = await busy.service.tenant({ name: 'Kellerei Neubeginn' })
const newcomer = await person(busy.service, fresh, 'owner', 'nele.neu@example.com')

/** What a person presses to open it, by its name in either language. */
const DIALOGS = [
  ['new verification', '/verifications', /^(New verification|Neue Prüfung)$/],
  ['erase', `/verifications/${busy.failed}`, /^(Delete the whole verification|Ganze Prüfung löschen)$/],
  ['forget content', `/verifications/${busy.completed}`, /^(Delete the personal data|Personendaten löschen)$/],
  ['new key', '/keys', /^(Create a key|Schlüssel erstellen)$/],
  ['roll key', '/keys', /^(Roll|Erneuern):/],
  ['revoke key', '/keys', /^(Revoke|Widerrufen)$/],
  ['new device', '/devices', /^(Add a device|Gerät hinzufügen)$/],
  ['new client', '/clients', /^(Create a client|Client erstellen)$/],
  ['new endpoint', '/webhooks', /^(Add an endpoint|Endpunkt hinzufügen)$/],
  ['rotate secret', '/webhooks', /^(Rotate|Wechseln)$/],
  ['invite', '/team', /^(Invite a team member|Teammitglied einladen)$/],
  ['remove member', '/team', /^(Remove|Entfernen): theo/],
  ['trust an issuer', '/trust', /^(Add an issuer|Aussteller hinzufügen)$/],
  ['import a list', '/trust', /^(Import a list|Liste importieren)$/],
  ['request a certificate', '/trust', /^(Request a certificate|Zertifikat anfordern)$/],
  ['upload a certificate', '/trust', /^(Upload a certificate|Zertifikat hochladen)$/],
] as const

/** Forms with content that is refused. */
const REFUSED = [
  [
    'import a list',
    '/trust',
    /^(Import a list|Liste importieren)$/,
    { 'input[name=url]': 'https://10.0.0.1/list', 'textarea[name=signer]': 'no certificate' },
  ],
  [
    'trust an issuer',
    '/trust',
    /^(Add an issuer|Aussteller hinzufügen)$/,
    { 'textarea[name=certificate]': 'no certificate' },
  ],
  [
    'upload a certificate',
    '/trust',
    /^(Upload a certificate|Zertifikat hochladen)$/,
    { 'textarea[name=chain]': 'no certificate' },
  ],
  ['add a page', '/trust', /^(Add a website|Website hinzufügen)$/, { 'input[name=origin]': 'my shop' }],
  [
    'new endpoint',
    '/webhooks',
    /^(Add an endpoint|Endpunkt hinzufügen)$/,
    { 'input[name=name]': 'Shop', 'input[name=url]': 'ftp://shop.example/hook' },
  ],
  [
    'new client',
    '/clients',
    /^(Create a client|Client erstellen)$/,
    { 'input[name=name]': 'Shop', 'textarea[name=redirect_uris]': 'http://shop.example/back' },
  ],
] as const

async function pressOne(page: Page, name: RegExp): Promise<void> {
  const button = page
    .locator('#main')
    .getByRole('button', { name })
    .or(page.locator('#main').getByRole('link', { name }))
  const menu = page.locator('#main').getByRole('button', { name: /^(More actions|Weitere Aktionen)(:|$)/ })
  if ((await button.count()) > 0) await button.first().click()
  else {
    await menu.first().click()
    await page.getByRole('menuitem', { name }).click()
  }
  await page.locator('dialog[open]').waitFor()
}

async function linkTo(email: string): Promise<string> {
  const input = { tenantId: fresh, email, role: 'admin', actor: OPERATOR, byOperator: false } as const
  const invitation = await invite(busy.service.deps, input)
  assert.ok(invitation !== null)
  return invitation.url
}

for (const [name, look] of Object.entries(LOOKS)) {
  const shooting =
    (page: Page) =>
    (title: string, fullPage = false) =>
      page.screenshot({ path: join(FOLDER, `${name}-${title}.png`), fullPage })

  test(`entry: ${name}`, async () => {
    // The number of sign-ins per hour is limited.
    busy.service.clock.advance(3_600_000)
    const { page } = await openPage(browser, busy, look)
    const shoot = shooting(page)
    await page.goto(await linkTo(`${name}@example.com`))
    await page.waitForSelector('form')
    await shoot('door-invitation')
    await page.goto('about:blank')
    await page.goto(await linkTo(busy.owner.email))
    await page.waitForSelector('form')
    await shoot('door-invitation-known')
    await page.goto('about:blank')
    await page.goto(`${base}/dashboard/link#not-one`)
    await page.waitForSelector('h1, [role=alert]')
    await shoot('door-link-spent')
    await page.goto(`${base}/dashboard/sign-in`)
    await page.fill('input[name=email]', busy.owner.email)
    await page.fill('input[name=password]', 'wrong')
    await page.click('button[type=submit]')
    await page.getByRole('alert').waitFor()
    await shoot('door-wrong-password')
    await page.context().close()
  })

  test(`dialogs: ${name}`, async () => {
    const { page } = await openPage(browser, busy, look)
    const shoot = shooting(page)
    await signInAt(page, base, busy.owner.email)
    for (const [title, path, button] of DIALOGS) {
      await page.goto(`${base}/dashboard/${busy.tenant}/test${path}`)
      await settled(page)
      await pressOne(page, button)
      await shoot(`dialog-${title}`)
    }
    await page.goto(`${base}/dashboard/${busy.tenant}/test/keys`)
    await settled(page)
    await pressOne(page, /^(Create a key|Schlüssel erstellen)$/)
    const dialog = page.locator('dialog[open]').last()
    await dialog.getByLabel('Name').fill('Shop')
    await dialog.locator('button[type=submit]').click()
    await dialog.locator('output').waitFor()
    await shoot('dialog-key shown once')
    await page.goto(`${base}/dashboard/${busy.tenant}/test/verifications/${busy.completed}`)
    await settled(page)
    await page.keyboard.press('Control+k')
    await page.locator('dialog[open] input').waitFor()
    await shoot('palette')
    if (look.width === 390) {
      await page.goto(`${base}/dashboard/${busy.tenant}/test`)
      await settled(page)
      await page.getByRole('button', { name: /^Men[uü]$/ }).click()
      await shoot('menu')
    }
    await page.context().close()
  })

  test(`refusals: ${name}`, async () => {
    const { page } = await openPage(browser, busy, look)
    const shoot = shooting(page)
    await signInAt(page, base, busy.owner.email)
    const dialog = page.locator('dialog[open]')
    for (const [title, path, button, fields] of REFUSED) {
      await page.goto(`${base}/dashboard/${busy.tenant}/test${path}`)
      await settled(page)
      await pressOne(page, button)
      for (const [field, text] of Object.entries(fields)) await dialog.locator(field).fill(text)
      const box = dialog.locator('input[name=types], input[name=template]').first()
      if (await box.isVisible()) await box.check()
      await dialog.locator('button[type=submit]').click()
      await dialog.getByRole('alert').waitFor()
      await shoot(`refused-${title}`)
      await page.keyboard.press('Escape')
      await dialog.getByRole('button', { name: /^(Discard|Verwerfen)$/ }).waitFor()
      if (title === 'new endpoint') await shoot('dialog-unsaved')
      await dialog.getByRole('button', { name: /^(Discard|Verwerfen)$/ }).click()
    }
    await page.goto(`${base}/dashboard/${busy.tenant}/test/trust`)
    await settled(page)
    await pressOne(page, /^(Request a certificate|Zertifikat anfordern)$/)
    await dialog.locator('button[type=submit]').click()
    await dialog.locator('pre').waitFor()
    await shoot('dialog-signing request')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await shoot('trust-waiting', true)
    await pressOne(page, /^(View|Anzeigen)$/)
    await shoot('dialog-signing request again')
    await page.goto(`${base}/dashboard/${busy.tenant}/test/audit?from=2099-01-01`)
    await settled(page)
    await shoot('audit-nothing found', true)
    // A sign-in is fresh for some minutes.
    busy.service.clock.advance(20 * 60_000)
    await page.goto(`${base}/dashboard/${busy.tenant}/test/team`)
    await settled(page)
    await pressOne(page, /^(Remove|Entfernen): theo/)
    await dialog.locator('button[type=submit]').click()
    await dialog.locator('input[type=password]').waitFor()
    await shoot('dialog-sign in again')
    await page.context().close()
  })

  test(`beginnings and errors: ${name}`, async () => {
    const { page } = await openPage(browser, busy, look)
    const shoot = shooting(page)
    await signInAt(page, base, newcomer.email)
    for (const environment of ['test', 'live'])
      for (const [title, path] of pagesOf(busy).filter(([, path]) => !/\/(ver|dlv)_|account/.test(path))) {
        await page.goto(`${base}/dashboard/${fresh}/${environment}${path}`)
        await settled(page)
        await shoot(`empty-${environment}-${title}`, true)
      }
    await page.goto(`${base}/dashboard/${fresh}/test/nowhere`)
    await page.waitForSelector('h1')
    await shoot('error-nowhere')
    await page.goto(`${base}/dashboard/${fresh}/test/verifications/${busy.completed}`)
    await page.waitForSelector('#main h1, #main [role=alert]')
    await shoot('error-no such verification')
    await page.goto(`${base}/dashboard/${fresh}/test/proof`)
    await settled(page)
    await shoot('proof-empty')
    await page.goto(`${base}/dashboard/${fresh}/test/keys`)
    await settled(page)
    await page.route('**/api/**', (route) => (route.request().url().includes(fresh) ? route.abort() : route.continue()))
    await page.goto(`${base}/dashboard/${fresh}/test/verifications`)
    await page.getByRole('alert').waitFor()
    await shoot('error-away')
    await page.context().close()
  })

  test(`loading: ${name}`, async () => {
    const { page } = await openPage(browser, busy, look)
    await signInAt(page, base, busy.owner.email)
    for (const [title, path] of [
      ['overview', ''],
      ['verifications', '/verifications'],
      ['verification', `/verifications/${busy.completed}`],
      ['trust', '/trust'],
      ['webhooks', '/webhooks'],
    ] as const) {
      const isBlocked = (url: URL) => url.pathname.includes(`/api/`) && url.pathname.includes(busy.tenant)
      await page.route(isBlocked, () => undefined)
      await page.goto(`${base}/dashboard/${busy.tenant}/test${path}`)
      await page.waitForSelector('#main :is(h1, a)')
      await page.waitForSelector('#main .animate-pulse')
      await shooting(page)(`loading-${title}`)
      await page.unroute(isBlocked)
    }
    await page.context().close()
  })

  test(`proof: ${name}`, async () => {
    const { page } = await openPage(browser, busy, look)
    await signInAt(page, base, busy.owner.email)
    await page.goto(`${base}/dashboard/${busy.tenant}/test/verifications/${busy.completed}`)
    await settled(page)
    await page.getByRole('link', { name: /^(Verify the receipt|Quittung prüfen)$/ }).click()
    await page.waitForSelector('#main h2')
    await settled(page)
    await shooting(page)('proof', true)
    await page.context().close()
  })
}

test('through an OpenID provider', async () => {
  const loopback = parseCidr('127.0.0.1/32')
  assert.ok(loopback !== null)
  const provider = await startProvider(() => service.clock.now())
  const { issuer } = provider
  const oidc = { issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, name: 'Sonnenhof ID' }
  const service = await listeningService({ egressAllow: [loopback], oidc })
  provider.account = { sub: 'sub-eva', email: 'eva.extern@example.com', email_verified: true }
  for (const [name, look] of Object.entries(LOOKS)) {
    const { page } = await openPage(browser, { service }, look)
    const shoot = (title: string) => page.screenshot({ path: join(FOLDER, `${name}-${title}.png`) })
    await page.goto(`${service.base}/dashboard/sign-in`)
    const button = page.getByRole('button', { name: /Sonnenhof ID/ })
    await button.waitFor()
    await shoot('door-provider')
    await button.click()
    await page.getByRole('button', { name: 'It is me' }).click()
    await page.getByRole('alert').waitFor()
    await shoot('door-provider-not invited')
    await page.context().close()
  }
})

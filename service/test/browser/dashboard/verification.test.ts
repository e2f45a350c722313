// Tests the page of a verification in every state, in both languages and themes.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createIssuer, issuerAnchors, type WalletOptions } from '@vidimus/wallet'
import type { Page } from 'playwright-core'
import { addAnchor } from '../../../src/features/trust/usecases/manage-anchors.ts'
import { parseCidr } from '../../../src/platform/cidr.ts'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount } from '../../harness/pages/shown.ts'
import { addTo, registerTenant, testRegistrar } from '../../harness/registrar.ts'
import { OPERATOR } from '../../harness/service.ts'
import { person } from '../../harness/staff.ts'
import { testWallet } from '../../harness/wallet.ts'
import { declined, deliverDue, startReceiver } from '../../harness/webhooks.ts'
import { create, read } from '../../wallet/verifications.ts'

await builtDashboard()
const loopback = parseCidr('127.0.0.1/32')
assert.ok(loopback !== null)
const service = await listeningService({ egressAllow: [loopback] })
const { base } = service
const browser = await testBrowser()
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const admin = await person(service, tenant, 'admin')
const viewer = await person(service, tenant, 'viewer')
const key = await service.key(tenant)
const wallet = await testWallet(service)
const receiver = await startReceiver()

type Scenario = Parameters<typeof wallet.present>[1]

async function answered(
  body: object,
  scenario: Scenario = 'good',
  change: Partial<WalletOptions> = {},
): Promise<string> {
  const { id, wallet_uri } = await create(service, key, body)
  // A holder looks at the request before answering.
  await wallet.request(wallet_uri)
  await service.deps.fetchNotes.flush()
  await wallet.present(wallet_uri, scenario, change)
  return id
}

const webhook_url = receiver.url
const metadata = { order: '1024', shop: 'Wien' }
const PURPOSE = 'To open an account'
const identity = await answered({ template: 'identity', purpose: PURPOSE, webhook_url, metadata })
receiver.answer = () => ({ status: 503 })
await deliverDue(service)
receiver.answer = () => ({ status: 200 })
service.clock.advance(60_000)
await deliverDue(service)
service.clock.advance(1_000)
await read(service, key, identity)
await service.deps.readNotes.flush()
const portrait = await answered({ template: 'portrait' })
const licence = await answered({ template: 'driving_licence' })
const age = await answered({ template: 'age_over_18' })
/** Nothing is served at the address of its status lists. */
const unreachable = createIssuer({ base: 'http://127.0.0.1:1', now: wallet.options.now, name: 'Issuer' })
for (const anchor of issuerAnchors(unreachable))
  await addAnchor(service.deps, { ...anchor, owner: { tenantId: tenant, environment: 'test' }, actor: OPERATOR })
const uncertain = await answered({ template: 'identity' }, 'good', { issuer: unreachable })
const untrusted = await answered({ template: 'identity' }, 'untrusted')
const refused = await declined(service, { key, url: receiver.url })
const forgotten = await answered({ template: 'identity' })
await admin.call('POST', `@/verifications/${forgotten}/forget`)
const cancelled = (await create(service, key)).id
await admin.call('POST', `@/verifications/${cancelled}/cancel`)
const waiting = (await create(service, key)).id
/** Two wallets fetch it: one supports only mdocs, and the other supports no request of ours. */
const narrowed = (await create(service, key)).id
for (const metadata of [
  { vp_formats_supported: { mso_mdoc: { issuerauth_alg_values: [-7] } } },
  { response_modes_supported: ['direct_post'] },
])
  await service.call('POST', `/wallet/request/${narrowed}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    raw: new URLSearchParams({ wallet_metadata: JSON.stringify(metadata) }).toString(),
  })
await service.deps.fetchNotes.flush()

const WORDS = {
  en: {
    states: ['Passed', 'Not applicable'],
    accepted: 'Accepted under your settings.',
    unproven: 'Revocation: Warning.',
    forgottenChecks: 'Deleted with the claims. The answer was accepted under your settings.',
    given: 'Given name',
    born: '14 July 1990',
    person: 'Vida Specimen, born 14 July 1990',
    answer: 'Yes: 18 or older',
    older: '18 or older',
    yes: 'Yes',
    portrait: 'Portrait of the holder',
    category: 'Category',
    why: 'The issuer of this document is not trusted.',
    next: 'add it to your trusted issuers',
    trust: 'This issuer is not one that you trust',
    unchecked: 'Skipped, because an earlier check failed.',
    declined: 'The person declined',
    noDocument: 'There was no document to check.',
    forgotten: 'Deleted, because you received it',
    forgottenStep: 'Claims and credentials were deleted',
    cancelled: 'This verification was cancelled.',
    pending: 'Claims appear here as soon as the person answers.',
    testWallet: 'Open test wallet',
    show: 'Request sent to the wallet',
    rebuilt: 'Rebuilt from stored data.',
    destroyed: 'has been destroyed, so it is not shown below',
    inRequest: 'encrypted with a key for this verification only',
    gone: 'Verification not found',
    toAudit: 'Open audit trail',
    wallets: ['because the wallet does not support it: pid_sd', 'does not support direct_post.jwt'],
    supports: 'What the wallet supports',
    steps: [
      'Created',
      'The wallet fetched the request',
      'The wallet answered',
      'Webhook, attempt 1',
      'Webhook, attempt 2',
      'Your system read the result',
    ],
    attempts: ['Refused with 503', 'Accepted with 200'],
  },
  de: {
    states: ['Bestanden', 'Nicht anwendbar'],
    accepted: 'Nach Ihren Einstellungen angenommen.',
    unproven: 'Widerruf: Warnung.',
    forgottenChecks: 'Mit den Angaben gelöscht. Die Antwort wurde nach Ihren Einstellungen angenommen.',
    given: 'Vorname',
    born: '14. Juli 1990',
    person: 'Vida Specimen, geboren am 14. Juli 1990',
    answer: 'Ja: Mindestens 18',
    older: 'Mindestens 18',
    yes: 'Ja',
    portrait: 'Lichtbild der Person',
    category: 'Klasse',
    why: 'Der Aussteller dieses Nachweises gilt nicht als vertrauenswürdig.',
    next: 'zu Ihren vertrauenswürdigen Ausstellern',
    trust: 'Diesem Aussteller vertrauen Sie',
    unchecked: 'Übersprungen, weil ein früherer Prüfschritt',
    declined: 'Die Person hat abgelehnt',
    noDocument: 'Es gab keinen Nachweis zu prüfen.',
    forgotten: 'Gelöscht, weil Sie',
    forgottenStep: 'Angaben und Nachweise wurden gelöscht',
    cancelled: 'Diese Prüfung wurde abgebrochen.',
    pending: 'Angaben erscheinen hier, sobald die Person antwortet.',
    testWallet: 'Test-Wallet öffnen',
    show: 'Anfrage an die Wallet',
    rebuilt: 'Aus gespeicherten Daten rekonstruiert.',
    destroyed: 'wurde vernichtet und fehlt deshalb unten',
    inRequest: 'Schlüssel nur für diese Prüfung verschlüsselt',
    gone: 'Prüfung nicht gefunden',
    toAudit: 'Protokoll öffnen',
    wallets: ['weil die Wallet es nicht unterstützt: pid_sd', 'unterstützt direct_post.jwt nicht'],
    supports: 'Was die Wallet unterstützt',
    steps: [
      'Erstellt',
      'Die Wallet hat die Anfrage abgerufen',
      'Die Wallet hat geantwortet',
      'Webhook, Versuch 1',
      'Webhook, Versuch 2',
      'Ihr System hat das Ergebnis gelesen',
    ],
    attempts: ['Mit 503 abgelehnt', 'Mit 200 angenommen'],
  },
} as const

const LOOKS = [
  { locale: 'en-GB', width: 1440 },
  { locale: 'de-DE', width: 390, dark: true },
] as const

for (const look of LOOKS) {
  const language = look.locale === 'de-DE' ? 'de' : 'en'
  const words = WORDS[language]
  test(`every state of a verification (${language}, ${look.width}, ${'dark' in look ? 'dark' : 'light'})`, async () => {
    const { page, complaints } = await openPage(browser, { service }, look)
    await signInAt(page, base, admin.email)
    complaints.splice(0)
    const open = (id: string) => opened(page, id)

    let shownText = await open(identity)
    for (const text of [words.given, 'Vida', words.born, words.person, words.accepted, PURPOSE, '1024', 'Wien'])
      assert.ok(shownText.includes(text), text)
    assert.equal(shownText.split(words.states[0]).length >= 5, true, 'most checks are proven')
    const steps = await page.locator('ol li > p:first-of-type').allInnerTexts()
    assert.deepEqual(steps, words.steps)
    for (const text of words.attempts) assert.ok(shownText.includes(text), text)
    await page.locator('summary', { hasText: words.show }).click()
    await page.getByText(words.rebuilt).waitFor()
    shownText = await page.innerText('#main')
    for (const text of [words.destroyed, 'x509_', 'direct_post.jwt', '"dcql_query"', 'urn:eudi:pid:1']) {
      assert.ok(shownText.includes(text), text)
    }
    assert.ok(!shownText.includes('"jwks"'))
    await assertWhole(page)

    await open(portrait)
    const picture = page.getByRole('img', { name: words.portrait })
    assert.match((await picture.getAttribute('src')) ?? '', /^data:image\/jpeg;base64,/)
    await page.waitForFunction(
      (image) => image instanceof HTMLImageElement && image.complete && image.naturalWidth >= 100,
      await picture.elementHandle(),
    )
    shownText = await open(licence)
    assert.match(shownText, new RegExp(words.category))
    await assertCount(page.locator('#main table tbody tr td', { hasText: /^B$/ }), 1)
    await assertWhole(page)
    shownText = await open(age)
    assert.match(shownText, new RegExp(`${words.older}\\s+${words.yes}`))
    await page.getByRole('heading', { name: words.answer }).waitFor()

    shownText = await open(uncertain)
    for (const text of [words.accepted, words.unproven]) assert.ok(shownText.includes(text), text)
    shownText = await open(untrusted)
    for (const text of [words.why, words.next, words.trust, words.unchecked]) assert.ok(shownText.includes(text), text)
    assert.ok(!shownText.includes('Vida'))
    await assertWhole(page)
    shownText = await open(refused)
    for (const text of [words.declined, words.noDocument]) assert.ok(shownText.includes(text), text)
    shownText = await open(forgotten)
    for (const text of [words.forgotten, words.forgottenStep, words.forgottenChecks])
      assert.ok(shownText.includes(text), text)
    await assertWhole(page)
    shownText = await open(cancelled)
    assert.ok(shownText.includes(words.cancelled))

    shownText = await open(waiting)
    assert.ok(shownText.includes(words.pending))
    assert.match(
      (await page.getByRole('link', { name: words.testWallet }).getAttribute('href')) ?? '',
      /^\/sandbox\/wallet/,
    )
    await page.locator('summary', { hasText: words.show }).click()
    await page.getByText(words.inRequest).waitFor()
    assert.ok((await page.innerText('#main')).includes('"jwks"'))
    await assertWhole(page)

    shownText = await open(narrowed)
    for (const text of words.wallets) assert.ok(shownText.includes(text), text)
    await page.locator('summary', { hasText: words.supports }).first().click()
    await page.getByText('vp_formats_supported.mso_mdoc').waitFor()
    await assertWhole(page)
    assert.deepEqual(complaints, [])

    await page.goto(`${base}/dashboard/${tenant}/test/verifications/ver_${'0'.repeat(32)}`)
    await page.getByText(words.gone).waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: words.toAudit }).click()
    await page.waitForURL(/\/audit$/)
    await page.context().close()
  })
}

async function opened(page: Page, id: string): Promise<string> {
  await page.goto(`${base}/dashboard/${tenant}/test/verifications/${id}`)
  await settled(page)
  return page.innerText('#main')
}

async function assertWhole(page: Page): Promise<void> {
  await assertAccessible(page)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  assert.ok(overflow <= 0, `${overflow} pixels too wide`)
}

test('a viewer sees the names of claims, the checks and the request, and no value', async () => {
  const { page } = await openPage(browser, { service })
  await signInAt(page, base, viewer.email)
  const shownText = await opened(page, identity)
  for (const text of ['Given name', 'Your role can see which claims', 'Trusted issuer'])
    assert.ok(shownText.includes(text), text)
  assert.ok(!shownText.includes('Vida'))
  await opened(page, portrait)
  await assertCount(page.locator('#main img'), 0)
  await page.locator('summary', { hasText: WORDS.en.show }).click()
  await page.getByText(WORDS.en.rebuilt).waitFor()
  await page.context().close()
})

test("the request shows its registration, in the reader's language", async () => {
  const registrar = await testRegistrar(service)
  const realm = { tenantId: tenant, environment: 'test' } as const
  await registerTenant(service, registrar, realm)
  await addTo(service, realm, registrar.certify())
  const { id } = await create(service, key)
  const { page } = await openPage(browser, { service }, { locale: 'de-DE' })
  await signInAt(page, base, admin.email)
  await opened(page, id)
  await page.locator('summary', { hasText: WORDS.de.show }).click()
  await page.getByText('Um Ihr Alter zu prüfen').waitFor()
  const shownText = await page.innerText('#main')
  for (const text of ['age-check', 'https://shop.example/privacy', '"registration_cert"'])
    assert.ok(shownText.includes(text), text)
  await page.context().close()
})

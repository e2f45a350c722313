// Tests the pages of registration and going live, in both languages: certificates, mandates, requests to the operator.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { createIssuer, createRegistrar, issueAccessCertificate, readParty, registerParty, toPem } from '@vidimus/wallet'
import { certificateBytes } from '../../../../wallet/src/pki.ts'
import { INTERMEDIARY, intermediaryJson, MERCHANT, merchantJson } from '../../../../wallet/test/merchant.ts'
import { changeSettings } from '../../../src/core/tenants/usecases/manage-settings.ts'
import {
  answerOperatorRequest,
  readRequests,
} from '../../../src/features/registration/usecases/going-live/answer-requests.ts'
import { changeIdentity } from '../../../src/features/registration/usecases/manage-identity.ts'
import { addAnchor } from '../../../src/features/trust/usecases/manage-anchors.ts'
import { runJob } from '../../harness/jobs.ts'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount } from '../../harness/pages/shown.ts'
import { addTo, registerTenant, testRegistrar } from '../../harness/registrar.ts'
import { OPERATOR } from '../../harness/service.ts'
import { person } from '../../harness/staff.ts'
import { testWallet } from '../../harness/wallet.ts'
import { create } from '../../wallet/verifications.ts'

await builtDashboard()
const service = await listeningService()
const { base } = service
const browser = await testBrowser()
const registrar = await testRegistrar(service)
/** A mandate cannot be recorded before the operator is registered. */
const registerOperator = () =>
  changeIdentity(service.deps, {
    ...{ tenantId: null, environment: 'live', actor: OPERATOR },
    identity: { identifier: INTERMEDIARY, tradeName: 'Operator', registryUri: null, isIntermediary: true },
  })
await registerOperator()

const WORDS = {
  en: {
    add: 'Add a certificate',
    jwt: 'Certificate (JWT)',
    file: 'Certificate file',
    refused: /^Not added:/,
    noCertificate: /^This is not a registration certificate\./,
    purpose: 'To check that you are old enough',
    ending: 'Expires within 7 days',
    remove: 'Remove: age-check',
    removeWord: 'Remove',
    none: /^None yet/,
    beyond: /more than is registered for the purpose “To check that you are old enough”/,
    missing: 'Missing: Date of birth',
    editTemplate: 'Edit template: Guest',
    addFor: 'Add a certificate: Identity',
    use: 'Intended use (optional)',
    edit: 'Edit: guest',
    save: 'Save',
  },
  de: {
    add: 'Zertifikat hinzufügen',
    jwt: 'Zertifikat (JWT)',
    file: 'Zertifikatsdatei',
    refused: /^Nicht hinzugefügt:/,
    noCertificate: /^Das ist kein Registrierungszertifikat\. Technische Details: /,
    purpose: 'Um Ihr Alter zu prüfen',
    ending: 'Läuft innerhalb von 7 Tagen ab',
    remove: 'Entfernen: age-check',
    removeWord: 'Entfernen',
    none: /^Noch keines/,
    beyond: /mehr, als für den Zweck „Um Ihr Alter zu prüfen“ registriert ist/,
    missing: 'Es fehlt: Geburtsdatum',
    editTemplate: 'Vorlage bearbeiten: Guest',
    addFor: 'Zertifikat hinzufügen: Identität',
    use: 'Verwendungszweck (optional)',
    edit: 'Bearbeiten: guest',
    save: 'Speichern',
  },
} as const

const LIVE_WORDS = {
  en: {
    open: '0 of 7 steps done',
    send: 'Ask your operator',
    id: 'Register number or VAT ID',
    trade: 'Trade name',
    asked: 'Requested',
    record: 'Add the document',
    document: 'Document',
    dated: 'Signed on',
    future: 'The document is dated in the future.',
    unchecked: 'Waiting for your operator to check it.',
    declined: 'Declined',
  },
  de: {
    open: '0 von 7 Schritten erledigt',
    send: 'Beim Betreiber anfragen',
    id: 'Registernummer oder USt-IdNr.',
    trade: 'Handelsname',
    asked: 'Angefragt',
    record: 'Dokument hinzufügen',
    document: 'Dokument',
    dated: 'Unterschrieben am',
    future: 'Das Datum des Dokuments liegt in der Zukunft.',
    unchecked: 'Wartet auf die Prüfung durch Ihren Betreiber.',
    declined: 'Abgelehnt',
  },
} as const

const GUEST = {
  title: 'Guest',
  query: {
    credentials: [
      { id: 'p', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['birthdate'] }] },
    ],
  },
}
const textFile = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

async function signedIn(language: 'en' | 'de') {
  const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
  const admin = await person(service, tenant, 'admin')
  const { page, complaints } = await openPage(browser, { service }, { locale: language === 'de' ? 'de-DE' : 'en-GB' })
  await signInAt(page, base, admin.email)
  return { tenant, admin, page, complaints }
}

for (const language of ['en', 'de'] as const) {
  test(`a certificate is added from a file, shows its expiry and its gaps, and is removed (${language})`, async () => {
    const words = WORDS[language]
    const { tenant, admin, page, complaints } = await signedIn(language)
    await registerTenant(service, registrar, { tenantId: tenant, environment: 'test' })
    await admin.call('POST', '@/templates/guest', { body: { document: GUEST } })
    await page.goto(`${base}/dashboard/${tenant}/test/registration`)
    await settled(page)
    await assertAccessible(page)
    const dialog = page.locator('dialog[open]')
    await page.getByRole('button', { name: words.add }).click()
    await dialog.getByLabel(words.jwt).fill('a.b.c')
    await dialog.getByRole('button', { name: words.add }).click()
    await dialog.getByText(words.refused).waitFor()
    await dialog.getByText(words.noCertificate).waitFor()
    await assertAccessible(page)
    const now = Math.floor(service.clock.now() / 1000)
    const jwt = registrar.certify({
      exp: now + 5 * 86_400,
      status: { status_list: { idx: 1, uri: registrar.list.uri } },
    })
    await dialog.getByLabel(words.file).setInputFiles(textFile('registration.jwt', `${jwt}\n`))
    await page.waitForFunction((text) => document.querySelector('dialog textarea')?.textContent === text, jwt)
    await dialog.getByRole('button', { name: words.add }).click()
    await page.getByText(words.purpose, { exact: true }).waitFor()
    await page.getByText(words.ending).waitFor()
    await page.getByText(words.beyond).waitFor()
    await assertAccessible(page)

    const answer = await service.call('POST', '/v1/verifications', {
      key: await service.key(tenant),
      body: { template: 'identity' },
    })
    await (await testWallet(service)).present(answer.json.wallet_uri, 'declined')
    await runJob(service.deps, 'count-endings')
    await page.reload()
    await page.getByRole('button', { name: words.addFor }).click()
    await dialog.getByLabel(words.jwt).waitFor()
    await page.keyboard.press('Escape')
    await assertAccessible(page)

    await page.goto(`${base}/dashboard/${tenant}/test/templates`)
    await page.getByText(words.missing).waitFor()
    await page.getByRole('button', { name: words.edit }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: words.editTemplate }).click()
    await dialog.getByLabel(words.use).fill('age-check')
    await dialog.getByRole('button', { name: words.save, exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    const { data } = (await admin.call('GET', '@/templates')).json
    assert.equal(data.find(({ key }: { key: string }) => key === 'guest').intended_use, 'age-check')

    await page.goto(`${base}/dashboard/${tenant}/test/registration`)
    await page.getByRole('button', { name: words.remove }).click()
    await dialog.getByRole('button', { name: words.removeWord }).click()
    await page.getByText(words.none).waitFor()
    assert.deepEqual(complaints, [])
    await page.close()
  })

  test(`live is marked red until it is ready: the page hashes a mandate, asks the operator and shows the answer (${language})`, async () => {
    const words = LIVE_WORDS[language]
    const { tenant, page, complaints } = await signedIn(language)
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
    await page.goto(`${base}/dashboard/${tenant}/live/going-live`)
    await page.getByText(words.open).waitFor()
    await assertAccessible(page)
    const dialog = page.locator('dialog[open]')
    await page.getByRole('button', { name: words.send }).click()
    await dialog.getByLabel(words.id).fill('VATUT-1')
    await dialog.getByLabel(words.trade).fill('Sonnenhof')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: words.send }).click()
    await page.locator('ol').getByText(words.asked, { exact: true }).first().waitFor()
    await assertCount(page.getByRole('button', { name: words.send }), 0)

    await page.getByRole('button', { name: words.record }).click()
    const text = 'Signed by Erika Mustermann'
    await dialog.getByLabel(words.document, { exact: true }).setInputFiles(textFile('Mustermann-Vertrag.pdf', text))
    const sha256 = createHash('sha256').update(text).digest('hex')
    await dialog.getByText(sha256).waitFor()
    await dialog.getByLabel(words.dated).fill('2999-01-01')
    await dialog.getByRole('button', { name: words.record }).click()
    await dialog.getByText(words.future).waitFor()
    await assertAccessible(page)
    await dialog.getByLabel(words.dated).fill('2020-02-29')
    await dialog.getByRole('button', { name: words.record }).click()
    // The dialog shows the hash, too, until it is closed.
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(words.unchecked).waitFor()
    await page.getByText(sha256).waitFor()
    assert.ok(sent.some((request) => request.includes(sha256)))
    assert.equal(sent.filter((request) => request.includes('Mustermann')).length, 0, 'the document left the page')

    const requests = (await readRequests(service.deps, { answeredToo: false })).filter((one) => one.tenantId === tenant)
    assert.deepEqual(requests.map(({ kind }) => kind).sort(), [
      'access_certificate',
      'identity',
      'mandate',
      'registration_provider',
      'trusted_list',
    ])
    const id = requests.find(({ kind }) => kind === 'identity')?.id ?? ''
    await answerOperatorRequest(service.deps, { id, state: 'declined', answer: 'Not in the register', actor: OPERATOR })
    await page.reload()
    await page.getByText('Not in the register').waitFor()
    await page.getByText(words.declined).waitFor()
    await assertAccessible(page)
    assert.deepEqual(complaints, [])
    await page.close()
  })
}

test('a merchant with only a browser gets ready for live: some steps are requested from the operator', async () => {
  const { deps } = service
  const tenantId = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
  const realm = { tenantId, environment: 'live' } as const
  const owner = await person(service, tenantId, 'owner')
  const { page, complaints } = await openPage(browser, { service }, { width: 1440 })
  await signInAt(page, base, owner.email)
  const dialog = page.locator('dialog[open]')
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  const closed = () => dialog.waitFor({ state: 'detached' })
  /** Waits until the page has read the file: before that there is nothing to send. */
  const choose = async (label: string, name: string, text: string) => {
    await dialog.getByLabel(label).setInputFiles(textFile(name, text))
    await dialog.locator('textarea', { hasText: text }).waitFor()
  }
  const list = async (says: string) => {
    await page.goto(`${base}/dashboard/${tenantId}/live/going-live`)
    await page.getByText(says, { exact: true }).waitFor()
  }
  const setUp = (step: string) => page.getByRole('link', { name: `Set up: ${step}` }).click()
  const setUpHere = (step: string) => page.getByRole('button', { name: `Set up: ${step}` }).click()
  const answerAll = async () => {
    const requests = await readRequests(deps, { answeredToo: false })
    for (const { id } of requests.filter((one) => one.tenantId === tenantId))
      await answerOperatorRequest(deps, { id, state: 'done', answer: null, actor: OPERATOR })
  }

  // The page is the same in test, and shows the steps of live.
  await page.goto(`${base}/dashboard/${tenantId}/test/going-live`)
  await page.getByText('0 of 7 steps done', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Start a test run' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Ask your operator' }).click()
  await assertAccessible(page)
  await dialog.getByLabel('Register number or VAT ID').fill(MERCHANT)
  await dialog.getByLabel('Trade name').fill('Sonenhof')
  await press('Ask your operator')
  await closed()
  await page.getByRole('button', { name: 'Edit request: Company in the register' }).click()
  assert.equal(await dialog.getByLabel('Register number or VAT ID').inputValue(), MERCHANT)
  await dialog.getByLabel('Trade name').fill('Sonnenhof')
  await press('Ask your operator')
  await closed()
  await page.getByRole('button', { name: 'Add the document' }).click()
  await dialog.getByLabel('Document', { exact: true }).setInputFiles(textFile('contract.pdf', 'Signed'))
  await dialog.getByLabel('Signed on').fill('2020-02-29')
  await press('Add the document')
  await closed()
  await page.goto(`${base}/dashboard/${tenantId}/live/trust`)
  await page.getByText('Ask your operator to add issuers.').waitFor()
  await page.getByRole('link', { name: 'Ask your operator' }).click()
  await page.waitForURL(/going-live/)
  await registerTenant(service, registrar, realm, MERCHANT)
  await registerOperator()
  await changeSettings(deps, { tenantId, change: { ownTrustInLive: true }, actor: OPERATOR })
  await answerAll()

  await list('2 of 7 steps done')
  const certified = { sub: MERCHANT, name: 'Muster online shop', srv_id: 'shop' }
  const jwt = registrar.certify({ ...certified, intermediary: { sub: { id: INTERMEDIARY, sname: 'Operator' } } })
  await setUpHere('Permission to ask')
  await choose('Certificate file', 'use.jwt', jwt)
  await press('Add a certificate')
  await closed()
  await page.getByText('3 of 7 steps done', { exact: true }).waitFor()
  await setUp('Signing certificate')
  await page.getByRole('button', { name: 'Request a certificate' }).click()
  await press('Request a certificate')
  const csr = await dialog.locator('pre', { hasText: 'BEGIN CERTIFICATE REQUEST' }).innerText()
  await press('Close')
  await closed()
  const now = Math.floor(service.clock.now() / 1000)
  const empty = createRegistrar({ base: 'https://register.example', now })
  const country = registerParty(registerParty(empty, readParty(merchantJson)), readParty(intermediaryJson))
  const chain = issueAccessCertificate(country, {
    ...{ signingRequest: csr, identifier: MERCHANT, serviceIdentifier: 'shop', intermediary: INTERMEDIARY },
    ...{ purpose: 'openid4vp', now, days: 90 },
  })
  await page.getByRole('button', { name: 'Upload a certificate' }).click()
  await choose('Or choose a file', 'access.pem', chain)
  await press('Upload a certificate')
  await page.getByRole('row', { name: /Muster online shop/ }).waitFor()

  await list('4 of 7 steps done')
  await setUp('Trusted issuers')
  await page.getByRole('button', { name: 'Add an issuer' }).click()
  const issuer = toPem(
    certificateBytes(createIssuer({ base: 'https://issuer.example', now }).sdJwt.authority),
    'CERTIFICATE',
  )
  await choose('Or choose a file', 'issuer.pem', issuer)
  await press('Add an issuer')
  await dialog.getByText('Choose at least one document type.').waitFor()
  await dialog.getByLabel('Personal ID (PID) · SD-JWT VC').check()
  await assertAccessible(page)
  await press('Add an issuer')
  await closed()
  await page.getByRole('row', { name: /Personal ID \(PID\) · SD-JWT VC/ }).waitFor()

  await list('5 of 7 steps done')
  await setUpHere('Create a live API key')
  await dialog.getByLabel('Name', { exact: true }).fill('Shop')
  await press('Create a key')
  await dialog.getByLabel('I have stored it safely').check()
  await press('Close')
  await closed()
  await page.getByText('5 of 7 steps done', { exact: true }).waitFor()
  await setUp('Receive events')
  await page.getByRole('button', { name: 'Show secret' }).click()
  await dialog.getByLabel('I have stored it safely').check()
  await press('Close')
  await closed()
  await page.goto(`${base}/dashboard/${tenantId}/test/going-live`)
  await page.getByText('You are ready to verify real people.', { exact: true }).waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'New verification' }).click()
  await page.waitForURL(`${base}/dashboard/${tenantId}/live/verifications?new=`)
  assert.deepEqual(complaints, [])
  await page.context().close()
})

test('after a confirmation the content of a verification is forgotten, and the verification stays', async () => {
  const { tenant, admin, page } = await signedIn('en')
  const created = await create(service, await service.key(tenant))
  await (await testWallet(service)).present(created.wallet_uri)
  await page.goto(`${base}/dashboard/${tenant}/test/verifications/${created.id}`)
  const forget = async () => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete the personal data' }).click()
  }
  await forget()
  const dialog = page.locator('dialog[open]')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  assert.notEqual((await admin.call('GET', `@/verifications/${created.id}`)).json.claims, null)
  await forget()
  await dialog.getByRole('button', { name: 'Delete the personal data' }).click()
  await page.getByText(/^Deleted, because/).waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete the whole verification' }).waitFor()
  await assertCount(page.getByRole('menuitem', { name: 'Delete the personal data' }), 0)
  const { claims, status, credentials } = (await admin.call('GET', `@/verifications/${created.id}`)).json
  assert.deepEqual([claims, status, credentials], [null, 'completed', []])
  await page.close()
})

test('the claims of a long certificate are shown on request, and issuers with many types with their first ones', async () => {
  const { tenant, page, complaints } = await signedIn('en')
  const realm = { tenantId: tenant, environment: 'test' } as const
  await registerTenant(service, registrar, realm)
  const purpose = Array.from({ length: 10 }, (_, nth) => ({ lang: 'en', value: `${nth}`.padEnd(2_000, 'x') }))
  const credentials = [
    { format: 'dc+sd-jwt', meta: { vct_values: ['urn:example:card'] }, claim: [{ path: ['colour'] }] },
  ]
  for (let nth = 0; nth < 12; nth += 1)
    await addTo(service, realm, registrar.certify({ intended_use_id: `use-${nth}`, purpose, credentials }))
  const types = Array.from({ length: 23 }, (_, nth) => `dc+sd-jwt:urn:example:${nth}` as const)
  const certificate = certificateBytes(
    createIssuer({ base: 'https://other.example', now: Math.floor(service.clock.now() / 1000), name: 'Other' }).sdJwt
      .authority,
  )
  await addAnchor(service.deps, { owner: realm, kind: 'ca', profile: 'generic', types, certificate, actor: OPERATOR })
  await page.goto(`${base}/dashboard/${tenant}/test/registration`)
  // 28 kB each: nine fit.
  const show = page.getByRole('button', { name: /^Show claims: use-/ })
  await assertCount(show, 3)
  await show.first().click()
  await assertCount(show, 2)
  await assertAccessible(page)
  await page.goto(`${base}/dashboard/${tenant}/test/trust`)
  await page.getByText('and 3 more').waitFor()
  await assertAccessible(page)
  assert.deepEqual(complaints, [])
  await page.close()
})

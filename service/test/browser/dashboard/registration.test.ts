// Staff at the registration page and on the way to live, in both languages: certificates added and removed, a mandate hashed in
// the page, the operator asked; and content forgotten by hand.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { answerOperatorRequest, readRequests } from '../../../src/usecases/going-live/answer-requests.ts'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount } from '../../harness/pages/shown.ts'
import { registerTenant, testRegistrar } from '../../harness/registrar.ts'
import { OPERATOR } from '../../harness/service.ts'
import { person } from '../../harness/staff.ts'
import { testWallet } from '../../harness/wallet.ts'
import { create } from '../../wallet/verifications.ts'

await builtDashboard()
const service = await listeningService()
const { base } = service
const browser = await testBrowser()
const registrar = await testRegistrar(service)

const WORDS = {
  en: {
    add: 'Add a certificate',
    jwt: 'The certificate (JWT)',
    file: 'File of the certificate',
    refused: /^Not added:/,
    purpose: 'To check that you are old enough',
    ending: 'Ends within 7 days',
    remove: 'Remove: age-check',
    removeWord: 'Remove',
    none: /^None yet/,
    beyond: /does not register/,
    use: 'Intended use (optional)',
    edit: 'Edit: guest',
    save: 'Save',
  },
  de: {
    add: 'Zertifikat hinzufügen',
    jwt: 'Das Zertifikat (JWT)',
    file: 'Datei des Zertifikats',
    refused: /^Nicht hinzugefügt:/,
    purpose: 'Um Ihr Alter zu prüfen',
    ending: 'Endet binnen 7 Tagen',
    remove: 'Entfernen: age-check',
    removeWord: 'Entfernen',
    none: /^Noch keines/,
    beyond: /does not register/,
    use: 'Verwendungszweck (freiwillig)',
    edit: 'Bearbeiten: guest',
    save: 'Speichern',
  },
} as const

const LIVE_WORDS = {
  en: {
    open: '7 steps are open.',
    ask: 'Ask the operator: Identity',
    send: 'Ask the operator',
    id: 'Identifier',
    trade: 'Trade name',
    asked: 'Asked for',
    record: 'Record the mandate',
    document: 'The document',
    dated: 'Signed on',
    unchecked: 'Your operator has not checked it yet.',
    declined: 'declined',
  },
  de: {
    open: '7 Schritte sind offen.',
    ask: 'Beim Betreiber anfragen: Identität',
    send: 'Beim Betreiber anfragen',
    id: 'Kennung',
    trade: 'Handelsname',
    asked: 'Angefragt',
    record: 'Auftrag festhalten',
    document: 'Das Dokument',
    dated: 'Unterschrieben am',
    unchecked: 'Ihr Betreiber hat es noch nicht geprüft.',
    declined: 'abgelehnt',
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
  test(`a certificate is added from a file, its end and what goes beyond it are told, and it is removed (${language})`, async () => {
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
    await assertAccessible(page)
    const now = Math.floor(service.clock.now() / 1000)
    const jwt = registrar.certify({
      exp: now + 5 * 86_400,
      status: { status_list: { idx: 1, uri: registrar.list.uri } },
    })
    await dialog.getByLabel(words.file).setInputFiles(textFile('registration.jwt', `${jwt}\n`))
    await page.waitForFunction((text) => document.querySelector('dialog textarea')?.textContent === text, jwt)
    await dialog.getByRole('button', { name: words.add }).click()
    await page.getByText(words.purpose).waitFor()
    await page.getByText(words.ending).waitFor()
    await page.getByText(words.beyond).waitFor()
    await assertAccessible(page)

    await page.goto(`${base}/dashboard/${tenant}/test/templates`)
    await page.getByRole('button', { name: words.edit }).click()
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

  test(`live is red until it is done: a mandate hashed in the page, the operator asked, its answer seen (${language})`, async () => {
    const words = LIVE_WORDS[language]
    const { tenant, page, complaints } = await signedIn(language)
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
    await page.goto(`${base}/dashboard/${tenant}/live/going-live`)
    await page.getByText(words.open).waitFor()
    await assertAccessible(page)
    const dialog = page.locator('dialog[open]')
    await page.getByRole('button', { name: words.ask }).click()
    await dialog.getByLabel(words.id).fill('VATUT-1')
    await dialog.getByLabel(words.trade).fill('Sonnenhof')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: words.send }).click()
    await page.locator('ol').getByText(words.asked, { exact: true }).waitFor()

    await page.getByRole('button', { name: words.record }).click()
    const text = 'Signed by Erika Mustermann'
    await dialog.getByLabel(words.document).setInputFiles(textFile('Mustermann-Vertrag.pdf', text))
    const sha256 = createHash('sha256').update(text).digest('hex')
    await dialog.getByText(sha256).waitFor()
    await dialog.getByLabel(words.dated).fill('2020-02-29')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: words.record }).click()
    await page.getByText(words.unchecked).waitFor()
    await page.getByText(sha256).waitFor()
    assert.ok(sent.some((request) => request.includes(sha256)))
    assert.equal(sent.filter((request) => request.includes('Mustermann')).length, 0, 'the document left the page')

    const asked = (await readRequests(service.deps, { answeredToo: false })).filter((one) => one.tenantId === tenant)
    assert.deepEqual(asked.map(({ kind }) => kind).sort(), ['identity', 'mandate'])
    const id = asked.find(({ kind }) => kind === 'identity')?.id ?? ''
    await answerOperatorRequest(service.deps, { id, state: 'declined', answer: 'Not in the register', actor: OPERATOR })
    await page.reload()
    await page.getByText('Not in the register').waitFor()
    await page.getByText(words.declined).waitFor()
    await assertAccessible(page)
    assert.deepEqual(complaints, [])
    await page.close()
  })
}

test('the content of a verification is forgotten after a question, and the verification stays', async () => {
  const { tenant, admin, page } = await signedIn('en')
  const made = await create(service, await service.key(tenant))
  await (await testWallet(service)).present(made.wallet_uri)
  await page.goto(`${base}/dashboard/${tenant}/test/verifications/${made.id}`)
  await page.getByRole('button', { name: 'Forget the content' }).click()
  const dialog = page.locator('dialog[open]')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  assert.notEqual((await admin.call('GET', `@/verifications/${made.id}`)).json.claims, null)
  await page.getByRole('button', { name: 'Forget the content' }).click()
  await dialog.getByRole('button', { name: 'Forget the content' }).click()
  await page.getByText(/^Forgotten:/).waitFor()
  await assertCount(page.getByRole('button', { name: 'Forget the content' }), 0)
  const { claims, status, credentials } = (await admin.call('GET', `@/verifications/${made.id}`)).json
  assert.deepEqual([claims, status, credentials], [null, 'completed', []])
  await page.close()
})

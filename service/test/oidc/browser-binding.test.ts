// Tests that a sign-in belongs to the browser that began it, against an attacker who keeps the cookie.

import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { LANGUAGES } from '../../../labels/catalogue.ts'
import type { ClientTerms } from '../../src/features/oidc/domain/client.ts'
import { changeClient, createClient } from '../../src/features/oidc/usecases/manage-clients.ts'
import { WORDS } from '../../src/features/pages/http/words/languages.ts'
import { readHostedPage } from '../../src/features/pages/usecases/read-hosted-page.ts'
import { addOrigin } from '../../src/features/trust/usecases/origins/manage-origins.ts'
import { buildApp } from '../../src/http-server.ts'
import { openDb } from '../../src/platform/postgres/db.ts'
import { merchant } from '../forgetting/merchants.ts'
import { browserAnswer, fetchOffer, OWN_ORIGIN, openHostedPage } from '../harness/dc-api.ts'
import { comeBack, TERMS, type TestClient, testClient, visit } from '../harness/openid-client.ts'
import { testSealer } from '../harness/servers/master-key.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { decline } from '../harness/webhooks.ts'
import { authorizeUrl, CALLBACK, callToken, ownSecret, payloadOf } from './callers.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant({ name: 'Shop' })
const key = await service.key(tenant)
const shop = await testClient(service, tenant, { redirectUris: [CALLBACK] })
const strict = await testClient(service, tenant, { redirectUris: [CALLBACK], crossDevice: 'off' })

interface Begun {
  readonly id: string
  readonly cookie: string
  readonly finish: string
  readonly walletUri: string
}

async function begin(registered: TestClient = shop, cookie?: string, parameters = {}): Promise<Begun> {
  const url = authorizeUrl(registered, parameters)
  const { location, cookies } = await visit(service, url.pathname + url.search, cookie)
  const id = /^\/verify\/(ver_\w+)/.exec(location)?.[1] ?? assert.fail(location)
  const { walletUri, onward } = await readHostedPage(service.deps, id)
  return { id, cookie: cookies.at(-1)?.split(';')[0] ?? '', finish: onward ?? '', walletUri }
}

/** Lets a wallet answer, and returns its redirect. */
async function answered(begun: Begun): Promise<string> {
  return String((await wallet.present(begun.walletUri)).redirectUri)
}

/** Returns the code as a browser without the cookie shows it. */
async function codeShown(redirectUri: string): Promise<string> {
  const { text } = await comeBack(service, redirectUri)
  return /data-code>([\d ]+)</.exec(text)?.[1] ?? assert.fail(text)
}

const finish = (begun: Begun) => visit(service, begun.finish, begun.cookie)
const typeIn = (begun: Begun, code: string) => visit(service, begun.finish, begun.cookie, undefined, { code })
/** Returns a wrong code. */
const wrong = (code: string) => code.replaceAll(/\d/g, (digit) => String((Number(digit) + 1) % 10))
const reportedOf = ({ location }: { location: string }) => {
  const parameters = new URL(location).searchParams
  return [parameters.get('error'), parameters.get('error_description')]
}
/** The client has its response, so the browser gets a page. */
const assertOver = ({ status, location }: { status: number; location: string }) =>
  assert.deepEqual([status, location], [404, ''])
const boundBy = async (id: string) => {
  const [row] = await service.deps.db.query<{ bound_by: string | null }>(
    { name: 'test_bound_by', text: 'select bound_by from verifications where id = $1' },
    [id],
  )
  return row?.bound_by
}

test('another browser sees that the sign-in began elsewhere, in every language, and nothing to answer with', async () => {
  const begun = await begin()
  const other = await begin()
  for (const language of LANGUAGES)
    for (const cookie of [undefined, other.cookie, `${begun.cookie.split('=')[0]}=${'A'.repeat(43)}`]) {
      const page = await visit(service, `/verify/${begun.id}?lang=${language}`, cookie)
      assert.equal(page.status, 403)
      assert.match(page.text, new RegExp(`<html lang="${language}"`))
      assert.match(page.text, /data-stopped/)
      assert.doesNotMatch(page.text, /openid4vp|<svg|data-verification|data-onward|\/finish\/|\/wallet\//)
      assert.deepEqual(page.cookies, [])
    }
  assert.match((await visit(service, `/verify/${begun.id}`, begun.cookie)).text, /openid4vp:/)
  assert.equal((await visit(service, `/verify/${begun.id}/qr.svg`)).status, 403)
  assert.equal((await visit(service, `/verify/${begun.id}/qr.svg`, begun.cookie)).status, 200)
})

test('after a sign-in its first tab, reloaded, does not say that nothing was shared', async () => {
  const begun = await begin()
  const back = await comeBack(service, await answered(begun), begun.cookie)
  assert.match(back.location, /[?&]code=/)
  assert.match(String(back.cookies), /vidimus-at-\w+=; Path=\/; Max-Age=0/, 'the browser drops the cookie')
  for (const language of LANGUAGES) {
    const { status, text } = await visit(service, `/verify/${begun.id}?lang=${language}`)
    const { signIn, signInOver } = WORDS[language].elsewhere
    assert.equal(status, 403)
    assert.ok(text.includes(signInOver.title), text)
    assert.ok(!signIn.texts.some((one) => text.includes(one)) && !text.includes(signIn.title), language)
  }
})

for (const protocols of [['openid4vp-v1-signed'], ['org-iso-mdoc']] as const)
  test(`${protocols[0]}: only the browser that began gets the offer and may post the answer`, async () => {
    const begun = await begin()
    const path = `/wallet/dc-api/${begun.id}`
    const headers = { cookie: begun.cookie, origin: OWN_ORIGIN }
    const refused = await service.call('GET', path, { headers: { origin: OWN_ORIGIN } })
    assert.deepEqual([refused.status, refused.json.error.code], [403, 'session_mismatch'])
    const { json: offer } = await service.call('GET', path, { headers })
    const answer = await browserAnswer(wallet, offer, { protocols: [...protocols] })
    const foreign = await service.call('POST', path, { body: answer, headers: { origin: OWN_ORIGIN } })
    assert.deepEqual([foreign.status, foreign.json.error.code], [403, 'session_mismatch'])
    // Without an origin either: that is not a browser, and must not circumvent the check.
    assert.equal((await service.call('POST', path, { body: answer })).status, 403)
    assert.equal((await service.call('POST', path, { body: answer, headers })).status, 200)
    assert.match((await finish(begun)).location, /[?&]code=/)
    assert.equal(await boundBy(begun.id), 'browser_api')
  })

test("a sibling domain cannot plant the attacker's secret under a name that browsers do not protect", async () => {
  const begun = await begin()
  const path = `/wallet/dc-api/${begun.id}`
  const { json: offer } = await service.call('GET', path, { headers: { cookie: begun.cookie, origin: OWN_ORIGIN } })
  const body = await browserAnswer(wallet, offer, { protocols: ['openid4vp-v1-signed'] })
  // Browsers take U+00A0 for a letter, so the name does not begin with `__Host-`, and any sibling domain may set it.
  const headers = { cookie: `theme=dark; \u00a0${begun.cookie}`, origin: OWN_ORIGIN }
  assert.equal((await visit(service, `/verify/${begun.id}`, headers.cookie)).status, 403)
  assert.equal((await service.call('GET', path, { headers })).status, 403)
  assert.equal((await service.call('POST', path, { body, headers })).status, 403)
  assert.equal((await finish(begun)).location, `/verify/${begun.id}?lang=en`, 'the attacker gets no code')
  assert.equal((await visit(service, `/verify/${begun.id}`, `theme=dark; ${begun.cookie}`)).status, 200)
})

test('an answer without a link to the browser that began gives it no code', async () => {
  const begun = await begin()
  await answered(begun)
  const page = await finish(begun)
  assert.deepEqual([page.status, page.location], [200, ''])
  assert.match(page.text, /name="code"/)
  assert.equal(await boundBy(begun.id), null)
})

test("the code is shown in the client's language, or else the browser's; the page to type it uses the chosen language", async () => {
  const languageOf = ({ text }: { text: string }) => /<html lang="(\w+)"/.exec(text)?.[1]
  const wished = await begin(shop, undefined, { ui_locales: 'tlh nl-BE de' })
  assert.equal(languageOf(await comeBack(service, await answered(wished))), 'nl')
  assert.equal(languageOf(await finish(wished)), 'nl')
  const chosen = await visit(service, `${wished.finish}?lang=fr`, wished.cookie)
  assert.equal(languageOf(chosen), 'fr')
  assert.match(chosen.text, /action="[^"]+\/finish\/[^"?]+\?lang=fr"/)
  const plain = await begin()
  assert.equal(languageOf(await comeBack(service, await answered(plain))), 'en')
})

test('the response code completes the sign-in in the browser that began; in another browser it shows the code to type', async () => {
  const begun = await begin()
  const redirectUri = await answered(begun)
  const code = await codeShown(redirectUri)
  assert.match(code, /^\d{4} \d{4}$/)
  assert.equal(await codeShown(redirectUri), code, 'a reload shows the same')
  const page = await comeBack(service, redirectUri)
  assert.match(page.text, /Never tell anyone this code/)
  assert.match(page.text, /verify\.example\.com/)
  assert.equal((await comeBack(service, `${redirectUri}x`, begun.cookie)).status, 404, 'another response code')
  const done = await comeBack(service, redirectUri, begun.cookie)
  assert.match(done.location, /[?&]code=/)
  assert.equal(await boundBy(begun.id), 'response_code')
  assert.equal((await comeBack(service, redirectUri, begun.cookie)).status, 404, 'once')
  assert.equal((await comeBack(service, redirectUri)).status, 404, 'and no code is shown any more')
})

test('the typed code completes the sign-in; the ID token and the receipt name the binding', async () => {
  const begun = await begin()
  const code = await codeShown(await answered(begun))
  const done = await typeIn(begun, code.replace(' ', ''))
  const returnedCode = new URL(done.location).searchParams.get('code') ?? ''
  const { json } = await callToken(service, shop, { ...ownSecret(shop), code: returnedCode })
  const { amr, vidimus_binding: binding } = payloadOf(json.id_token)
  assert.deepEqual([amr, binding], [['vc', 'mca', 'code'], 'code'])
  const receipt = await service.call('GET', `/v1/verifications/${begun.id}/receipt`, { key })
  assert.equal(payloadOf(receipt.text).bound_by, 'response_code_or_code')
  const how = await service.call('GET', `/v1/verifications/${begun.id}/diagnostics`, { key })
  assert.deepEqual([how.json.channel, how.json.binding], ['redirect', 'code'])
  assert.equal((await typeIn(begun, code)).status, 404, 'once')
})

test('three wrong codes end the sign-in, and after that the right code does nothing', async () => {
  const begun = await begin()
  const redirectUri = await answered(begun)
  const code = await codeShown(redirectUri)
  assert.match((await typeIn(begun, wrong(code))).text, /2 attempts left/)
  assert.match((await typeIn(begun, '12')).text, /2 attempts left/, 'a text that is not a code does not count as a try')
  assert.match((await typeIn(begun, wrong(code))).text, /one attempt left/)
  assert.deepEqual(reportedOf(await typeIn(begun, wrong(code))), ['access_denied', 'confirmation_failed'])
  for (const late of [
    await typeIn(begun, code),
    await finish(begun),
    await comeBack(service, redirectUri, begun.cookie),
  ])
    assertOver(late)
  assert.equal((await comeBack(service, redirectUri)).status, 404, 'the phone shows no code any more')
  assert.equal(await boundBy(begun.id), null)
})

test('of codes that are typed at once only three are checked', async () => {
  const begun = await begin()
  const code = await codeShown(await answered(begun))
  const typed = await Promise.all(Array.from({ length: 8 }, () => typeIn(begun, wrong(code))))
  assert.ok(typed.every(({ location }) => !location.includes('code=')))
  const [row] = await service.deps.db.query<{ tries: number }>(
    { name: 'test_tries', text: 'select confirm_tries as tries from oidc_authorizations where verification_id = $1' },
    [begun.id],
  )
  assert.equal(row?.tries, 3)
  const reported = typed.filter(({ location }) => location !== '').map(reportedOf)
  assert.deepEqual(reported, [['access_denied', 'confirmation_failed']], 'one error for the client')
  assertOver(await typeIn(begun, code))
  const again = await begin()
  const right = await codeShown(await answered(again))
  const both = await Promise.all([typeIn(again, right), typeIn(again, right), typeIn(again, right)])
  assert.equal(both.filter(({ location }) => /[?&]code=/.test(location)).length, 1, 'one code for the client')
})

test('two minutes after the answer the sign-in has failed, and the right code does nothing', async () => {
  const begun = await begin()
  const redirectUri = await answered(begun)
  const code = await codeShown(redirectUri)
  service.clock.advance(119_000)
  assert.match((await finish(begun)).text, /name="code"/)
  service.clock.advance(1_000)
  assert.deepEqual(reportedOf(await typeIn(begun, code)), ['access_denied', 'confirmation_timeout'])
  for (const late of [await finish(begun), await comeBack(service, redirectUri, begun.cookie)]) assertOver(late)
  assert.equal(await boundBy(begun.id), null)
})

test('if content is deleted sooner, the code must be typed sooner: an accepted code still gets the claims', async () => {
  const { realm } = await merchant(service, { content: 'forward', holdSeconds: 60 })
  const registered = await testClient(service, realm.tenantId, { redirectUris: [CALLBACK] })
  const begun = await begin(registered)
  const code = await codeShown(await answered(begun))
  service.clock.advance(39_000)
  const { location } = await typeIn(begun, code)
  service.clock.advance(10_000)
  const returnedCode = new URL(location).searchParams.get('code') ?? assert.fail(location)
  const tokens = await callToken(service, registered, { ...ownSecret(registered), code: returnedCode })
  assert.equal(payloadOf(tokens.json.id_token).given_name, 'Vida')
  const late = await begin(registered)
  const lateCode = await codeShown(await answered(late))
  service.clock.advance(40_000)
  assert.deepEqual(reportedOf(await typeIn(late, lateCode)), ['access_denied', 'confirmation_timeout'])
  assertOver(await finish(late))
})

test('content that is forgotten while a code is requested: the client gets an error, once, and no claims', async () => {
  const forget = async ({ id }: Begun) =>
    assert.equal((await service.call('POST', `/v1/verifications/${id}/forget`, { key })).status, 200)
  const unreadable = ['server_error', 'the result cannot be read here']
  const typed = await begin()
  const code = await codeShown(await answered(typed))
  await forget(typed)
  const done = await typeIn(typed, code)
  assert.deepEqual(reportedOf(done), unreadable)
  assert.ok(done.location.startsWith(CALLBACK), done.location)
  const returned = await begin()
  const redirectUri = await answered(returned)
  await forget(returned)
  assert.deepEqual(reportedOf(await comeBack(service, redirectUri, returned.cookie)), unreadable)
  const late = await begin()
  await answered(late)
  await forget(late)
  service.clock.advance(120_000)
  assert.deepEqual(reportedOf(await finish(late)), ['access_denied', 'confirmation_timeout'])
  const declined = await begin()
  await decline(service, declined.id)
  await forget(declined)
  assert.deepEqual(reportedOf(await finish(declined)), ['access_denied', 'declined'])
  for (const over of [typed, returned, late, declined]) {
    assertOver(await finish(over))
    const { json } = await service.call('GET', `/v1/verifications/${over.id}`, { key })
    assert.deepEqual([json.claims, json.credentials], [undefined, undefined])
    const left = await service.deps.db.query<{ token_hash: Buffer | null; userinfo: Buffer | null }>(
      { name: 'test_left', text: 'select token_hash, userinfo from oidc_authorizations where verification_id = $1' },
      [over.id],
    )
    assert.deepEqual(left, [{ token_hash: null, userinfo: null }])
  }
})

test('a code that was issued while its content was forgotten signs no one in', async () => {
  const begun = await begin()
  const { location } = await comeBack(service, await answered(begun), begun.cookie)
  const returnedCode = new URL(location).searchParams.get('code') ?? assert.fail(location)
  await service.deps.db.query({
    name: 'test_forget_row',
    text: `update verification_results set sealed = null, forgotten_at = now() where verification_id = '${begun.id}'`,
  })
  const { json } = await callToken(service, shop, { ...ownSecret(shop), code: returnedCode })
  assert.deepEqual([json.error, json.id_token], ['invalid_grant', undefined])
})

test('a person who gives up while a code is requested cannot complete the sign-in', async () => {
  const begun = await begin()
  const code = await codeShown(await answered(begun))
  const left = await visit(service, `${begun.finish}/cancel`, begun.cookie)
  assert.deepEqual(reportedOf(left), ['access_denied', 'cancelled'])
  const late = await typeIn(begun, code)
  assertOver(late)
  assert.match(late.text, /Your sign-in in this browser has ended/)
})

/** Runs both at once: neither finishes before the other has begun. */
async function atOnce<One, Other>(id: string, one: () => Promise<One>, other: () => Promise<Other>) {
  const { db } = service.deps
  const waits = {
    name: 'test_waiting',
    text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  }
  const waiting = (many: number) =>
    waitUntil(`${many} wait for a lock`, async () => (await db.query(waits)).length >= many)
  const both = await db.transaction(async (tx) => {
    await tx.query(
      { name: 'test_lock', text: 'select from oidc_authorizations where verification_id = $1 for update' },
      [id],
    )
    const first = one()
    await waiting(1)
    const second = other()
    await waiting(2)
    return [first, second] as const
  })
  return Promise.all(both)
}

for (const [what, confirm] of [
  ['the right code is typed', async (begun: Begun, redirectUri: string) => typeIn(begun, await codeShown(redirectUri))],
  ['the wallet leads back', async (begun: Begun, redirectUri: string) => comeBack(service, redirectUri, begun.cookie)],
] as const)
  test(`giving up at the moment when ${what}: the client gets one response`, async () => {
    const cancel = (begun: Begun) => visit(service, `${begun.finish}/cancel`, begun.cookie)
    const isCode = ({ location }: { location: string }) => /[?&]code=/.test(location)
    const late = await begin()
    const lateUri = await answered(late)
    const confirmed = await atOnce(
      late.id,
      () => confirm(late, lateUri),
      () => cancel(late),
    )
    assert.equal(confirmed.filter(isCode).length, 1)
    assert.ok(
      confirmed.every((one) => isCode(one) || one.location === ''),
      'and no error beside the code',
    )
    const early = await begin()
    const earlyUri = await answered(early)
    const [left, done] = await atOnce(
      early.id,
      () => cancel(early),
      () => confirm(early, earlyUri),
    )
    assert.deepEqual(reportedOf(left), ['access_denied', 'cancelled'])
    assert.ok(!isCode(done), done.location)
    assert.equal(await boundBy(early.id), null)
  })

test('a reload after two minutes, while the wallet leads back with the code, gets no error beside the code', async () => {
  const late = await begin()
  const lateUri = await answered(late)
  service.clock.advance(121_000)
  const [back, reload] = await atOnce(
    late.id,
    () => comeBack(service, lateUri, late.cookie),
    () => finish(late),
  )
  assert.match(back.location, /[?&]code=/)
  assert.equal(reload.location, '')
})

test('two tabs that see the sign-in fail at once: the client gets one error', async () => {
  const begun = await begin()
  await answered(begun)
  service.clock.advance(121_000)
  const tab = () => finish(begun)
  const tabs = await atOnce(begun.id, tab, tab)
  const [page, ...others] = tabs.filter(({ location }) => location === '')
  assert.deepEqual([page?.status, others.length], [404, 0])
  const reported = tabs.filter(({ location }) => location !== '').map(reportedOf)
  assert.deepEqual(reported, [['access_denied', 'confirmation_timeout']])
})

test('the diagnostics say what bound an answer that the client refuses', async () => {
  const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ['urn:other'] } } })
  const begun = await begin(shop, undefined, { claims })
  const redirectUri = await answered(begun)
  const refused = ['access_denied', 'unmet_authentication_requirements']
  assert.deepEqual(reportedOf(await comeBack(service, redirectUri, begun.cookie)), refused)
  const how = await service.call('GET', `/v1/verifications/${begun.id}/diagnostics`, { key })
  assert.equal(how.json.binding, 'response_code')
  assertOver(await finish(begun))
})

test('a person gets a page also if the service cannot answer, and sends the code of the wallet again from it', async () => {
  const begun = await begin()
  const redirectUri = await answered(begun)
  const db = await openDb({ connection: { url: service.url }, sealer: testSealer(), poolMax: 1 })
  const broken = { ...service, app: buildApp({ ...service.deps, db }, 'at first use') }
  after(() => broken.app.close())
  await db.close()
  for (const [path, form] of [
    [begun.finish, undefined],
    [`${begun.finish}/cancel`, undefined],
    [begun.finish, { code: '1234 5678' }],
  ] as const) {
    const { status, text } = await visit(broken, `${path}?lang=en`, begun.cookie, undefined, form)
    assert.equal(status, 503, path)
    assert.ok(text.includes(WORDS.en.stops.away.title), text)
    assert.doesNotMatch(text, /Nothing was shared/, 'the wallet has answered')
  }
  const stopped = await comeBack(broken, redirectUri, begun.cookie)
  const [, name = '', value = ''] =
    /<form method="post"><input type="hidden" name="(\w+)" value="([\w-]+)">/.exec(stopped.text) ?? []
  const path = new URL(redirectUri).pathname
  const again = await visit(service, path, begun.cookie, undefined, { [name]: value })
  assert.match(again.location, /[?&]code=/)
  const { headers } = await broken.app.inject({ method: 'GET', url: begun.finish })
  assert.match(String(headers['content-type']), /^application\/json/, 'programs get JSON')
})

test('cross_device off: another browser ends the sign-in as session_mismatch, permanently', async () => {
  const begun = await begin(strict)
  const redirectUri = await answered(begun)
  assert.doesNotMatch((await finish(begun)).text, /name="code"/)
  const elsewhere = await comeBack(service, redirectUri)
  assert.equal(elsewhere.status, 403)
  assert.doesNotMatch(elsewhere.text, /data-code/)
  assert.deepEqual(reportedOf(await finish(begun)), ['access_denied', 'session_mismatch'])
  assertOver(await comeBack(service, redirectUri, begun.cookie))
})

test('cross_device off: without a redirect of the wallet the sign-in ends as session_mismatch after two minutes', async () => {
  const begun = await begin(strict)
  await answered(begun)
  service.clock.advance(120_000)
  assert.deepEqual(reportedOf(await finish(begun)), ['access_denied', 'session_mismatch'])
  const back = await begin(strict)
  assert.match((await comeBack(service, await answered(back), back.cookie)).location, /[?&]code=/)
  const late = await begin(strict)
  const redirectUri = await answered(late)
  service.clock.advance(120_000)
  assert.deepEqual(reportedOf(await comeBack(service, redirectUri, late.cookie)), ['access_denied', 'session_mismatch'])
})

test('cross_device off: the page has no QR code, which could only fail after the person shared something', async () => {
  const begun = await begin(strict)
  for (const language of LANGUAGES) {
    const { status, text } = await visit(service, `/verify/${begun.id}?lang=${language}`, begun.cookie)
    assert.equal(status, 200)
    assert.ok(!text.includes('<svg'), 'no code to scan')
    assert.ok(!text.includes(WORDS[language].codeAgain))
    assert.ok(text.includes('same_device'), 'the link for this device')
    assert.ok(text.includes(WORDS[language].signIn.startThere))
  }
  const image = await visit(service, `/verify/${begun.id}/qr.svg`, begun.cookie)
  assert.equal(image.status, 403)
})

test('cross_device unconfirmed works only in test, whatever a row of live says', async () => {
  const terms: ClientTerms = { ...TERMS, redirectUris: [CALLBACK], crossDevice: 'unconfirmed' }
  const realm = { tenantId: tenant, environment: 'live' } as const
  const refused = await createClient(service.deps, { realm, actor: OPERATOR, authMethod: 'client_secret', terms })
  assert.deepEqual(refused, { outcome: 'refused', problem: 'unconfirmed_in_live' })
  const loose = await testClient(service, tenant, terms)
  const begun = await begin(loose)
  await answered(begun)
  assert.match((await finish(begun)).location, /[?&]code=/)
  assert.equal(await boundBy(begun.id), 'unconfirmed')
  const live = await testClient(service, tenant, { redirectUris: [CALLBACK], environment: 'live' })
  await service.deps.db.query({
    name: 'test_loosen',
    text: `update oidc_clients set cross_device = 'unconfirmed' where id = '${live.client.id}'`,
  })
  service.deps.clients.forget()
  const inLive = await begin(live)
  const [row] = await service.deps.db.query<{ browser_binding: string }>({
    name: 'test_rule',
    text: `select browser_binding from verifications where id = '${inLive.id}'`,
  })
  assert.equal(row?.browser_binding, 'confirm')
})

test('a recognised browser must be bound as its client requires now', async () => {
  for (const [before, after, accepted] of [
    ['unconfirmed', 'unconfirmed', true],
    ['unconfirmed', 'confirm', false],
    ['confirm', 'confirm', true],
    ['confirm', 'off', false],
  ] as const) {
    const registered = await testClient(service, tenant, {
      redirectUris: [CALLBACK],
      crossDevice: before,
      rememberMinutes: 10,
    })
    const begun = await begin(registered)
    const redirectUri = await answered(begun)
    const done = before === 'confirm' ? await typeIn(begun, await codeShown(redirectUri)) : await finish(begun)
    const known = done.cookies.find((cookie) => cookie.includes('vidimus-known-'))?.split(';')[0]
    await service.deps.db.query(
      { name: 'test_tighten', text: 'update oidc_clients set cross_device = $2 where id = $1' },
      [registered.client.id, after],
    )
    service.deps.clients.forget()
    const url = authorizeUrl(registered)
    const again = await visit(service, url.pathname + url.search, known)
    assert.equal(/[?&]code=/.test(again.location), accepted, `${before}, then ${after}: ${again.location}`)
  }
})

test("the reason of a failure is not shown where the sign-in began: it may concern another person's ID", async () => {
  const begun = await begin()
  await wallet.present(begun.walletUri, 'untrusted')
  const { status, text } = await visit(service, `/verify/${begun.id}?lang=en`, begun.cookie)
  assert.equal(status, 200)
  assert.match(text, /data-step="failed"/)
  assert.ok(!text.includes(WORDS.en.reasons.untrusted.title))
  const inBrowser = await begin()
  const path = `/wallet/dc-api/${inBrowser.id}`
  const headers = { cookie: inBrowser.cookie, origin: OWN_ORIGIN }
  const { json: offer } = await service.call('GET', path, { headers })
  const answer = await browserAnswer(wallet, offer, { protocols: ['org-iso-mdoc'], scenario: 'untrusted' })
  assert.equal((await service.call('POST', path, { body: answer, headers })).status, 200)
  const own = await visit(service, `/verify/${inBrowser.id}?lang=en`, inBrowser.cookie)
  assert.ok(own.text.includes(WORDS.en.reasons.untrusted.title))
  const id = await create()
  const { cookie } = await opened(id)
  await hold(id, cookie)
  await wallet.present((await readHostedPage(service.deps, id)).walletUri, 'untrusted')
  assert.ok((await opened(`${id}?lang=en`, cookie)).text.includes(WORDS.en.reasons.untrusted.title))
})

test('every process shows and accepts the same code, and all processes count the tries together', async () => {
  const other = await testService({}, {}, { sharedWith: service })
  const begun = await begin()
  const redirectUri = await answered(begun)
  const code = await codeShown(redirectUri)
  assert.ok((await comeBack(other, redirectUri)).text.includes(code))
  const typeThere = (typed: string) => visit(other, begun.finish, begun.cookie, undefined, { code: typed })
  assert.match((await typeThere(wrong(code))).text, /2 attempts left/)
  assert.match((await typeIn(begun, wrong(code))).text, /one attempt left/)
  const both = await Promise.all([typeThere(code), typeIn(begun, code)])
  assert.equal(both.filter(({ location }) => /[?&]code=/.test(location)).length, 1)
})

test('a redirect address that was removed from the client in between gets no code, and no error', async () => {
  const other = 'https://shop.example/other'
  const registered = await testClient(service, tenant, { redirectUris: [CALLBACK, other] })
  const begun = await begin(registered)
  const redirectUri = await answered(begun)
  const realm = { tenantId: tenant, environment: 'test' } as const
  const setAddresses = (redirectUris: readonly string[]) =>
    changeClient(service.deps, {
      realm,
      actor: OPERATOR,
      id: registered.client.id,
      change: (before) => ({ ...before, redirectUris }),
    })
  await setAddresses([other])
  for (const late of [
    await comeBack(service, redirectUri, begun.cookie),
    await visit(service, `${begun.finish}/cancel`, begun.cookie),
  ])
    assert.deepEqual([late.status, late.location], [404, ''])
  await setAddresses([other, CALLBACK])
  assert.match((await comeBack(service, redirectUri, begun.cookie)).location, /[?&]code=/)
})

test('a browser with many simultaneous sign-ins keeps the newest twelve', async () => {
  const names = Array.from(
    { length: 12 },
    (_, at) => `__Host-vidimus-at-${String(at).padStart(12, '0')}=${'A'.repeat(43)}`,
  )
  const url = authorizeUrl(shop)
  const { cookies } = await visit(service, url.pathname + url.search, names.join('; '))
  assert.equal(cookies.length, 2)
  assert.match(cookies[0] ?? '', /^__Host-vidimus-at-000000000000=; Path=\/; Max-Age=0;/)
})

test('a browser that came by forms of another site loses its surplus cookies on the hosted page', async () => {
  // With a POST from another site a browser sends no Lax cookie, so /authorize sees none to remove.
  const url = authorizeUrl(shop)
  const form = Object.fromEntries(url.searchParams)
  const posted = await visit(service, url.pathname, undefined, undefined, form)
  const own = posted.cookies[0]?.split(';')[0] ?? ''
  const many = Array.from(
    { length: 30 },
    (_, at) => `__Host-vidimus-at-${String(at).padStart(12, '0')}=${'A'.repeat(43)}`,
  )
  const page = await visit(service, posted.location, [own, ...many, '__Host-vidimus=staff'].join('; '))
  assert.equal(page.status, 200)
  const removed = page.cookies.map((cookie) => cookie.split('=')[0])
  assert.deepEqual(
    removed,
    many.slice(0, 19).map((cookie) => cookie.split('=')[0]),
    'the oldest cookies are removed, and never that of this sign-in',
  )
  assert.ok(page.cookies.every((cookie) => cookie.includes('=; Path=/; Max-Age=0;')))
})

const create = async (more: object = {}) =>
  (await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18', ...more } })).json
    .id as string
const hold = (id: string, cookie?: string) =>
  service.app.inject({ method: 'POST', url: `/verify/${id}/hold`, headers: cookie === undefined ? {} : { cookie } })
const opened = async (id: string, cookie?: string) => {
  const page = await visit(service, `/verify/${id}`, cookie)
  return { ...page, cookie: page.cookies[0]?.split(';')[0] ?? '' }
}

test('a verification belongs to the first browser whose page asks for it, not to one that only fetches the page', async () => {
  const id = await create()
  // Requests that do not bind: a preview of the link, a HEAD request, a page whose script never ran.
  await service.app.inject({ method: 'HEAD', url: `/verify/${id}` })
  const [preview, first, second] = [await opened(id), await opened(id), await opened(id)]
  for (const page of [preview, first, second]) assert.match(page.text, /data-hold/)
  assert.equal(new Set([preview, first, second].map(({ cookie }) => cookie)).size, 3)
  assert.deepEqual((await hold(id, first.cookie)).json(), { held: 'here' })
  assert.deepEqual((await hold(id, second.cookie)).json(), { held: 'elsewhere' })
  for (const cookie of [undefined, second.cookie]) {
    const page = await opened(id, cookie)
    assert.equal(page.status, 403)
    assert.match(page.text, /This request is open in another browser/)
    assert.doesNotMatch(page.text, /openid4vp|<svg|data-verification/)
  }
  const reloaded = await opened(id, first.cookie)
  assert.deepEqual([reloaded.status, reloaded.cookies], [200, []])
  assert.match(reloaded.text, /openid4vp:/)
  const path = `/wallet/dc-api/${id}`
  assert.equal((await service.call('GET', path, { headers: { cookie: second.cookie } })).status, 403)
  assert.equal((await service.call('GET', path, {})).status, 403)
  assert.equal((await service.call('GET', path, { headers: { cookie: first.cookie } })).status, 200)
})

test('a browser that opens the page in two tabs at once keeps the secret that the verification is bound to', async () => {
  const id = await create()
  const [first, second] = [await opened(id), await opened(id)]
  const cookiesOf = ({ headers }: Awaited<ReturnType<typeof hold>>) =>
    [headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';')[0])
  // The second tab's cookie replaces the first one while the first tab's script asks.
  assert.equal(second.cookie.split('=')[0], first.cookie.split('=')[0])
  assert.deepEqual(cookiesOf(await hold(id, first.cookie)), [first.cookie])
  assert.deepEqual(cookiesOf(await hold(id, second.cookie)), [])
  assert.deepEqual(cookiesOf(await hold(id)), [])
})

test('another browser does not learn the question, open or ended, from the page or the card', async () => {
  const shows = /18 or older|given name|Which shoes/
  for (const template of ['age_over_18', 'identity']) {
    const id = await create({ template, purpose: 'Which shoes' })
    const card = () => service.call('GET', `/verify/${id}/card?lang=en`)
    assert.match((await card()).json.heading, shows, 'before the verification belongs to a browser')
    const { cookie } = await opened(id)
    await hold(id, cookie)
    assert.equal((await card()).json.error.code, 'session_mismatch')
    await wallet.present((await readHostedPage(service.deps, id)).walletUri)
    const ended = await card()
    assert.equal(ended.json.step, 'completed')
    assert.doesNotMatch(ended.text, shows)
    const other = await opened(`${id}?lang=en`)
    assert.match(other.text, /data-step="completed"/)
    assert.doesNotMatch(other.text, shows)
  }
})

test('of browsers that ask at once, one gets the verification; a browser without cookies gets none', async () => {
  const id = await create()
  assert.deepEqual((await hold(id)).json(), { held: 'no_cookie' })
  const pages = await Promise.all(Array.from({ length: 6 }, () => opened(id)))
  const states = await Promise.all(pages.map(async ({ cookie }) => (await hold(id, cookie)).json().held))
  assert.deepEqual(states.toSorted(), ['elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'elsewhere', 'here'])
  assert.equal((await hold('ver_x')).statusCode, 404)
})

test('with browser_binding none, by creation or by setting, any browser may answer, and gets no cookie', async () => {
  const id = await create({ browser_binding: 'none' })
  const page = await opened(id)
  assert.deepEqual([page.status, page.cookies], [200, []])
  assert.doesNotMatch(page.text, /data-hold/)
  assert.equal((await service.call('GET', `/wallet/dc-api/${id}`, {})).status, 200)
  const own = await service.tenant()
  await service.deps.db.query({
    name: 'test_set_none',
    text: `update tenants set browser_binding = 'none' where id = '${own}'`,
  })
  const ownKey = await service.key(own)
  const created = await service.call('POST', '/v1/verifications', { key: ownKey, body: { template: 'age_over_18' } })
  assert.deepEqual((await opened(created.json.id)).cookies, [])
  const first = { template: 'age_over_18', browser_binding: 'first' }
  const bound = await service.call('POST', '/v1/verifications', { key: ownKey, body: first })
  assert.match((await opened(bound.json.id)).text, /data-hold/)
  const bad = { template: 'age_over_18', browser_binding: 'confirm' }
  assert.equal((await service.call('POST', '/v1/verifications', { key, body: bad })).status, 400)
})

test("a merchant's own page asks without a cookie, and every browser sees the outcome", async () => {
  const origin = 'http://localhost:3000'
  await addOrigin(service.deps, { realm: { tenantId: tenant, environment: 'test' }, origin, actor: OPERATOR })
  const id = await create({ origin })
  assert.equal((await service.call('GET', `/wallet/dc-api/${id}`, { headers: { origin } })).status, 200)
  const hosted = await create()
  await openHostedPage(service, hosted)
  const { json: offer } = await fetchOffer(service, hosted, OWN_ORIGIN)
  assert.ok(offer.requests.length > 0)
  await wallet.present((await readHostedPage(service.deps, hosted)).walletUri)
  const phone = await opened(hosted)
  assert.equal(phone.status, 200)
  assert.match(phone.text, /data-step="completed"/)
})

test('a sign-in that began at another installation counts as a sign-in here, too: nothing of it is shown, open or ended', async () => {
  const id = await create({ redirect_url: 'https://old.example/oidc/ten_a/test/return/oau_1' })
  await service.deps.db.query(
    { name: 'test_moved_sign_in', text: `update verifications set browser_binding = 'confirm' where id = $1` },
    [id],
  )
  const assertHidden = async (title: RegExp) => {
    for (const path of ['card', 'qr.svg']) {
      const { status, json } = await service.call('GET', `/verify/${id}/${path}`)
      assert.deepEqual([status, json.error.code], [403, 'session_mismatch'], path)
    }
    const { text } = await visit(service, `/verify/${id}?lang=en`)
    assert.match(text, title)
    assert.doesNotMatch(text, /Shop/)
  }
  await assertHidden(/This sign-in was started in another browser/)
  service.clock.advance(3_600_000)
  await assertHidden(/This sign-in has ended/)
})

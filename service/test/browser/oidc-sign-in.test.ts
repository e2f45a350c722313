// Tests sign-ins at a client with an independent library, a real browser with the hosted page, and the test wallet.

import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import * as openid from 'openid-client'
import type { Page } from 'playwright-core'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { listeningService } from '../harness/listening.ts'
import {
  type Asking,
  asking,
  type CallbackVisit,
  codeOnPhone,
  redeem,
  relyingParty,
  signIn,
  testClient,
  typeCode,
  walletUriOn,
} from '../harness/openid-client.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { assertText } from '../harness/pages/shown.ts'
import { answerOffer, virtualWallet } from '../harness/pages/virtual-wallet.ts'
import { OPERATOR } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const rp = await relyingParty()
const browser = await testBrowser()
const shop = await testClient(service, tenant, { redirectUris: [rp.callback] })
const config = await shop.configure()

/** Born in 1990: not yet 65. */
const realm = { tenantId: tenant, environment: 'test' } as const
await saveTemplate(service.deps, {
  realm,
  actor: OPERATOR,
  key: 'senior',
  document: {
    title: 'Senior',
    query: {
      credentials: [
        {
          id: 'pid',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['urn:eudi:pid:1'] },
          claims: [{ path: ['age_equal_or_over', '65'] }, { path: ['personal_administrative_number'] }],
        },
      ],
    },
  },
})

/** Values that pass between client and provider, and must not be in a log. */
const secrets = ['Vida', 'Specimen', '1990-07-14', 'SPECIMEN-0001']
after(() => {
  const logged = service.logged.join('\n')
  assert.ok(secrets.length > 10 && logged.includes('/oidc/:tenant/:environment/token'))
  for (const secret of secrets) assert.ok(!logged.includes(secret), 'a log line holds a secret or a claim')
})

async function open(): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  page.on('pageerror', (error) => assert.fail(error))
  return page
}

/** The browser of a person who signs in often; the service stores nothing about them. */
const usual = await open()

/** Signs in at the client through the hosted page and a wallet. */
async function throughBrowser(
  parameters: Record<string, string> = {},
  at = config,
): Promise<{ signIn: Asking; visit: CallbackVisit }> {
  const begun = await asking(at, rp, parameters)
  const visit = await signIn(usual, { signIn: begun, rp, wallet })
  noteSecrets(visit, begun)
  return { signIn: begun, visit }
}

function noteSecrets(visit: CallbackVisit, { state, nonce, verifier }: Asking): void {
  const code = visit.url.searchParams.get('code')
  secrets.push(...(code === null ? [] : [code]), state, nonce, verifier)
}

async function tokensOf(parameters: Record<string, string> = {}, at = config) {
  const { signIn, visit } = await throughBrowser(parameters, at)
  const tokens = await redeem(at, visit, signIn)
  secrets.push(tokens.access_token, tokens.id_token ?? 'none')
  const claims = tokens.claims()
  assert.ok(claims !== undefined)
  return { tokens, claims, signIn, visit }
}

/** The library throws the provider's error. */
const refusedWith = (error: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof openid.ResponseBodyError, String(thrown))
  assert.equal(thrown.error, error)
  return true
}

test('a sign-in through the hosted page and a wallet on another device returns a code; ID token and userinfo have the claims', async () => {
  const { tokens, claims, visit } = await tokensOf({ scope: 'openid vidimus:identity' })
  assert.equal(visit.url.searchParams.get('iss'), shop.issuer)
  assert.deepEqual([claims.given_name, claims.name, claims.birthdate], ['Vida', 'Vida Specimen', '1990-07-14'])
  assert.equal(claims.acr, 'http://eidas.europa.eu/LoA/high')
  assert.deepEqual([claims.amr, claims.vidimus_binding], [['vc', 'mca', 'code'], 'code'])
  assert.match(String(claims.sid), /^ver_/)
  assert.equal(claims.auth_time, Math.floor(service.clock.now() / 1000))
  const userinfo = await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
  assert.equal(userinfo.given_name, 'Vida')
  assert.equal(userinfo.birthdate, claims.birthdate)
  assert.equal(tokens.refresh_token, undefined)
  assert.equal(tokens.expires_in, 300)
})

test('the web test wallet in the same tab answers a sign-in, and brings the browser back', async () => {
  const page = await open()
  const signIn = await asking(config, rp, { scope: 'openid vidimus:age_over_18', ui_locales: 'xx de' })
  const before = rp.visits.length
  await page.goto(signIn.url.href)
  assert.equal(await page.getAttribute('html', 'lang'), 'de')
  await page.waitForSelector('[data-ask]:enabled')
  await page.click('a[href^="/sandbox/wallet"]')
  await page.click('button[value=consent]')
  await page.click('a[href*="/return/"]')
  await page.waitForURL((url) => url.href.startsWith(rp.callback))
  const visit = rp.visits[before]
  assert.ok(visit !== undefined)
  noteSecrets(visit, signIn)
  assert.doesNotMatch(page.url(), /response_code/, "the wallet's own code stays here")
  const claims = (await redeem(config, visit, signIn)).claims()
  assert.deepEqual([claims?.amr, claims?.vidimus_binding], [['vc', 'response_code'], 'response_code'])
  assert.equal(claims?.age_over_18, true)
  assert.deepEqual(claims?.age_equal_or_over, { 18: true })
  assert.equal(claims?.given_name, undefined)
  await page.context().close()
})

test('a wallet of the browser answers a sign-in (Digital Credentials API)', async () => {
  const page = await open()
  const platform = await virtualWallet(page)
  const signIn = await asking(config, rp)
  const before = rp.visits.length
  const id = page.waitForRequest(/\/wallet\/dc-api\/ver_/).then((request) => request.url().split('/').at(-1) ?? '')
  await page.goto(signIn.url.href)
  await page.waitForSelector('[data-ask]:enabled')
  const answer = await page.request.get(`${service.base}/wallet/dc-api/${await id}`)
  await platform.respond(await answerOffer(wallet, await answer.json(), { origin: service.base }))
  await page.click('[data-ask]')
  await page.waitForURL((url) => url.href.startsWith(rp.callback))
  const visit = rp.visits[before]
  assert.ok(visit !== undefined)
  noteSecrets(visit, signIn)
  const claims = (await redeem(config, visit, signIn)).claims()
  assert.deepEqual([claims?.family_name, claims?.vidimus_binding], ['Specimen', 'browser_api'])
  await page.context().close()
})

test('a person who declines goes back to the client without an answer', async () => {
  const page = await open()
  const signIn = await asking(config, rp)
  const before = rp.visits.length
  await page.goto(signIn.url.href)
  assert.match(await page.innerText('h1'), /^Sign in to .+ with your wallet$/)
  await page.click('a[href$="/cancel"]')
  await page.waitForURL((url) => url.href.startsWith(rp.callback))
  const parameters = rp.visits[before]?.url.searchParams
  assert.deepEqual([parameters?.get('error'), parameters?.get('error_description')], ['access_denied', 'cancelled'])
  assert.equal(parameters?.get('state'), signIn.state)
  assert.equal(parameters?.get('code'), null)
  await page.context().close()
})

test('a page that learns of the end before it shows the link back redirects only once', async () => {
  const page = await open()
  const signIn = await asking(config, rp)
  const before = rp.visits.length
  await page.route(/\/finish\/[^/]+\/cancel$/, async (route) => {
    const response = await route.fetch({ maxRedirects: 0 })
    const gone = page.waitForRequest(/\/finish\/[^/]+$/, { timeout: 1_500 })
    await gone.catch(() => undefined)
    await route.fulfill({ response })
  })
  const following = page.waitForResponse(/\/events$/)
  await page.goto(signIn.url.href)
  await following
  await page.click('a[href$="/cancel"]')
  await page.waitForURL((url) => url.href.startsWith(rp.callback))
  assert.equal(rp.visits[before]?.url.searchParams.get('error'), 'access_denied')
  await page.context().close()
})

for (const [scenario, description] of [
  ['declined', 'declined'],
  ['untrusted', 'verification_failed'],
  ['tampered', 'verification_failed'],
] as const)
  test(`a wallet that answers "${scenario}" is access_denied, without detail`, async () => {
    const page = await open()
    const begun = await asking(config, rp)
    const { url } = await signIn(page, { signIn: begun, rp, wallet, scenario })
    assert.equal(url.searchParams.get('error'), 'access_denied')
    assert.equal(url.searchParams.get('error_description'), description)
    await page.context().close()
  })

test('an expired sign-in is access_denied', async () => {
  const page = await open()
  const signIn = await asking(config, rp)
  const before = rp.visits.length
  await page.goto(signIn.url.href)
  service.clock.advance(601_000)
  await page.waitForURL((url) => url.href.startsWith(rp.callback))
  const parameters = rp.visits[before]?.url.searchParams
  assert.deepEqual([parameters?.get('error'), parameters?.get('error_description')], ['access_denied', 'timeout'])
  await page.context().close()
})

test('OIDC-01 a code that is used again is refused, and revokes the access token', async () => {
  const { tokens, claims, visit, signIn } = await tokensOf()
  await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
  await assert.rejects(redeem(config, visit, signIn), refusedWith('invalid_grant'))
  await assert.rejects(
    openid.fetchUserInfo(config, tokens.access_token, claims.sub),
    openid.WWWAuthenticateChallengeError,
  )
})

test('OIDC-02 another code_verifier is refused', async () => {
  const { signIn, visit } = await throughBrowser()
  const verifier = openid.randomPKCECodeVerifier()
  await assert.rejects(redeem(config, visit, signIn, { verifier }), refusedWith('invalid_grant'))
})

test('OIDC-03 a redirect_uri with one wrong character gets no redirect', async () => {
  const page = await open()
  const before = rp.visits.length
  for (const change of [`${rp.callback}/`, rp.callback.replace('callback', 'callbacK'), `${rp.callback}?a=1`]) {
    const signIn = await asking(config, rp, { redirect_uri: change })
    const answer = await page.goto(signIn.url.href)
    assert.equal(answer?.status(), 400)
    await assertText(page.locator('main').first(), /a return address that is not registered/)
  }
  const { signIn: begun, visit } = await throughBrowser()
  const elsewhere = new URL(visit.url)
  elsewhere.pathname = '/callbacK'
  await assert.rejects(redeem(config, { ...visit, url: elsewhere }, begun), refusedWith('invalid_grant'))
  assert.equal(rp.visits.length, before + 1)
  await page.context().close()
})

test("OIDC-04 another client's code is refused, and stays valid for its own client", async () => {
  const other = await testClient(service, tenant, { name: 'Other', redirectUris: [rp.callback] })
  const { signIn, visit } = await throughBrowser()
  await assert.rejects(redeem(await other.configure(), visit, signIn), refusedWith('invalid_grant'))
  assert.ok((await redeem(config, visit, signIn)).id_token)
})

test('OIDC-05 the nonce of a request comes back, and a request without a nonce gets none', async () => {
  const { claims, signIn: begun } = await tokensOf()
  assert.equal(claims.nonce, begun.nonce)
  const without = await asking(config, rp)
  without.url.searchParams.delete('nonce')
  const page = await open()
  const visit = await signIn(page, { signIn: without, rp, wallet })
  const tokens = await openid.authorizationCodeGrant(config, visit.url, {
    pkceCodeVerifier: without.verifier,
    expectedState: without.state,
    idTokenExpected: true,
  })
  assert.ok(tokens.claims() !== undefined && !Object.hasOwn(tokens.claims() ?? {}, 'nonce'))
  await page.context().close()
})

for (const idTokenAlg of ['ES256', 'RS256'] as const)
  test(`OIDC-06 ID tokens and userinfo signed with ${idTokenAlg}`, async () => {
    const registered = await testClient(service, tenant, { redirectUris: [rp.callback], idTokenAlg })
    const at = await registered.configure()
    // The library verifies the signature against the keys it fetches.
    openid.enableNonRepudiationChecks(at)
    const { tokens, claims } = await tokensOf({}, at)
    const [header = ''] = (tokens.id_token ?? '').split('.')
    assert.equal(JSON.parse(Buffer.from(header, 'base64url').toString()).alg, idTokenAlg)
    const signed = await fetch(`${registered.issuer}/userinfo`, {
      headers: { authorization: `Bearer ${tokens.access_token}`, accept: 'application/jwt' },
    })
    assert.equal(signed.headers.get('content-type'), 'application/jwt')
    const [, payload = ''] = (await signed.text()).split('.')
    const idTokenClaims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    assert.deepEqual(
      [idTokenClaims.iss, idTokenClaims.aud, idTokenClaims.sub],
      [registered.issuer, registered.client.id, claims.sub],
    )
  })

test('OIDC-07 code and token of another tenant, or of the other environment, are refused like unknown ones', async () => {
  const elsewhere = await service.tenant()
  const others = [
    await testClient(service, elsewhere, { redirectUris: [rp.callback] }),
    await testClient(service, tenant, { redirectUris: ['https://shop.example/callback'], environment: 'live' }),
  ]
  const { tokens } = await tokensOf()
  const { visit, signIn } = await throughBrowser()
  for (const other of others) {
    const ask = (code: string) =>
      post(`${other.issuer}/token`, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: rp.callback,
        code_verifier: signIn.verifier,
        client_id: other.client.id,
        client_secret: other.secret ?? '',
      })
    const unknown = await ask('A'.repeat(43))
    assert.equal(unknown.status, 400)
    assert.deepEqual(await ask(visit.url.searchParams.get('code') ?? ''), unknown)
    const look = (token: string) =>
      answerOf(fetch(`${other.issuer}/userinfo`, { headers: { authorization: `Bearer ${token}` } }))
    assert.deepEqual(await look(tokens.access_token), await look('A'.repeat(43)))
    assert.equal((await look(tokens.access_token)).status, 401)
  }
  assert.ok((await redeem(config, visit, signIn)).id_token, 'the code was not used')
})

async function answerOf(answer: Promise<Response>) {
  const { status, headers } = await answer
  return { status, body: await (await answer).text(), challenge: headers.get('www-authenticate') }
}

const post = (url: string, form: Record<string, string>) =>
  answerOf(fetch(url, { method: 'POST', body: new URLSearchParams(form) }))

test('OIDC-08 the answer of a sign-in that began in another browser gives no code', async () => {
  const [page, other] = [await open(), await open()]
  const signIn = await asking(config, rp)
  await page.goto(signIn.url.href)
  const finish = (await page.getAttribute('[data-onward]', 'data-onward')) ?? ''
  await page.goto('about:blank')
  await page.goBack()
  const uri = await walletUriOn(page)
  await page.goto('about:blank')
  const before = rp.visits.length
  const presented = await wallet.present(uri)
  // The phone did not begin the sign-in, so its page shows a confirmation code and nothing about the client.
  await other.goto(String(presented.redirectUri))
  const code = await other.innerText('[data-code]')
  assert.doesNotMatch(other.url(), /response_code/)
  const shown = async (path: string) => {
    const answer = await other.goto(`${service.base}${path}`)
    return { status: answer?.status(), text: await answer?.text() }
  }
  const foreign = await shown(finish)
  assert.equal(foreign.status, 404)
  assert.deepEqual(await shown(finish.replace(/oau_\w+/, `oau_${'x'.repeat(32)}`)), foreign)
  assert.deepEqual(await shown(finish.replace('/test/', '/live/')), foreign)
  assert.equal(rp.visits.length, before)
  await page.goto(`${service.base}${finish}`)
  await typeCode(page, code)
  await page.waitForURL((url) => url.href.startsWith(rp.callback))
  assert.ok(rp.visits[before]?.url.searchParams.get('code'))
  // The same browser gets no second code.
  assert.equal((await page.goto(`${service.base}${finish}`))?.status(), 404)
  for (const one of [page, other]) await one.context().close()
})

test('OIDC-09 after the token call the sign-in keeps no claims', async () => {
  const { tokens, claims, signIn } = await tokensOf()
  const rows = await service.deps.db.query<Record<string, unknown>>({
    name: 'test_authorizations',
    text: `select * from oidc_authorizations where verification_id = '${claims.sid}'`,
  })
  const [row] = rows
  assert.ok(row !== undefined && Buffer.isBuffer(row.request))
  // Its content belongs to the verification, and is deleted with it; forwarded.test.ts covers forwarded content.
  assert.equal(row.userinfo, null)
  const dump = Object.values(row)
    .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
    .join('\n')
  for (const canary of ['Vida', 'Specimen', '1990-07-14', claims.sub, tokens.access_token, signIn.state, signIn.nonce])
    assert.ok(!dump.includes(canary))
})

test('OIDC-10 a subject from a claim is the same each time, differs between clients, and comes from nothing public', async () => {
  const named = { redirectUris: [rp.callback], templates: ['senior'], defaultTemplate: 'senior' }
  const byClaim = { ...named, subjectMode: 'claim', subjectClaims: ['personal_administrative_number'] } as const
  const [one, two] = [await testClient(service, tenant, byClaim), await testClient(service, tenant, byClaim)]
  const at = await one.configure()
  const first = (await tokensOf({}, at)).claims.sub
  assert.equal((await tokensOf({}, at)).claims.sub, first)
  const second = (await tokensOf({}, await two.configure())).claims.sub
  assert.notEqual(second, first)
  assert.match(first, /^[\w-]{43}$/)
})

test('OIDC-10 ... an ephemeral subject differs each time, a derived subject is the same for the same person', async () => {
  assert.notEqual((await tokensOf()).claims.sub, (await tokensOf()).claims.sub)
  const tuple = { subjectMode: 'derived', subjectClaims: ['given_name', 'birth_date'] } as const
  const derived = await (await testClient(service, tenant, { redirectUris: [rp.callback], ...tuple })).configure()
  assert.equal((await tokensOf({}, derived)).claims.sub, (await tokensOf({}, derived)).claims.sub)
})

test('OIDC-11 prompt=none is interaction_required', async () => {
  const page = await open()
  const signIn = await asking(config, rp, { prompt: 'none' })
  const before = rp.visits.length
  await page.goto(signIn.url.href)
  const returned = rp.visits[before]?.url
  assert.ok(returned !== undefined)
  await assert.rejects(redeem(config, { ...(rp.visits[before] as CallbackVisit) }, signIn), (thrown: unknown) => {
    assert.ok(thrown instanceof openid.AuthorizationResponseError)
    assert.equal(thrown.error, 'interaction_required')
    return true
  })
  await page.context().close()
})

test('OIDC-12 "no" is an answer, unless the client requires true', async () => {
  const terms = { redirectUris: [rp.callback], templates: ['senior'], defaultTemplate: 'senior' }
  const claims = (await tokensOf({}, await (await testClient(service, tenant, terms)).configure())).claims
  assert.deepEqual(claims.age_equal_or_over, { 65: false })
  const strict = await (await testClient(service, tenant, { ...terms, requireTrue: true })).configure()
  const { visit } = await throughBrowser({}, strict)
  assert.equal(visit.url.searchParams.get('error'), 'access_denied')
  assert.equal(visit.url.searchParams.get('error_description'), 'unmet_authentication_requirements')
})

test('OIDC-13 discovery is what the library requires', async () => {
  const metadata = config.serverMetadata()
  assert.equal(metadata.issuer, shop.issuer)
  assert.ok(metadata.supportsPKCE())
  assert.deepEqual(metadata.response_types_supported, ['code'])
  assert.equal(metadata.authorization_response_iss_parameter_supported, true)
  assert.equal(metadata.registration_endpoint, undefined)
})

test('OIDC-14 a client of VC-AuthN can switch: scope vc_authn, pres_req_conf_id', async () => {
  const { claims } = await tokensOf({ scope: 'openid vc_authn', pres_req_conf_id: 'identity' })
  assert.equal(claims.acr, 'vc_authn')
  assert.deepEqual(claims.amr, ['vc_authn'])
  assert.equal(claims.pres_req_conf_id, 'identity')
  assert.equal((claims.vc_presented_attributes as { given_name: string }).given_name, 'Vida')
})

test('OIDC-15 an ID token stays small: large claims are only in userinfo', async () => {
  const registered = await testClient(service, tenant, {
    redirectUris: [rp.callback],
    vpData: true,
    verifiedClaims: true,
  })
  const at = await registered.configure()
  const { tokens, claims } = await tokensOf({ scope: 'openid vidimus:identity_extended' }, at)
  assert.ok((tokens.id_token ?? '').length < 8_192)
  const userinfo = await openid.fetchUserInfo(at, tokens.access_token, claims.sub)
  const { vp_data: data, verified_claims: verified } = userinfo as unknown as {
    vp_data: Record<string, { format: string; type: string; claims: { given_name?: string } }>
    verified_claims: { verification: { trust_framework: string; assurance_level: string }; claims: object }
  }
  const [[id, presented] = ['', null]] = Object.entries(data)
  assert.match(id, /^pid_/)
  assert.equal(presented?.claims.given_name, 'Vida')
  assert.equal(verified.verification.trust_framework, 'eidas')
  assert.equal(verified.verification.assurance_level, 'high')
  const portrait = await tokensOf({ scope: 'openid vidimus:portrait' })
  const shown = await openid.fetchUserInfo(config, portrait.tokens.access_token, portrait.claims.sub)
  assert.match(String(shown.picture), /^data:image\/jpeg;base64,\/9j\//)
})

test('OIDC-16 userinfo answers 401 after the token has expired', async () => {
  const { tokens, claims } = await tokensOf()
  service.clock.advance(299_000)
  await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
  service.clock.advance(1_000)
  await assert.rejects(openid.fetchUserInfo(config, tokens.access_token, claims.sub), (thrown: unknown) => {
    assert.ok(thrown instanceof openid.WWWAuthenticateChallengeError)
    assert.equal(thrown.status, 401)
    return true
  })
})

test('response_mode=form_post: the answer is posted', async () => {
  const page = await open()
  const begun = await asking(config, rp, { response_mode: 'form_post' })
  const answered = page.waitForResponse(
    (response) => response.url().includes('/finish/') && response.request().method() === 'POST',
  )
  const visit = await signIn(page, { signIn: begun, rp, wallet })
  assert.equal(visit.method, 'POST')
  assert.equal(visit.url.search, '')
  const policy = (await answered).headers()['content-security-policy'] ?? ''
  assert.match(policy, /^default-src 'none'; script-src 'sha256-[\w+/]{43}=';/)
  assert.match(policy, /frame-ancestors 'none'/)
  secrets.push(new URLSearchParams(visit.body).get('code') ?? 'none')
  assert.equal((await redeem(config, visit, begun)).claims()?.given_name, 'Vida')
  await page.context().close()
})

test('response_mode=form_post works with a broker that redirects the browser to another origin', async () => {
  const registered = await testClient(service, tenant, { redirectUris: [rp.broker.callback] })
  const signIn = await asking(
    await registered.configure(),
    { callback: rp.broker.callback },
    { response_mode: 'form_post' },
  )
  const page = await open()
  await page.goto(signIn.url.href)
  const { redirectUri } = await wallet.present(await walletUriOn(page))
  await typeCode(page, await codeOnPhone(String(redirectUri)))
  await page.waitForURL(rp.broker.app)
  await page.context().close()
})

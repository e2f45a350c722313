// Tests the authorization endpoint: questions, refusals, redirects, and limits.

import assert from 'node:assert/strict'
import test from 'node:test'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { saveType } from '../../src/core/transactions/usecases/manage-types.ts'
import { readHostedPage } from '../../src/features/pages/usecases/read-hosted-page.ts'
import { comeBack, quickSignIn, testClient, visit } from '../harness/openid-client.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { CARD, CONSENT, CONSENT_SCHEMA } from '../transactions/asking.ts'
import { authorizeUrl, CALLBACK, callToken, callUserinfo, codeFor, ownSecret, pathOf, payloadOf } from './callers.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant({ name: 'Shop' })
const key = await service.key(tenant)
const shop = await testClient(service, tenant, { redirectUris: [CALLBACK, `${CALLBACK}?shop=1`] })

const begin = (change: Record<string, string | null>, registered = shop) => {
  const url = authorizeUrl(registered, change)
  return visit(service, url.pathname + url.search)
}

const REDIRECTED: readonly [string, Record<string, string | null>, string][] = [
  ['no response_type', { response_type: null }, 'invalid_request'],
  ['the implicit flow', { response_type: 'id_token token' }, 'unsupported_response_type'],
  ['a hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
  ['response_mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
  ['no openid scope', { scope: 'profile' }, 'invalid_scope'],
  ['an unknown template', { scope: 'openid vidimus:nothing' }, 'invalid_scope'],
  ['a template that is not for this client', { scope: 'openid vidimus:age_over_21' }, 'invalid_scope'],
  ['two templates', { scope: 'openid vidimus:identity vidimus:address' }, 'invalid_scope'],
  ['an unknown VC-AuthN configuration', { scope: 'openid vc_authn', pres_req_conf_id: 'nothing' }, 'invalid_scope'],
  ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
  ['a request_uri', { request_uri: 'https://shop.example/request' }, 'request_uri_not_supported'],
  ['registration', { registration: '{}' }, 'registration_not_supported'],
  ['prompt=none', { prompt: 'none' }, 'interaction_required'],
  ['prompt=none with another', { prompt: 'none login' }, 'invalid_request'],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['a challenge without its method', { code_challenge_method: null }, 'invalid_request'],
  ['a method without a challenge', { code_challenge: null }, 'invalid_request'],
  ['a malformed challenge', { code_challenge: 'short' }, 'invalid_request'],
  ['a malformed max_age', { max_age: '-1' }, 'invalid_request'],
  ['claims that are not JSON', { claims: '{' }, 'invalid_request'],
  ['claims that are not an object', { claims: '{"userinfo":[]}' }, 'invalid_request'],
  ['a nonce without end', { nonce: 'n'.repeat(1_025) }, 'invalid_request'],
]
for (const [what, change, error] of REDIRECTED)
  test(`${what}: the client gets ${error}`, async () => {
    const answer = await begin(change)
    assert.equal(answer.status, 303)
    const url = new URL(answer.location)
    assert.equal(url.origin + url.pathname, CALLBACK)
    assert.equal(url.searchParams.get('error'), error)
    assert.equal(url.searchParams.get('state'), 'st')
    assert.equal(url.searchParams.get('iss'), shop.issuer)
    assert.deepEqual(answer.cookies, [])
  })

test('an error is posted like an answer', async () => {
  const answer = await begin({ response_mode: 'form_post', response_type: null })
  assert.equal(answer.status, 200)
  assert.match(answer.text, new RegExp(`action="${CALLBACK}"`))
  assert.match(answer.text, /name="error" value="invalid_request"/)
})

test('a redirect_uri with a query keeps it', async () => {
  const answer = await begin({ redirect_uri: `${CALLBACK}?shop=1`, prompt: 'none' })
  assert.match(answer.location, /^https:\/\/shop\.example\/callback\?shop=1&error=interaction_required&/)
})

test('an invalid client or redirect_uri is shown without a redirect; an unknown client looks like a foreign one', async () => {
  const other = await testClient(service, await service.tenant(), { redirectUris: [CALLBACK] })
  const live = await testClient(service, tenant, { redirectUris: [CALLBACK], environment: 'live' })
  const pages = []
  for (const client_id of [null, '', 'nobody', `oic_${'x'.repeat(24)}`, other.client.id, live.client.id]) {
    const answer = await begin({ client_id })
    assert.deepEqual([answer.status, answer.location], [400, ''])
    pages.push(answer.text)
  }
  assert.equal(new Set(pages).size, 1)
  for (const redirect_uri of [null, 'https://evil.example/', `${CALLBACK}#a`, CALLBACK.toUpperCase()]) {
    const answer = await begin({ redirect_uri })
    assert.deepEqual([answer.status, answer.location], [400, ''])
  }
  const twice = authorizeUrl(shop)
  const doubled = await visit(service, `${twice.pathname}${twice.search}&redirect_uri=https://evil.example/`)
  assert.deepEqual([doubled.status, doubled.location], [400, ''])
})

test('parameters may be posted; unknown ones, and a login_hint, are ignored', async () => {
  const url = authorizeUrl(shop, {
    ...{ extra: 'foobar', login_hint: 'somebody@shop.example', display: 'popup' },
    ...{ claims_locales: 'se', acr_values: '1 2', prompt: 'login', max_age: '1', scope: 'phone openid profile email' },
  })
  const answer = await service.app.inject({
    method: 'POST',
    url: url.pathname,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: url.search.slice(1),
  })
  assert.equal(answer.statusCode, 303)
  assert.match(String(answer.headers.location), /^\/verify\/ver_\w{32}\?lang=en$/)
})

test('the cookie is bound to this sign-in and to this browser', async () => {
  const [cookie = ''] = (await begin({})).cookies
  assert.match(cookie, /^__Host-vidimus-at-\w{12}=[\w-]{43}; Path=\/; Max-Age=1200; HttpOnly; SameSite=Lax; Secure$/)
})

const templateOf = async (change: Record<string, string | null>, registered = shop) => {
  const { location } = await begin(change, registered)
  const id = /^\/verify\/(ver_\w+)/.exec(location)?.[1]
  assert.ok(id !== undefined, location)
  return (await service.call('GET', `/v1/verifications/${id}`, { key })).json.template
}

test('the template is chosen by scope, then acr_values, then the smallest that covers the claims, then the default', async () => {
  const claims = (...names: string[]) =>
    JSON.stringify({ userinfo: Object.fromEntries(names.map((name) => [name, null])) })
  assert.equal(await templateOf({}), 'identity')
  assert.equal(
    await templateOf({ scope: 'openid vidimus:address', acr_values: 'urn:vidimus:template:identity' }),
    'address',
  )
  assert.equal(await templateOf({ acr_values: 'x urn:vidimus:template:address', claims: claims('picture') }), 'address')
  assert.equal(await templateOf({ claims: claims('nationalities') }), 'nationality')
  assert.equal(await templateOf({ claims: claims('given_name', 'place_of_birth') }), 'identity_extended')
  assert.equal(await templateOf({ claims: claims('picture', 'email') }), 'portrait')
  assert.equal(await templateOf({ claims: claims('email') }), 'identity', 'no template has it')
  assert.equal(
    await templateOf({ claims: claims('address', 'picture') }),
    'address',
    'the smaller of two templates that cover the claims',
  )
  const noUsual = await testClient(service, tenant, { redirectUris: [CALLBACK], defaultTemplate: null })
  assert.match((await begin({}, noUsual)).location, /error=invalid_scope/)
})

test('requested claims are returned, and no others of the template', async () => {
  const claims = JSON.stringify({
    userinfo: { name: { essential: true } },
    id_token: { birthdate: null, auth_time: null },
  })
  const code = await codeFor(service, wallet, shop, { claims })
  const { access_token: token } = (await callToken(service, shop, { ...ownSecret(shop), code })).json
  const userinfo = (await callUserinfo(service, shop, token)).json
  assert.deepEqual(Object.keys(userinfo).sort(), ['birthdate', 'name', 'sub'])
})

test('an essential acr that is not reached ends the sign-in', async () => {
  const wants = (...values: string[]) => ({
    claims: JSON.stringify({ id_token: { acr: { essential: true, values } } }),
  })
  const high = await quickSignIn(service, {
    url: authorizeUrl(shop, wants('http://eidas.europa.eu/LoA/high')),
    wallet,
  })
  assert.ok(high.location.searchParams.has('code'))
  const other = await quickSignIn(service, { url: authorizeUrl(shop, wants('urn:other')), wallet })
  assert.equal(other.location.searchParams.get('error_description'), 'unmet_authentication_requirements')
})

test('a sign-in is a verification like any other: it is in the trail under its client and in the usage, and spends quota', async () => {
  const poor = await service.tenant({ dailyQuota: 1 })
  const client = await testClient(service, poor, { redirectUris: [CALLBACK] })
  assert.match((await begin({}, client)).location, /^\/verify\//)
  const key = await service.key(poor)
  assert.equal(
    (await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })).status,
    201,
  )
  assert.match((await begin({}, client)).location, /error=temporarily_unavailable/)
  const rows = await service.deps.db.query<{ bytes: Buffer }>({
    name: 'test_trail_of_client',
    text: `select bytes from audit_entries where tenant_id = '${poor}' order by seq`,
  })
  const entries = rows.map(({ bytes }) => JSON.parse(bytes.toString()))
  const created = entries.find(({ action }) => action === 'verification.created')
  assert.deepEqual(created?.actor, { type: 'oidc_client', id: client.client.id })
})

test('the number of sign-ins that strangers can start is limited, per address and in total', async () => {
  const narrow = {
    address: { perSecond: 0.001, burst: 2 },
    client: { perSecond: 0.001, burst: 3 },
  }
  const small = await testService({ signIns: narrow })
  const registered = await testClient(small, await small.tenant(), { redirectUris: [CALLBACK] })
  const url = authorizeUrl(registered)
  const from = async (address: string) => (await visit(small, url.pathname + url.search, undefined, address)).status
  assert.deepEqual(
    [await from('198.51.100.1'), await from('198.51.100.1'), await from('198.51.100.1')],
    [303, 303, 429],
  )
  assert.deepEqual([await from('198.51.100.2'), await from('198.51.100.2')], [303, 429], 'the client has one left')
  assert.deepEqual(
    [await from('198.51.100.3'), await from('198.51.100.4')],
    [303, 429],
    'one is reserved for an address that began none',
  )
  const form = Object.fromEntries(url.searchParams)
  for (const [path, sent] of [
    [url.pathname + url.search, undefined],
    [url.pathname, form],
  ] as const) {
    const { text } = await visit(small, path, undefined, '198.51.100.4', sent)
    assert.match(text, /data-stopped.*Try again/s, 'a page for a person')
  }
})

test('a network that abandoned a sign-in gets none of the reserve, which is for new networks', async () => {
  const narrow = { address: { perSecond: 0.001, burst: 40 }, client: { perSecond: 0.001, burst: 32 } }
  const small = await testService({ signIns: narrow })
  const registered = await testClient(small, await small.tenant(), { redirectUris: [CALLBACK] })
  const url = authorizeUrl(registered)
  const from = (address: string) => visit(small, url.pathname + url.search, undefined, address)
  for (let at = 0; at < 32; at += 1) {
    const begun = await from('198.51.100.1')
    const { onward } = await readHostedPage(small.deps, /ver_\w+/.exec(begun.location)?.[0] ?? '')
    const left = await visit(small, `${onward}/cancel`, begun.cookies[0]?.split(';')[0], '198.51.100.1')
    assert.match(left.location, /error_description=cancelled/)
  }
  assert.equal((await from('198.51.100.1')).status, 429)
  assert.equal((await from('198.51.100.2')).status, 303)
  assert.equal((await from('198.51.100.3')).status, 429, 'neighbouring networks get an eighth of the reserve')
  assert.equal((await from('203.0.113.9')).status, 303)
})

test('a browser that has answered is recognised if its client wants that; prompt=none, max_age and the subject are respected', async () => {
  const registered = await testClient(service, tenant, { redirectUris: [CALLBACK], rememberMinutes: 30 })
  const { location, cookies } = await quickSignIn(service, { url: authorizeUrl(registered), wallet })
  const set = cookies.find((one) => one.includes('vidimus-known-')) ?? ''
  assert.match(set, /^__Host-vidimus-known-\w+=[\w-]+; Path=\/; Max-Age=1800; HttpOnly; SameSite=Lax; Secure$/)
  const [cookie = ''] = set.split(';')
  const claimsOf = async (code: string | null) =>
    payloadOf((await callToken(service, registered, { ...ownSecret(registered), code: code ?? '' })).json.id_token)
  const first = await claimsOf(location.searchParams.get('code'))
  const again = async (change: Record<string, string | null>, known: string | undefined = cookie) => {
    const url = authorizeUrl(registered, change)
    return (await visit(service, url.pathname + url.search, known)).location
  }
  assert.match(await again({ max_age: '0' }), /^\/verify\//, 'max_age=0: the answer is too old immediately')
  service.clock.advance(120_000)
  const silent = new URL(await again({ prompt: 'none' }))
  const second = await claimsOf(silent.searchParams.get('code'))
  assert.deepEqual([second.sub, second.auth_time, second.given_name], [first.sub, first.auth_time, first.given_name])
  assert.match(await again({ max_age: '10000' }), /[?&]code=/)
  assert.match(await again({ max_age: '1' }), /^\/verify\//)
  assert.match(await again({ prompt: 'login' }), /^\/verify\//)
  assert.match(await again({ scope: 'openid vidimus:address' }), /^\/verify\//, 'another question')
  assert.match(await again({ prompt: 'none' }, `${cookie.slice(0, -2)}xx`), /error=interaction_required/)
  for (const prefix of ['', '__Secure-', '\u00a0__Host-']) {
    const planted = cookie.replace('__Host-', prefix)
    assert.match(await again({ prompt: 'none' }, planted), /error=interaction_required/, 'by a neighbouring host')
  }
  const other = await testClient(service, tenant, { redirectUris: [CALLBACK], rememberMinutes: 30 })
  const renamed = cookie.replace(registered.client.id, other.client.id)
  const foreign = authorizeUrl(other, { prompt: 'none' })
  assert.match(
    (await visit(service, foreign.pathname + foreign.search, renamed)).location,
    /error=interaction_required/,
  )
  service.clock.advance(29 * 60_000)
  assert.match(await again({ prompt: 'none' }), /error=interaction_required/)
})

test('a template that was edited since is another question: the browser must answer again', async () => {
  const [realm, key] = [{ tenantId: tenant, environment: 'test' } as const, 'membership']
  const save = (...claims: string[]) =>
    saveTemplate(service.deps, {
      realm,
      key,
      actor: OPERATOR,
      document: {
        title: 'Membership',
        query: {
          credentials: [
            {
              id: 'pid',
              format: 'dc+sd-jwt',
              meta: { vct_values: ['urn:eudi:pid:1'] },
              claims: claims.map((name) => ({ path: [name] })),
            },
          ],
        },
      },
    })
  await save('given_name')
  service.clock.advance(60_000)
  const terms = { redirectUris: [CALLBACK], rememberMinutes: 30, templates: [key], defaultTemplate: key }
  const registered = await testClient(service, tenant, terms)
  const { cookies } = await quickSignIn(service, { url: authorizeUrl(registered), wallet })
  const cookie = cookies.find((one) => one.includes('vidimus-known-'))?.split(';')[0] ?? ''
  const url = authorizeUrl(registered, { prompt: 'none' })
  const again = async () => (await visit(service, url.pathname + url.search, cookie)).location
  service.clock.advance(1_000)
  assert.match(await again(), /[?&]code=/)
  await save('given_name', 'family_name')
  assert.match(await again(), /error=interaction_required/)
  service.clock.advance(59_000)
  const soon = await quickSignIn(service, { url: authorizeUrl(registered), wallet })
  const early = soon.cookies.find((one) => one.includes('vidimus-known-'))?.split(';')[0] ?? assert.fail()
  const { location } = await visit(service, url.pathname + url.search, early)
  assert.match(location, /error=interaction_required/, 'another process may have used the template from before')
})

test('browsers that are recognised count against the rate of their client', async () => {
  const budget = { perSecond: 0.001, burst: 3 }
  const small = await testService({ signIns: { address: { perSecond: 1, burst: 40 }, client: budget } })
  const terms = { redirectUris: [CALLBACK], rememberMinutes: 30 }
  const registered = await testClient(small, await small.tenant(), terms)
  const own = await testWallet(small)
  const { cookies } = await quickSignIn(small, { url: authorizeUrl(registered), wallet: own })
  const cookie = cookies.find((one) => one.includes('vidimus-known-'))?.split(';')[0] ?? assert.fail()
  const { pathname, search } = authorizeUrl(registered, { prompt: 'none' })
  const from = async (address: string) => (await visit(small, pathname + search, cookie, address)).status
  assert.deepEqual([await from('198.51.100.1'), await from('198.51.100.2')], [303, 303])
  assert.equal(await from('198.51.100.3'), 429)
})

test('a remembered browser does not answer a template with a transaction, whether its terms changed or not', async () => {
  const realm = { tenantId: tenant, environment: 'test' } as const
  const { type, text } = CONSENT
  await saveType(service.deps, { realm, type, title: 'Terms of use', schema: CONSENT_SCHEMA, actor: OPERATOR })
  const save = async (text: string) => {
    const transaction = { type, members: { text } }
    const document = { title: 'Terms', query: { credentials: [CARD] }, transaction }
    const saved = await saveTemplate(service.deps, { realm, key: 'terms', actor: OPERATOR, document })
    assert.ok(saved.outcome === 'created' || saved.outcome === 'replaced', JSON.stringify(saved))
  }
  await save(text)
  const terms = { redirectUris: [CALLBACK], rememberMinutes: 30, templates: ['terms'], defaultTemplate: 'terms' }
  const registered = await testClient(service, tenant, terms)
  const { cookies } = await quickSignIn(service, { url: authorizeUrl(registered), wallet })
  const cookie = cookies.find((one) => one.includes('vidimus-known-'))?.split(';')[0] ?? ''
  const url = authorizeUrl(registered, { prompt: 'none' })
  const again = async () => (await visit(service, url.pathname + url.search, cookie)).location
  assert.match(await again(), /error=interaction_required/)
  await save('Terms of 2027')
  assert.match(await again(), /error=interaction_required/)
})

test('without the cookie of its own sign-in a browser gets no code and cannot cancel', async () => {
  const [victim, thief] = [await begin({}), await begin({})]
  const id = /^\/verify\/(ver_\w+)/.exec(victim.location)?.[1] ?? ''
  const { walletUri, onward } = await readHostedPage(service.deps, id)
  const secretOf = ({ cookies }: typeof victim) => cookies[0]?.split(';')[0] ?? ''
  const finish = (cookie: string, path = onward ?? '') => visit(service, path, cookie)
  const name = secretOf(victim).split('=')[0] ?? ''
  const foreign = [
    secretOf(thief),
    `${name}=${'A'.repeat(43)}`,
    `${name}=`,
    `${name}=${'A'.repeat(43)}; ${secretOf(victim)}`,
  ]
  for (const cookie of foreign) assert.equal((await finish(cookie, `${onward}/cancel`)).status, 404)
  const { redirectUri } = await wallet.present(walletUri)
  for (const cookie of foreign) {
    const answer = await finish(cookie)
    assert.deepEqual([answer.status, answer.location, answer.cookies], [404, '', []])
  }
  assert.match((await comeBack(service, String(redirectUri), secretOf(victim))).location, /[?&]code=/)
  assert.equal((await finish(secretOf(victim))).status, 404, 'once')
})

test('a path that names no provider is 404, whatever the request', async () => {
  const empty = await service.tenant()
  for (const realm of [`${empty}/test`, `${tenant}/live2`, `ten_${'x'.repeat(16)}/test`, 'x/y'])
    for (const path of ['/.well-known/openid-configuration', '/jwks'])
      assert.equal((await service.call('GET', `/oidc/${realm}${path}`)).status, 404, realm + path)
  assert.equal((await service.call('GET', pathOf(shop, '/jwks'))).status, 200)
  const [row] = await service.deps.db.query<{ count: number }>({
    name: 'test_keys_of_nobody',
    text: `select count(*)::int as count from oidc_keys where tenant_id = '${empty}'`,
  })
  assert.equal(row?.count, 0)
})

// Tests signed request objects, request_uri and pushed requests, with openid-client and oauth4webapi.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { after } from 'node:test'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { PUSHED_BOUNDS, PUSHED_SECONDS } from '../../src/features/oidc/domain/pushed-request.ts'
import { readHostedPage } from '../../src/features/pages/usecases/read-hosted-page.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { runJob } from '../harness/jobs.ts'
import { comeBack, configureInto, quickSignIn, type TestClient, testClient, visit } from '../harness/openid-client.ts'
import { testService } from '../harness/service.ts'
import { once } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { authorizeUrl, basic, CALLBACK, CHALLENGE, pathOf, VERIFIER } from './callers.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const wallet = await testWallet(service)
const tenantId = await service.tenant()
/** The service's clock is stopped while this machine's continues. */
const skew = () => Math.round((service.clock.now() - Date.now()) / 1000)

async function keyOf(alg: 'ES256' | 'RS256') {
  const { privateKey, publicKey } = await oauth.generateKeyPair(alg, { extractable: true })
  const jwk = { ...(await crypto.subtle.exportKey('jwk', publicKey)), kid: alg }
  return { jwk, key: { key: privateKey, kid: alg } }
}
const [es, rs, foreign] = [await keyOf('ES256'), await keyOf('RS256'), await keyOf('ES256')]
const jwks = JSON.stringify({ keys: [es.jwk, rs.jwk] })

/** The address from which objects are fetched, and its answer. */
const served = { body: '', status: 200, fetches: 0 }
const server = createServer((_, response) => {
  served.fetches += 1
  response.writeHead(served.status, { location: '/elsewhere' }).end(served.body)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.close())
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/object`

const shop = await testClient(service, tenantId, { redirectUris: [CALLBACK], jwks, requestUris: [address] })
const plain = await testClient(service, tenantId, { redirectUris: [CALLBACK] })

const ASKED = {
  ...{ redirect_uri: CALLBACK, response_type: 'code', scope: 'openid vidimus:identity', state: 'inside' },
  ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
}

const signed = (change: Record<string, string> = {}, { key } = es, registered = shop, seconds = skew()) =>
  oauth.issueRequestObject(
    { issuer: registered.issuer },
    { client_id: registered.client.id, [oauth.clockSkew]: seconds },
    new URLSearchParams({ ...ASKED, ...change }),
    key,
  )

const withObject = (object: string, registered = shop) =>
  visit(
    service,
    `${pathOf(registered, '/authorize')}?${new URLSearchParams({ client_id: registered.client.id, request: object })}`,
  )

const withUri = (uri: string, registered = shop, from?: string) => {
  const query = new URLSearchParams({ client_id: registered.client.id, request_uri: uri, redirect_uri: CALLBACK })
  return visit(service, `${pathOf(registered, '/authorize')}?${query}`, undefined, from)
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs any claims under any header with the client's own key. */
async function signedBy({ key }: typeof es, header: object, payload: object): Promise<string> {
  const input = `${encode({ alg: 'ES256', kid: key.kid, ...header })}.${encode(payload)}`
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key.key, Buffer.from(input))
  return `${input}.${Buffer.from(signature).toString('base64url')}`
}

const errorOf = ({ location }: { location: string }) => new URL(location).searchParams.get('error')

test('an unsigned object is refused at the client: by its response_mode, with its state', async () => {
  const object = `${encode({ alg: 'none' })}.${encode({ ...ASKED, client_id: plain.client.id, response_mode: 'form_post' })}.`
  for (const request of [object, object.slice(0, -1)]) {
    const url = authorizeUrl(plain, { request, state: null })
    const answer = await visit(service, url.pathname + url.search)
    if (request !== object) {
      assert.equal(errorOf(answer), 'invalid_request_object')
      continue
    }
    assert.equal(answer.status, 200)
    assert.match(answer.text, new RegExp(`action="${CALLBACK}"`))
    assert.match(answer.text, /name="error" value="request_not_supported"/)
    assert.match(answer.text, /name="state" value="inside"/)
  }
  const evil = `${encode({ alg: 'none' })}.${encode({ ...ASKED, redirect_uri: 'https://evil.example/' })}.`
  const url = authorizeUrl(plain, { request: evil })
  assert.match((await visit(service, url.pathname + url.search)).location, /^https:\/\/shop\.example\/callback\?/)
  const nowhere = await withObject(evil, plain)
  assert.deepEqual([nowhere.status, nowhere.location], [400, ''], 'without a registered address the refusal is a page')
})

test('a signed object is the whole request (ES256 and RS256), and outer parameters are ignored', async () => {
  for (const key of [es, rs]) {
    const query = { client_id: shop.client.id, request: await signed({ claims: '{"userinfo":{}}' }, key) }
    const outside = { scope: 'openid vidimus:portrait', state: 'outside', redirect_uri: 'https://evil.example/' }
    const url = new URL(`${shop.issuer}/authorize?${new URLSearchParams({ ...outside, ...query })}`)
    const { location } = await quickSignIn(service, { url, wallet })
    assert.deepEqual([location.searchParams.get('state'), location.origin], ['inside', 'https://shop.example'])
    const config = await configureInto(service, shop)
    const tokens = await openid.authorizationCodeGrant(config, location, {
      pkceCodeVerifier: VERIFIER,
      expectedState: 'inside',
    })
    const { sub = '' } = tokens.claims() ?? {}
    const userinfo = await openid.fetchUserInfo(config, tokens.access_token, sub)
    assert.deepEqual([userinfo.given_name, userinfo.picture], ['Vida', undefined])
  }
})

const now = () => Math.floor(service.clock.now() / 1000)
const OBJECT = () => ({
  ...{ ...ASKED, client_id: shop.client.id, iss: shop.client.id, aud: shop.issuer },
  ...{ exp: now() + 60, nbf: now(), iat: now(), jti: 'x' },
})
const SPOILED: readonly [string, object, object][] = [
  ['for another provider', {}, { aud: 'https://other.example' }],
  ['without an audience', {}, { aud: undefined }],
  ['of another client', {}, { iss: plain.client.id }],
  ['without an issuer', {}, { iss: undefined }],
  ['that names another client', {}, { client_id: plain.client.id }],
  ['that has expired', {}, { exp: now() - 61 }],
  ['that never expires', {}, { exp: undefined }],
  ['that expires too late', {}, { exp: now() + 3_700 }],
  ['that is not valid yet', {}, { nbf: now() + 120 }],
  ["that is the client's assertion", {}, { sub: shop.client.id }],
  ['that names another object', {}, { request_uri: address }],
  ['that contains another object', {}, { request: 'x.y.z' }],
  ['that is a proof of possession', { typ: 'dpop+jwt' }, {}],
  ['with a critical extension', { crit: ['b64'] }, {}],
]
for (const [what, header, change] of SPOILED)
  test(`a request object ${what} is refused as invalid_request_object`, async () => {
    const answer = await withObject(await signedBy(es, header, { ...OBJECT(), ...change }))
    assert.equal(errorOf(answer), 'invalid_request_object')
    assert.equal(new URL(answer.location).searchParams.get('state'), 'inside')
  })

test('of a request object that is not strict JSON, no address is used', async () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [at, 0]))
  for (const change of [{ nonce: '\ud800' }, { state: { many } }]) {
    const answer = await withObject(await signedBy(es, {}, { ...OBJECT(), ...change }))
    assert.deepEqual([answer.status, answer.location], [400, ''])
  }
})

test("an object by a key that is not the client's, or for a client without keys, is refused as invalid_request_object", async () => {
  assert.match(
    (await withObject(await signedBy(es, {}, OBJECT()))).location,
    /^\/verify\//,
    'the others differ from this',
  )
  assert.equal(errorOf(await withObject(await signed({}, foreign))), 'invalid_request_object')
  const object = await signed({}, es)
  const other = `${object.slice(0, object.lastIndexOf('.'))}.${(await signed({ state: 'x' }, es)).split('.')[2]}`
  assert.equal(errorOf(await withObject(other)), 'invalid_request_object')
  assert.equal(errorOf(await withObject(await signed({}, es, plain), plain)), 'invalid_request_object')
})

test('request_uri: only a registered address is fetched, once, without redirects, and its object must be signed', async () => {
  Object.assign(served, { body: await signed(), status: 200, fetches: 0 })
  assert.match((await withUri(address)).location, /^\/verify\//)
  assert.equal(served.fetches, 1)
  assert.equal(errorOf(await withUri(`${address}2`)), 'invalid_request_uri')
  assert.equal(errorOf(await withUri(address, plain)), 'request_uri_not_supported')
  assert.equal(served.fetches, 1, 'nothing else is fetched')
  for (const status of [302, 404, 500]) {
    served.status = status
    assert.equal(errorOf(await withUri(address)), 'invalid_request_uri')
  }
  assert.equal(served.fetches, 4, 'a redirect is not followed')
  Object.assign(served, { body: 'x'.repeat(33 * 1024), status: 200 })
  assert.equal(errorOf(await withUri(address)), 'invalid_request_uri', 'too long')
  served.body = `${encode({ alg: 'none' })}.${encode(OBJECT())}.`
  assert.equal(errorOf(await withUri(address)), 'request_not_supported')
  const both = authorizeUrl(shop, { request: 'x.y.z', request_uri: address })
  assert.equal(errorOf(await visit(service, both.pathname + both.search)), 'invalid_request')
})

test('fetches that strangers can cause are limited per client', async () => {
  const narrow = { address: { perSecond: 1, burst: 100 }, client: { perSecond: 0.001, burst: 2 } }
  const small = await testService({ signIns: narrow }, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
  const terms = { redirectUris: [CALLBACK], jwks, requestUris: [address] }
  const registered = await testClient(small, await small.tenant(), terms)
  Object.assign(served, { body: 'no object', status: 200, fetches: 0 })
  const query = new URLSearchParams({ client_id: registered.client.id, request_uri: address, redirect_uri: CALLBACK })
  const path = `${pathOf(registered, '/authorize')}?${query}`
  const statuses = []
  for (let at = 1; at <= 4; at += 1) statuses.push((await visit(small, path, undefined, `198.51.100.${at}`)).status)
  assert.deepEqual(statuses, [303, 303, 429, 429])
  assert.equal(served.fetches, 2)
})

test('strangers who use up the fetches of a client leave other clients theirs; with four such clients other tenants have a reserve', async () => {
  const many = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
  const terms = { redirectUris: [CALLBACK], jwks, requestUris: [address] }
  const [attacked, others] = await Promise.all([many.tenant(), many.tenant()])
  const clients: TestClient[] = []
  for (let at = 0; at < 4; at += 1) clients.push(await testClient(many, attacked, terms))
  const other = await testClient(many, others, terms)
  Object.assign(served, { body: 'no object', status: 200 })
  const fetchFor = async (registered: TestClient, from: string) => {
    const query = new URLSearchParams({ client_id: registered.client.id, request_uri: address, redirect_uri: CALLBACK })
    return (await visit(many, `${pathOf(registered, '/authorize')}?${query}`, undefined, from)).status
  }
  for (const [net, registered] of clients.entries()) {
    const statuses: number[] = []
    for (let at = 1; at <= 200 && !statuses.includes(429); at += 1)
      statuses.push(await fetchFor(registered, `198.51.${net}.${at}`))
    assert.deepEqual([statuses[0], statuses.at(-1)], [303, 429])
    assert.equal(await fetchFor(other, '203.0.113.9'), 303, `after ${net + 1}`)
  }
})

const push = (registered: TestClient, change: Record<string, string> = {}, headers?: Record<string, string>) =>
  service.call('POST', pathOf(registered, '/par'), {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(headers ?? basic(registered.client.id, registered.secret ?? '')),
    },
    raw: new URLSearchParams({ ...ASKED, ...change }).toString(),
  })

test('a pushed request: openid-client pushes it, a browser opens its address, and the client redeems the code', async () => {
  const config = await configureInto(service, plain)
  const metadata = config.serverMetadata()
  assert.equal(metadata.pushed_authorization_request_endpoint, `${plain.issuer}/par`)
  const url = await openid.buildAuthorizationUrlWithPAR(config, ASKED)
  assert.deepEqual([...url.searchParams.keys()].sort(), ['client_id', 'request_uri'])
  const { location } = await quickSignIn(service, { url, wallet })
  assert.equal(location.searchParams.get('iss'), plain.issuer)
  const tokens = await openid.authorizationCodeGrant(config, location, {
    pkceCodeVerifier: VERIFIER,
    expectedState: 'inside',
  })
  assert.equal(tokens.claims()?.given_name, 'Vida')
  const signedUrl = await openid.buildAuthorizationUrlWithPAR(
    await configureInto(service, shop),
    new URLSearchParams({ request: await signed() }),
  )
  assert.match((await visit(service, signedUrl.pathname + signedUrl.search)).location, /^\/verify\//, 'with an object')
})

test('ui_locales of a signed, fetched or pushed request chooses the language of the page, not the outer parameter', async () => {
  const languageOf = async (query: Record<string, string>, registered: TestClient) => {
    const sent = new URLSearchParams({ client_id: registered.client.id, ui_locales: 'en', ...query })
    const { location } = await visit(service, `${pathOf(registered, '/authorize')}?${sent}`)
    return new URL(location, 'http://x').searchParams.get('lang')
  }
  const wished = { ui_locales: 'xx de-AT en' }
  assert.equal(await languageOf({ request: await signed(wished) }, shop), 'de')
  Object.assign(served, { body: await signed(wished), status: 200 })
  assert.equal(await languageOf({ request_uri: address }, shop), 'de')
  assert.equal(await languageOf({ request_uri: (await push(plain, wished)).json.request_uri }, plain), 'de')
  assert.equal(await languageOf({ request_uri: (await push(plain)).json.request_uri }, plain), 'en', 'the default')
})

test('a pushed request is valid for one sign-in, for a minute and a half, for its own client; outer parameters are ignored', async () => {
  const uriOf = async () => (await push(plain)).json.request_uri as string
  const first = await uriOf()
  assert.match(first, /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/)
  const outside = new URLSearchParams({
    client_id: plain.client.id,
    request_uri: first,
    scope: 'openid vidimus:portrait',
  })
  const begun = await visit(service, `${pathOf(plain, '/authorize')}?${outside}`)
  const id = /^\/verify\/(ver_\w+)/.exec(begun.location)?.[1]
  const key = await service.key(tenantId)
  assert.equal((await service.call('GET', `/v1/verifications/${id}`, { key })).json.template, 'identity')
  const elsewhere = await withUri(first, plain, '198.51.100.9')
  assert.match(elsewhere.location, /^\/verify\//, 'until a person has signed in, a page may be loaded again')
  assert.notEqual(elsewhere.location, begun.location, 'as a separate sign-in')
  assert.notEqual(elsewhere.cookies[0], begun.cookies[0])
  const { location } = await quickSignIn(service, { url: new URL(`${plain.issuer}/authorize?${outside}`), wallet })
  assert.ok(location.searchParams.has('code'))
  const again = await withUri(first, plain)
  assert.deepEqual([again.status, again.location, again.cookies], [400, '', []], 'it was used')
  const second = await uriOf()
  assert.equal((await withUri(second, shop)).status, 400, "another client's")
  const live = await testClient(service, tenantId, { redirectUris: [CALLBACK], environment: 'live' })
  assert.equal((await withUri(second, live)).status, 400)
  assert.match((await withUri(second, plain)).location, /^\/verify\//)
  const late = await uriOf()
  service.clock.advance(PUSHED_SECONDS * 1000)
  assert.equal((await withUri(late, plain)).status, 400)
  assert.equal((await withUri('urn:ietf:params:oauth:request_uri:x', plain)).status, 400)
})

test('a sign-in whose pushed request cannot be ended keeps its result for the next attempt', async () => {
  const { request_uri: uri } = (await push(plain)).json
  const query = new URLSearchParams({ client_id: plain.client.id, request_uri: uri })
  const begun = await visit(service, `${pathOf(plain, '/authorize')}?${query}`)
  const { sameDeviceUri } = await readHostedPage(service.deps, /ver_\w+/.exec(begun.location)?.[0] ?? '')
  const { redirectUri } = await wallet.present(sameDeviceUri)
  const back = () => comeBack(service, String(redirectUri), begun.cookies[0]?.split(';')[0])
  const run = (name: string, text: string) => service.deps.db.query({ name, text })
  await run(
    'test_refuse_function',
    `create function test_refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
  )
  await run(
    'test_refuse_trigger',
    'create trigger test_refuse before delete on oidc_pushed_requests execute function test_refuse()',
  )
  assert.equal((await back()).status, 500)
  await run('test_refuse_no_more', 'drop function test_refuse() cascade')
  assert.match((await back()).location, /[?&]code=/)
})

test('only an authenticated client pushes requests, and it learns what is wrong with them', async () => {
  const refusedAs = async (
    registered: TestClient,
    change: Record<string, string>,
    headers?: Record<string, string>,
  ) => {
    const { status, json } = await push(registered, change, headers)
    return [status, json.error]
  }
  assert.deepEqual(await refusedAs(plain, {}, basic(plain.client.id, shop.secret ?? '')), [401, 'invalid_client'])
  assert.deepEqual(await refusedAs(plain, { client_id: plain.client.id }, {}), [401, 'invalid_client'])
  const open = await testClient(service, tenantId, { redirectUris: [CALLBACK], authMethod: 'none' })
  assert.deepEqual(await refusedAs(open, { client_id: open.client.id }, {}), [400, 'unauthorized_client'])
  assert.deepEqual(await refusedAs(plain, { request_uri: 'urn:x' }), [400, 'invalid_request'])
  assert.deepEqual(await refusedAs(plain, { redirect_uri: 'https://evil.example/' }), [400, 'invalid_request'])
  assert.deepEqual(await refusedAs(plain, { scope: 'openid vidimus:nothing' }), [400, 'invalid_scope'])
  assert.deepEqual(await refusedAs(plain, { response_type: 'token' }), [400, 'unsupported_response_type'])
  assert.deepEqual(await refusedAs(plain, { code_challenge: 'short' }), [400, 'invalid_request'])
  assert.deepEqual(await refusedAs(plain, { request: await signed({}, foreign) }), [400, 'invalid_request_object'])
})

test('a client may push as many requests as it may start sign-ins', () => {
  const { perSecond, burst } = readConfig({ VIDIMUS_BASE_URL: 'https://verify.example.com' }).signIns.client
  assert.ok(PUSHED_BOUNDS.client >= perSecond * PUSHED_SECONDS + burst)
})

test('pushed requests are sealed, deleted when they expire, and limited per client', async () => {
  const other = await testClient(service, await service.tenant(), { redirectUris: [CALLBACK] })
  assert.equal((await push(other, { login_hint: 'canary@shop.example', junk: 'x'.repeat(20_000) })).status, 201)
  const rows = () =>
    service.deps.db.query<{ text: string }>({
      name: 'test_pushed_rows',
      text: `select encode(request, 'escape') as text from oidc_pushed_requests where client_id = '${other.client.id}'`,
    })
  assert.equal((await rows()).length, 1)
  assert.ok(!JSON.stringify(await rows()).includes('canary'))
  assert.ok(((await rows())[0]?.text.length ?? 0) < 10_000, 'parameters that are never read are not stored')
  await service.deps.db.query({
    name: 'test_fill_pushed',
    text: `insert into oidc_pushed_requests select lpad(to_hex(n), 64, '0'), client_id, tenant_id, environment, request, expires_at
           from oidc_pushed_requests, generate_series(2, ${PUSHED_BOUNDS.client}) n where client_id = '${other.client.id}'`,
  })
  const full = await push(other)
  assert.deepEqual([full.status, full.json.error.code], [429, 'rate_limit_exceeded'])
  assert.equal((await push(plain)).status, 201, 'another client is not affected')
  service.clock.advance(PUSHED_SECONDS * 1000)
  assert.equal((await push(other)).status, 201, 'expired requests do not count')
  await runJob(service.deps, 'forget-authorizations')
  assert.equal((await rows()).length, 1)
})

test('pushed requests are limited per tenant and in total, with a reserve for tenants that have few', async () => {
  const clientOf = async (tenant: string) => testClient(service, tenant, { redirectUris: [CALLBACK] })
  const [full, few, none] = [await service.tenant(), await service.tenant(), await service.tenant()]
  const [first, second, ofFew, ofNone] = [
    await clientOf(full),
    await clientOf(full),
    await clientOf(few),
    await clientOf(none),
  ]
  let filled = 0
  /** Stores `count` pushed requests of a client, as other processes would. */
  const fill = async ({ client }: TestClient, count: number) => {
    const stored = await service.deps.db.query(
      {
        name: 'test_fill_pushed_of',
        text: `insert into oidc_pushed_requests
             select encode(sha256(($3::int + n)::text::bytea), 'hex'), client_id, tenant_id, environment, request, expires_at
             from (select * from oidc_pushed_requests where client_id = $1 order by expires_at desc limit 1) one, generate_series(1, $2::int) n
             returning id`,
      },
      [client.id, count, filled],
    )
    filled += stored.length
    assert.equal(stored.length, count)
  }
  service.clock.advance(PUSHED_SECONDS * 1000)
  for (const registered of [first, second]) assert.equal((await push(registered)).status, 201)
  await fill(first, PUSHED_BOUNDS.client - 1)
  await fill(second, PUSHED_BOUNDS.tenant - PUSHED_BOUNDS.client - 2)
  assert.equal((await push(second)).status, 201, 'the last request of the tenant')
  assert.equal((await push(second)).status, 429, 'the tenant’s bound, below the client’s')
  assert.equal((await push(await clientOf(full))).status, 429, 'the limit also applies to a client without requests')
  assert.equal((await push(ofFew)).status, 201, 'another tenant is not affected')
  await fill(ofFew, PUSHED_BOUNDS.reservePerTenant - 1)
  // Requests of a tenant beyond its limit use up the total.
  await fill(first, PUSHED_BOUNDS.total - PUSHED_BOUNDS.tenant - PUSHED_BOUNDS.reservePerTenant)
  assert.equal((await push(ofFew)).status, 429, 'a tenant that has used its share of the reserve')
  assert.equal((await push(ofNone)).status, 201, 'a tenant without requests')
  await fill(first, PUSHED_BOUNDS.reserve - 1)
  assert.equal((await push(ofNone)).status, 429, 'the reserve is limited, too')
  service.clock.advance(PUSHED_SECONDS * 1000)
  assert.equal((await push(ofFew)).status, 201)
})

// Tests the endpoints that clients call: authentication, the checks of a code, access to userinfo.

import assert from 'node:assert/strict'
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import test from 'node:test'
import { removeClient, rotateClientSecret } from '../../src/features/oidc/usecases/manage-clients.ts'
import { runJob } from '../harness/jobs.ts'
import { type TestClient, testClient } from '../harness/openid-client.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { basic, CALLBACK, callToken, callUserinfo, codeFor, ownSecret, pathOf, payloadOf } from './callers.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant()
const realm = { tenantId: tenant, environment: 'test' } as const
const shop = await testClient(service, tenant, { redirectUris: [CALLBACK] })
const secret = shop.secret ?? ''

test('a client authenticates by client_secret_basic and client_secret_post', async () => {
  const code = await codeFor(service, wallet, shop)
  const answer = await callToken(service, shop, { code }, basic(shop.client.id, secret))
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.deepEqual(Object.keys(answer.json).sort(), ['access_token', 'expires_in', 'id_token', 'token_type'])
  const posted = await callToken(service, shop, { ...ownSecret(shop), code: await codeFor(service, wallet, shop) })
  assert.equal(posted.status, 200)
})

test('a client that is unknown, foreign, of another environment, or has another secret gets the same refusal', async () => {
  const other = await testClient(service, await service.tenant(), { redirectUris: [CALLBACK] })
  const live = await testClient(service, tenant, { redirectUris: [CALLBACK], environment: 'live' })
  const code = await codeFor(service, wallet, shop)
  const answers = []
  for (const [id, sent] of [
    [`oic_${'x'.repeat(24)}`, secret],
    ['nonsense', secret],
    [shop.client.id, other.secret ?? ''],
    [shop.client.id, `${secret.slice(0, -1)}${secret.endsWith('x') ? 'y' : 'x'}`],
    [shop.client.id, ''],
    [other.client.id, other.secret ?? ''],
    [live.client.id, live.secret ?? ''],
  ] as const) {
    const { status, text, headers } = await callToken(service, shop, { code }, basic(id, sent))
    answers.push(JSON.stringify([status, text, headers['www-authenticate']]))
  }
  assert.deepEqual([...new Set(answers)], [JSON.stringify([401, '{"error":"invalid_client"}', 'Basic realm="token"'])])
  assert.equal((await callToken(service, shop, { code })).status, 401)
  const both = await callToken(service, shop, { ...ownSecret(shop), code }, basic(shop.client.id, secret))
  assert.equal(both.status, 401, 'only one method at a time')
  const named = await callToken(service, shop, { client_id: shop.client.id, code })
  assert.equal(named.status, 401, 'a client with a secret must present it')
  assert.equal((await callToken(service, shop, { ...ownSecret(shop), code })).status, 200, 'the code was not used')
})

test('a client without a secret authenticates by PKCE, and cannot leave it out', async () => {
  const open = await testClient(service, tenant, { redirectUris: [CALLBACK], authMethod: 'none' })
  assert.equal(open.secret, null)
  const begin = `${pathOf(open, '/authorize')}?client_id=${open.client.id}&redirect_uri=${CALLBACK}&response_type=code&scope=openid`
  const without = await service.app.inject(begin)
  assert.match(String(without.headers.location), /error=invalid_request.*code_challenge/)
  const code = await codeFor(service, wallet, open)
  const own = { client_id: open.client.id }
  assert.equal((await callToken(service, open, { ...own, client_secret: secret, code })).status, 401)
  assert.equal((await callToken(service, open, { ...own, code })).status, 200)
  const second = await codeFor(service, wallet, open)
  assert.equal(
    (await callToken(service, open, { ...own, code: second, code_verifier: undefined })).json.error,
    'invalid_grant',
  )
})

const SPOILED: readonly [string, Record<string, string | undefined>, string][] = [
  ['no grant_type', { grant_type: undefined }, 'invalid_request'],
  ['refresh_token', { grant_type: 'refresh_token' }, 'unsupported_grant_type'],
  ['client_credentials', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
  ['no code', { code: undefined }, 'invalid_request'],
  ['a malformed code', { code: 'x' }, 'invalid_grant'],
  ['no redirect_uri', { redirect_uri: undefined }, 'invalid_grant'],
  ['another redirect_uri', { redirect_uri: `${CALLBACK}/` }, 'invalid_grant'],
  ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
  ['another verifier', { code_verifier: 'w'.repeat(43) }, 'invalid_grant'],
]
for (const [what, change, error] of SPOILED)
  test(`a token call with ${what} gets ${error}`, async () => {
    const code = await codeFor(service, wallet, shop)
    const answer = await callToken(service, shop, { ...ownSecret(shop), code, ...change })
    assert.deepEqual([answer.status, answer.json.error], [400, error])
  })

test('a verifier without a challenge is refused, because an attacker may have removed the challenge', async () => {
  const none = { code_challenge: null, code_challenge_method: null }
  const code = await codeFor(service, wallet, shop, none)
  assert.equal((await callToken(service, shop, { ...ownSecret(shop), code })).json.error, 'invalid_grant')
  const second = await codeFor(service, wallet, shop, none)
  const answer = await callToken(service, shop, { ...ownSecret(shop), code: second, code_verifier: undefined })
  assert.equal(answer.status, 200)
})

test('a verifier shorter than RFC 7636 requires is refused, even if its hash is the challenge', async () => {
  const short = 'v'.repeat(42)
  const challenge = createHash('sha256').update(short).digest('base64url')
  const code = await codeFor(service, wallet, shop, { code_challenge: challenge })
  const answer = await callToken(service, shop, { ...ownSecret(shop), code, code_verifier: short })
  assert.equal(answer.json.error, 'invalid_grant')
})

test('a second use of a code gets nothing, and revokes the token of the first; a sign-in without a nonce returns none', async () => {
  const code = await codeFor(service, wallet, shop)
  const first = await callToken(service, shop, { ...ownSecret(shop), code })
  assert.equal('nonce' in payloadOf(first.json.id_token), false)
  assert.equal((await callUserinfo(service, shop, first.json.access_token)).status, 200)
  assert.equal((await callToken(service, shop, { ...ownSecret(shop), code })).json.error, 'invalid_grant')
  assert.equal((await callUserinfo(service, shop, first.json.access_token)).status, 401)
})

test("another client's code and another tenant's token are unknown here, and stay valid", async () => {
  const [second, elsewhere] = [
    await testClient(service, tenant, { redirectUris: [CALLBACK] }),
    await testClient(service, await service.tenant(), { redirectUris: [CALLBACK] }),
  ]
  const code = await codeFor(service, wallet, shop)
  for (const other of [second, elsewhere])
    assert.equal((await callToken(service, other, { ...ownSecret(other), code })).json.error, 'invalid_grant')
  const { status, json } = await callToken(service, shop, { ...ownSecret(shop), code })
  assert.equal(status, 200)
  assert.equal((await callUserinfo(service, elsewhere, json.access_token)).status, 401)
  assert.equal((await callToken(service, second, { ...ownSecret(second), code })).status, 400)
  assert.equal((await callUserinfo(service, shop, json.access_token)).status, 200, 'a stranger revokes nothing')
})

test('a code is valid for a minute', async () => {
  const [first, second] = [await codeFor(service, wallet, shop), await codeFor(service, wallet, shop)]
  service.clock.advance(59_999)
  assert.equal((await callToken(service, shop, { ...ownSecret(shop), code: first })).status, 200)
  service.clock.advance(1)
  assert.equal((await callToken(service, shop, { ...ownSecret(shop), code: second })).json.error, 'invalid_grant')
})

test('of many calls with one code at once, one gets tokens, which are then revoked', async () => {
  const code = await codeFor(service, wallet, shop)
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => callToken(service, shop, { ...ownSecret(shop), code })),
  )
  const issued = answers.filter(({ status }) => status === 200)
  assert.ok(issued.length <= 1)
  for (const { json } of issued) assert.equal((await callUserinfo(service, shop, json.access_token)).status, 401)
})

test('a body that repeats a field, or is not a form, is refused', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const twice = await service.call('POST', pathOf(shop, '/token'), { headers, raw: 'code=a&code=b' })
  assert.deepEqual([twice.status, twice.json.error], [400, 'invalid_request'])
  assert.equal((await service.call('POST', pathOf(shop, '/token'), { body: {} })).status, 415)
  const large = await service.call('POST', pathOf(shop, '/token'), { headers, raw: `code=${'a'.repeat(40_000)}` })
  assert.equal(large.status, 413)
})

test('a replaced secret is valid for one more day, and at most two are valid', async () => {
  const registered = await testClient(service, tenant, { redirectUris: [CALLBACK] })
  const rotate = async () => {
    const rotated = await rotateClientSecret(service.deps, { realm, actor: OPERATOR, id: registered.client.id })
    assert.ok(rotated.outcome === 'done' && rotated.secret !== null)
    return rotated.secret
  }
  const works = async (sent: string) => {
    const answer = await callToken(service, registered, { code: 'x' }, basic(registered.client.id, sent))
    return answer.json.error === 'invalid_grant'
  }
  const first = registered.secret ?? ''
  const second = await rotate()
  assert.deepEqual([await works(first), await works(second)], [true, true])
  const third = await rotate()
  assert.deepEqual([await works(first), await works(second), await works(third)], [false, true, true])
  service.clock.advance(86_400_000)
  assert.deepEqual([await works(second), await works(third)], [false, true])
})

// --- private_key_jwt

const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwks = JSON.stringify({ keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'one' }] })
const keyed = await testClient(service, tenant, { redirectUris: [CALLBACK], authMethod: 'private_key_jwt', jwks })

function assertionOf(
  change: Record<string, unknown> = {},
  key: KeyObject = keys.privateKey,
  header: object = {},
): string {
  const now = Math.floor(service.clock.now() / 1000)
  const claims = {
    iss: keyed.client.id,
    sub: keyed.client.id,
    aud: keyed.issuer,
    exp: now + 60,
    jti: randomUUID(),
    ...change,
  }
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const input = `${encode({ alg: 'ES256', kid: 'one', ...header })}.${encode(claims)}`
  return `${input}.${createSign('sha256').update(input).sign({ key, dsaEncoding: 'ieee-p1363' }, 'base64url')}`
}

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const asserting = (registered: TestClient, assertion: string, code: string) =>
  callToken(service, registered, { client_assertion_type: TYPE, client_assertion: assertion, code })

test('private_key_jwt: the audience is the issuer or the token endpoint, and each assertion works once', async () => {
  const code = await codeFor(service, wallet, keyed)
  const assertion = assertionOf()
  assert.equal((await asserting(keyed, assertion, code)).status, 200)
  assert.equal((await asserting(keyed, assertion, code)).json.error, 'invalid_client', 'replayed')
  assert.equal((await asserting(keyed, assertionOf({ aud: `${keyed.issuer}/token` }), 'x')).json.error, 'invalid_grant')
})

for (const [what, change] of [
  ['another audience', { aud: 'https://elsewhere.example' }],
  ['no audience', { aud: undefined }],
  ['expired', { exp: 0 }],
  ['no expiry', { exp: undefined }],
  ['an expiry too far ahead', { exp: Math.floor(service.clock.now() / 1000) + 10 * 86_400 }],
  ['not yet valid', { nbf: Math.floor(service.clock.now() / 1000) + 10 * 86_400 }],
  ['no jti', { jti: undefined }],
  ['another issuer', { iss: shop.client.id }],
] as const)
  test(`private_key_jwt: ${what} is refused`, async () => {
    const answer = await asserting(keyed, assertionOf(change), 'x')
    assert.deepEqual([answer.status, answer.json.error], [401, 'invalid_client'])
  })

test('private_key_jwt: another key, no signature, another algorithm or another client is refused', async () => {
  const unsigned = assertionOf({}, keys.privateKey, { alg: 'none' })
  for (const assertion of [
    assertionOf({}, stranger.privateKey),
    unsigned,
    `${unsigned.split('.').slice(0, 2).join('.')}.`,
    assertionOf({}, keys.privateKey, { alg: 'RS256' }),
    assertionOf({}, keys.privateKey, { crit: ['b64'] }),
    assertionOf({ iss: shop.client.id, sub: shop.client.id }),
  ])
    assert.equal((await asserting(keyed, assertion, 'x')).status, 401)
})

// --- userinfo

test('userinfo takes the token by header or by form, never by both and never in the address', async () => {
  const code = await codeFor(service, wallet, shop)
  const { access_token: token } = (await callToken(service, shop, { ...ownSecret(shop), code })).json
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const path = pathOf(shop, '/userinfo')
  const authorization = `Bearer ${token}`
  assert.equal((await callUserinfo(service, shop, token)).json.given_name, 'Vida')
  assert.equal((await service.call('POST', path, { headers: { ...headers, authorization }, raw: '' })).status, 200)
  assert.equal((await service.call('POST', path, { headers: { authorization } })).status, 200)
  assert.equal((await service.call('POST', path, { headers, raw: `access_token=${token}` })).status, 200)
  const twice = await service.call('POST', path, {
    headers: { ...headers, authorization },
    raw: `access_token=${token}`,
  })
  assert.deepEqual([twice.status, twice.json.error], [400, 'invalid_request'])
  const inAddress = await service.call('GET', `${path}?access_token=${token}`)
  assert.deepEqual([inAddress.status, inAddress.headers['www-authenticate']], [401, 'Bearer error="invalid_token"'])
  assert.equal((await service.call('GET', path, { headers: { authorization: `Bearer ${code}` } })).status, 401)
})

test('pages of any site may read discovery, keys, token and userinfo', async () => {
  for (const path of ['/token', '/userinfo']) {
    const answer = await service.app.inject({ method: 'OPTIONS', url: pathOf(shop, path) })
    assert.equal(answer.statusCode, 204)
    assert.match(String(answer.headers['access-control-allow-headers']), /Authorization/)
  }
  for (const path of ['/.well-known/openid-configuration', '/jwks', '/userinfo'])
    assert.equal((await service.app.inject(pathOf(shop, path))).headers['access-control-allow-origin'], '*')
})

test("expired rows are deleted, and a removed client's sign-ins with it", async () => {
  const registered = await testClient(service, tenant, { redirectUris: [CALLBACK] })
  const count = async () => {
    const [row] = await service.deps.db.query<{ count: number }>({
      name: 'test_count_authorizations',
      text: 'select count(*)::int as count from oidc_authorizations',
    })
    return row?.count ?? 0
  }
  const code = await codeFor(service, wallet, registered)
  const { access_token: token } = (await callToken(service, registered, { ...ownSecret(registered), code })).json
  assert.equal((await callUserinfo(service, registered, token)).status, 200)
  assert.ok(await removeClient(service.deps, { realm, actor: OPERATOR, id: registered.client.id }))
  assert.equal((await callUserinfo(service, registered, token)).status, 401)
  assert.ok((await count()) > 0)
  service.clock.advance(1_200_000)
  await runJob(service.deps, 'forget-authorizations')
  assert.equal(await count(), 0)
})

test('a caller that guesses codes or secrets reaches the limit of failures', async () => {
  const slow = { perSecond: 0.001, burst: 1 }
  const small = await testService({ rates: { ...service.deps.config.rates, ip: slow } })
  const registered = await testClient(small, await small.tenant(), { redirectUris: [CALLBACK] })
  const statuses = []
  for (let count = 0; count < 11; count += 1)
    statuses.push((await callToken(small, registered, { code: 'x' }, basic(registered.client.id, 'wrong'))).status)
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429])
})

test('wrong codes that visitors bring to a client do not lock it out, and strangers do not use up its budget', async () => {
  const slow = { perSecond: 0.001, burst: 1 }
  const rates = { ...service.deps.config.rates, ip: slow, key: { perSecond: 0.001, burst: 20 } }
  const small = await testService({ rates })
  const tenantId = await small.tenant()
  const registered = await testClient(small, tenantId, { redirectUris: [CALLBACK] })
  for (let count = 0; count < 20; count += 1)
    assert.equal(
      (await callToken(small, registered, { ...ownSecret(registered), code: 'x' })).json.error,
      'invalid_grant',
    )
  assert.equal(
    (await callToken(small, registered, { ...ownSecret(registered), code: 'x' })).status,
    429,
    'its own budget',
  )
  const open = await testClient(small, tenantId, { redirectUris: [CALLBACK], authMethod: 'none' })
  const bring = (from: string) =>
    small.call('POST', pathOf(open, '/token'), {
      from,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      raw: `grant_type=authorization_code&client_id=${open.client.id}&code=x`,
    })
  const statuses = new Set<number>()
  for (const host of [1, 2, 3])
    for (let count = 0; count < 11; count += 1) statuses.add((await bring(`198.51.100.${host}`)).status)
  assert.deepEqual([...statuses], [400, 429], 'a caller that guesses at an open client reaches its limit')
  assert.equal((await bring('198.51.100.4')).status, 400, 'and no other caller does')
})

test('a malformed request costs its sender, too', async () => {
  const small = await testService({ rates: { ...service.deps.config.rates, ip: { perSecond: 0.001, burst: 1 } } })
  const registered = await testClient(small, await small.tenant(), { redirectUris: [CALLBACK] })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const statuses = []
  for (let count = 0; count < 11; count += 1)
    statuses.push((await small.call('POST', pathOf(registered, '/token'), { headers, raw: 'code=a&code=b' })).status)
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 400), 429])
})

test('uses of a token are limited', async () => {
  const verification = { perSecond: 0.001, burst: 10 }
  const small = await testService({ rates: { ...service.deps.config.rates, verification } })
  const registered = await testClient(small, await small.tenant(), { redirectUris: [CALLBACK] })
  const code = await codeFor(small, await testWallet(small), registered)
  const { access_token: token } = (await callToken(small, registered, { ...ownSecret(registered), code })).json
  const statuses = []
  for (let count = 0; count < 11; count += 1) statuses.push((await callUserinfo(small, registered, token)).status)
  assert.ok(statuses.includes(200))
  assert.equal(statuses.at(-1), 429)
})

test('an ID token has subject, issuer, time and assurance', async () => {
  const code = await codeFor(service, wallet, shop, { nonce: 'n-1' })
  const payload = payloadOf((await callToken(service, shop, { ...ownSecret(shop), code })).json.id_token)
  const now = Math.floor(service.clock.now() / 1000)
  assert.deepEqual(
    [payload.iss, payload.aud, payload.iat, payload.exp, payload.nonce, payload.auth_time],
    [shop.issuer, shop.client.id, now, now + 300, 'n-1', now],
  )
})

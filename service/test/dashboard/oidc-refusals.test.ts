// Tests that no sign-in succeeds if provider, browser or an attacker misbehaves, and that the log has the reason.

import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { diagnose } from '../../src/features/operator/usecases/diagnose.ts'
import { roundOf } from '../../src/features/staff/domain/oidc.ts'
import { createOidcProvider } from '../../src/features/staff/outbound/provider.ts'
import { invite } from '../../src/features/staff/usecases/manage-team.ts'
import { finishOidcSignIn } from '../../src/features/staff/usecases/sign-in-with-oidc.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { assertTurnedAway, begin, comeBack, elsewhere, sessionOf, throughProvider } from '../harness/oidc.ts'
import { CALLBACK, CLIENT, part, type Spoiling, signed, startProvider } from '../harness/servers/oidc-provider.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { post } from '../harness/staff.ts'
import { LOOPBACK, timedEgress } from '../harness/webhooks.ts'

const provider = await startProvider(() => service.clock.now())
const service = await testService({}, { ...LOOPBACK, ...provider.env })
/** The provider's metadata and keys are cached for minutes: this service has not cached any yet. */
const untried = await testService({}, { ...LOOPBACK, ...provider.env })
const tenant = await service.tenant({ name: 'Ours' })
const invitation = {
  tenantId: tenant,
  email: 'zoe@example.com',
  role: 'admin',
  actor: OPERATOR,
  byOperator: false,
} as const
await invite(service.deps, invitation)
provider.account = { sub: 'sub-zoe', email: 'zoe@example.com', email_verified: true }

const seconds = (offset: number) => Math.floor(service.clock.now() / 1000) + offset
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const foreignKeys = { private: stranger.privateKey, public: stranger.publicKey, kid: provider.keys.kid }

/** The name says what is wrong; the last member names the check, by its standard, that finds it. */
const NOT_PROVEN: readonly (readonly [name: string, spoiling: Spoiling, reason: string | RegExp])[] = [
  ['another nonce', claims({ nonce: 'another' }), 'unexpected ID Token "nonce" claim value'],
  ['no nonce', claims({ nonce: undefined }), 'JWT "nonce" (nonce) claim missing'],
  ['another audience', claims({ aud: 'another' }), 'unexpected JWT "aud" (audience) claim value'],
  ['no audience', claims({ aud: undefined }), 'JWT "aud" (audience) claim missing'],
  [
    'two audiences, one of them us',
    claims({ aud: [CLIENT.id, 'another'] }),
    'ID Token "aud" (audience) claim includes additional untrusted audiences',
  ],
  [
    'two audiences, one of them us, authorized for the other',
    claims({ aud: [CLIENT.id, 'another'], azp: 'another' }),
    'unexpected ID Token "azp" (authorized party) claim value',
  ],
  ['issued to another client', claims({ azp: 'another' }), 'azp is another client'],
  ['another issuer', claims({ iss: 'https://evil.example' }), 'unexpected JWT "iss" (issuer) claim value'],
  ['no issuer', claims({ iss: undefined }), 'JWT "iss" (issuer) claim missing'],
  ['no subject', claims({ sub: undefined }), 'JWT "sub" (subject) claim missing'],
  ['a subject of a wrong type', claims({ sub: 7 }), 'unexpected JWT "sub" (subject) claim type'],
  ['an empty subject', claims({ sub: '' }), 'sub is empty or too long'],
  ['a long subject', claims({ sub: 'x'.repeat(256) }), 'sub is empty or too long'],
  ['expired', claims({ exp: seconds(-61) }), /^unexpected JWT "exp".* past current timestamp$/],
  ['no expiry', claims({ exp: undefined }), 'JWT "exp" (expiration time) claim missing'],
  ['an expiry of a wrong type', claims({ exp: '9999999999' }), 'unexpected JWT "exp" (expiration time) claim type'],
  ['not valid yet', claims({ nbf: seconds(120) }), 'unexpected JWT "nbf" (not before) claim value'],
  ['issued long before', claims({ iat: seconds(-120) }), 'iat is not from this sign-in'],
  ['issued in the future', claims({ iat: seconds(120) }), 'iat is not from this sign-in'],
  ['no time of issue', claims({ iat: undefined }), 'JWT "iat" (issued at) claim missing'],
  ['authenticated in the future', claims({ auth_time: seconds(120) }), 'auth_time is in the future'],
  ['alg none', { token: (all) => `${part({ alg: 'none' })}.${part(all)}.` }, 'unexpected JWT "alg" header parameter'],
  [
    "HS256 with the client's secret",
    { token: (all) => hmac(all, CLIENT.secret) },
    'unexpected JWT "alg" header parameter',
  ],
  [
    'HS256 with the public key as its secret',
    { token: (all) => hmac(all, provider.keys.public.export({ format: 'pem', type: 'spki' })) },
    'unexpected JWT "alg" header parameter',
  ],
  [
    'an algorithm the provider does not name',
    { token: (all) => signed(all, provider, { alg: 'RS256', kid: provider.keys.kid }) },
    'unexpected JWT "alg" header parameter',
  ],
  [
    "a stranger's key under the provider's key id",
    { token: (all) => signed(all, { keys: foreignKeys }) },
    'JWT signature verification failed',
  ],
  [
    'a key that is not in the set',
    { token: (all) => signed(all, { keys: foreignKeys }, { alg: 'ES256', kid: 'key-2' }) },
    'error when selecting a JWT verification key, no applicable keys found',
  ],
  ['claims that were changed', { token: changed }, 'JWT signature verification failed'],
  [
    'no signature',
    { token: (all) => signed(all, provider).replace(/[^.]*$/, '') },
    'JWT signature verification failed',
  ],
  [
    'a signature that is not base64url',
    { token: (all) => signed(all, provider).replace(/[^.]*$/, '+++') },
    'unreadable:TypeError',
  ],
  ['a critical extension', { token: critical }, 'no JWT "crit" header parameter extensions are supported'],
  ['no ID token', { tokenAnswer: ({ id_token: _, ...rest }) => rest }, /"id_token" property must be a string/],
  ['a malformed ID token', { tokenAnswer: (rest) => ({ ...rest, id_token: 'a.b' }) }, 'Invalid JWT'],
  ['no iss beside the code', { callback: ({ iss: _, ...rest }) => rest }, 'response parameter "iss" (issuer) missing'],
  [
    'another iss beside the code',
    { callback: (rest) => ({ ...rest, iss: 'https://evil.example' }) },
    'unexpected "iss" (issuer) response parameter value',
  ],
  ['an invalid code', { callback: (rest) => ({ ...rest, code: 'stolen' }) }, 'token:invalid_grant'],
  ['no code', { callback: ({ code: _, ...rest }) => rest }, 'no authorization code in "callbackParameters"'],
]

function claims(change: Record<string, unknown>): Spoiling {
  return { claims: (all) => ({ ...all, ...change }) }
}

function hmac(all: object, key: string | Buffer): string {
  const input = `${part({ alg: 'HS256' })}.${part(all)}`
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
}

function changed(all: object): string {
  const [header, , signature] = signed({ ...all }, provider).split('.')
  return `${header}.${part({ ...all, sub: 'sub-of-another' })}.${signature}`
}

function critical(all: object): string {
  return signed({ ...all }, provider, { alg: 'ES256', kid: provider.keys.kid, crit: ['x'], x: 1 })
}

for (const [name, spoiling, reason] of NOT_PROVEN) {
  test(`the sign-in is not proven: ${name}`, async () => {
    provider.spoiling = spoiling
    const answer = await throughProvider(service, provider)
    provider.spoiling = {}
    assertTurnedAway(service, answer, 'oidc_not_proven', reason)
  })
}

const DISCOVERY = '/realm/.well-known/openid-configuration'
const FAULTY: readonly (readonly [name: string, spoiling: Spoiling, reason: string | RegExp, env?: object])[] = [
  [
    'it names another issuer',
    { metadata: (all) => ({ ...all, issuer: 'https://evil.example' }) },
    '"response" body "issuer" property does not match the expected value',
  ],
  [
    'it names almost this issuer',
    { metadata: (all) => ({ ...all, issuer: String(all.issuer).replace('http:', 'HTTP:') }) },
    'the issuer differs from VIDIMUS_OIDC_ISSUER',
  ],
  [
    'it sends us elsewhere',
    { at: { [DISCOVERY]: (_request, response) => void response.writeHead(301, { Location: '/x' }).end() } },
    'redirect:301',
  ],
  [
    'its metadata does not exist',
    { at: { [DISCOVERY]: (_request, response) => void response.writeHead(404).end() } },
    /Metadata response \(unexpected HTTP status code\)$/,
  ],
  [
    'it has no authorization endpoint',
    { metadata: ({ authorization_endpoint: _, ...all }) => all },
    'unreadable:TypeError',
  ],
  [
    'its authorization endpoint is a script',
    { metadata: (all) => ({ ...all, authorization_endpoint: 'javascript:alert(1)' }) },
    'only HTTP and HTTPS requests are allowed',
  ],
  ['its address is private and not allowed', {}, 'egress_denied:loopback', { VIDIMUS_EGRESS_ALLOW: '' }],
  ['no server listens', {}, 'connect_error:ECONNREFUSED', { VIDIMUS_OIDC_ISSUER: 'http://127.0.0.1:9' }],
]

for (const [name, spoiling, reason, env = null] of FAULTY) {
  test(`no one is redirected to the provider: ${name}; the other ways to sign in still work`, async () => {
    const fresh = env === null ? untried : await testService({}, { ...LOOPBACK, ...provider.env, ...env })
    provider.spoiling = spoiling
    const answer = await post(fresh, '/sign-in/oidc', {}, elsewhere())
    const finding = (await diagnose(fresh.deps)).find(({ area }) => area === 'OpenID provider')
    provider.spoiling = {}
    assert.equal(finding?.status, 'problem')
    assertRefused(answer, 502, 'oidc_unavailable')
    assert.equal(answer.headers['set-cookie'], undefined)
    const lines = fresh.logged.map((line) => JSON.parse(line))
    const noted = lines.find((line) => line.request_id === answer.headers['request-id'] && line.code !== undefined)
    if (reason instanceof RegExp) assert.match(noted.outcome, reason)
    else assert.equal(noted.outcome, reason)
    const wrong = await post(fresh, '/sign-in/password', { email: 'x@example.com', password: 'wrong' }, elsewhere())
    assertRefused(wrong, 401, 'sign_in_failed')
    assert.equal((await post(fresh, '/sign-in/passkey/options', {}, elsewhere())).status, 200)
  })
}

test('a provider that recovers is asked again at once', async () => {
  const fresh = untried
  provider.spoiling = { at: { [DISCOVERY]: (_request, response) => void response.writeHead(503).end() } }
  assertRefused(await post(fresh, '/sign-in/oidc', {}, elsewhere()), 502, 'oidc_unavailable')
  provider.spoiling = {}
  assert.equal((await post(fresh, '/sign-in/oidc', {}, elsewhere())).status, 200)
})

const atToken = (answer: (response: ServerResponse) => void): Spoiling => ({
  at: { '/realm/token': (_request, response) => answer(response) },
})
const JSON_TYPE = { 'Content-Type': 'application/json' }

const UNAVAILABLE: readonly (readonly [name: string, spoiling: Spoiling, reason: string | RegExp])[] = [
  [
    'the token endpoint fails',
    atToken((response) => response.writeHead(500).end()),
    /Token Endpoint response \(unexpected HTTP status code\)$/,
  ],
  [
    'it does not know our client',
    atToken((response) => response.writeHead(401, JSON_TYPE).end('{"error":"invalid_client"}')),
    'token:invalid_client',
  ],
  [
    'it sends us elsewhere',
    atToken((response) => response.writeHead(307, { Location: `${provider.issuer}/other` }).end()),
    'redirect:307',
  ],
  [
    'it sends too much',
    atToken((response) => response.writeHead(200, JSON_TYPE).end(Buffer.alloc(300 * 1024, 32))),
    'response_too_large:body',
  ],
  ['it hangs up', atToken((response) => response.destroy()), /^protocol_error:/],
  [
    'it sends a page',
    atToken((response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>')),
    /content-type must be application\/json/,
  ],
  [
    'it redirects the request for its keys',
    {
      at: {
        '/realm/jwks': (_request, response) =>
          void response.writeHead(302, { Location: 'http://127.0.0.1:9/jwks' }).end(),
      },
    },
    'redirect:302',
  ],
  [
    'it returns the error temporarily_unavailable',
    { callback: ({ code: _, ...rest }) => ({ ...rest, error: 'temporarily_unavailable' }) },
    'authorization:temporarily_unavailable',
  ],
]

for (const [name, spoiling, reason] of UNAVAILABLE) {
  test(`the provider counts as unavailable: ${name}`, async () => {
    provider.spoiling = spoiling
    const answer = await throughProvider(untried, provider)
    provider.spoiling = {}
    assertTurnedAway(untried, answer, 'oidc_unavailable', reason)
  })
}

test('a token endpoint that does not end its answer is abandoned', async () => {
  const reached = Promise.withResolvers<void>()
  const limits = { totalMilliseconds: 4_321 }
  const { egress, clock, config } = service.deps
  assert.ok(config.oidc !== null)
  // The time for a whole request is over when the endpoint has started to answer, however long that takes here.
  const after: typeof egress.live.after = (milliseconds, expire) => {
    if (milliseconds !== limits.totalMilliseconds) return egress.live.after(milliseconds, expire)
    let isCalledOff = false
    void reached.promise.then(() => isCalledOff || expire())
    return () => {
      isCalledOff = true
    }
  }
  const impatient = createOidcProvider(config.oidc, { egress: timedEgress(egress.live, after), clock, limits })
  const { url, cookie } = await begin(service)
  const parameters = new URL(provider.visit(url), provider.issuer).searchParams
  provider.spoiling = atToken((response) => {
    response.writeHead(200, JSON_TYPE).write('{')
    reached.resolve()
  })
  const back = { token: cookie.split('=')[1] ?? '', parameters, replaces: null }
  const ending = await finishOidcSignIn({ ...service.deps, oidc: impatient }, back).catch((error) => error)
  provider.spoiling = {}
  assert.ok(ending instanceof Refusal)
  assert.deepEqual([ending.code, ending.reason], ['oidc_unavailable', 'timeout:total'])
})

test('the person declines', async () => {
  provider.spoiling = {
    callback: ({ code: _, ...rest }) => ({ ...rest, error: 'access_denied', error_description: 'x' }),
  }
  const answer = await throughProvider(service, provider)
  provider.spoiling = {}
  assertTurnedAway(service, answer, 'oidc_declined', 'authorization:access_denied')
})

test('a return in another browser, or with another state, none or two, does not complete the sign-in that was started', async () => {
  const tokensAsked = () => provider.requests.filter((requested) => requested === '/realm/token').length
  const before = tokensAsked()
  const { url, cookie } = await begin(service)
  const path = provider.visit(url)
  const assertRefusedReturn = async (to: string, carried: string, reason: string) =>
    assertTurnedAway(service, await comeBack(service, to, carried), 'oidc_round_lost', reason)
  await assertRefusedReturn(path, '', 'no cookie')
  await assertRefusedReturn(path, 'vidimus-oidc=x', 'no cookie')
  await assertRefusedReturn(path, `${cookie}; ${cookie}`, 'no cookie')
  await assertRefusedReturn(path, '__Host-vidimus-oidc=short', 'no cookie')
  await assertRefusedReturn(path, (await begin(service)).cookie, 'another state')
  await assertRefusedReturn(path.replace(/state=[^&]*/, 'state=x'), cookie, 'another state')
  await assertRefusedReturn(path.replace(/state=[^&]*&/, ''), cookie, 'another state')
  await assertRefusedReturn(`${path}&state=x`, cookie, 'another state')
  await assertRefusedReturn(CALLBACK, cookie, 'another state')
  assert.equal(tokensAsked(), before)
  // None of it used up the sign-in that was started.
  assert.ok(sessionOf(await comeBack(service, path, cookie)))
})

test('a sign-in at the provider works once, for ten minutes', async () => {
  const { url, cookie } = await begin(service)
  const path = provider.visit(url)
  const answers = await Promise.all([1, 2, 3].map(() => comeBack(service, path, cookie)))
  const [lost, alsoLost] = answers.filter(({ headers }) => headers.location !== '/dashboard/signed-in')
  assert.ok(lost !== undefined && alsoLost !== undefined)
  assertTurnedAway(service, lost, 'oidc_round_lost', 'used or too late')
  const late = await begin(service)
  const latePath = provider.visit(late.url)
  service.clock.advance(10 * 60_000)
  assertTurnedAway(service, await comeBack(service, latePath, late.cookie), 'oidc_round_lost', 'used or too late')
})

test('an unknown token starts no sign-in', async () => {
  const token = Buffer.alloc(32, 5).toString('base64url')
  const path = `${CALLBACK}?${new URLSearchParams({ code: 'x', state: roundOf(token).state })}`
  const answer = await comeBack(service, path, `__Host-vidimus-oidc=${token}`)
  assertTurnedAway(service, answer, 'oidc_round_lost', 'used or too late')
})

test('an internal token endpoint cannot be reached through an allowed provider', async () => {
  const fresh = await testService({}, { ...LOOPBACK, ...provider.env })
  fresh.clock.set(service.clock.now())
  provider.spoiling = { metadata: (all) => ({ ...all, token_endpoint: 'http://127.0.0.2/token' }) }
  const answer = await throughProvider(fresh, provider)
  provider.spoiling = {}
  assertTurnedAway(fresh, answer, 'oidc_unavailable', 'egress_denied:loopback')
})

test('a provider that expects the secret in the form gets it there', async () => {
  const fresh = await testService({}, { ...LOOPBACK, ...provider.env })
  await invite(fresh.deps, { ...invitation, tenantId: await fresh.tenant() })
  fresh.clock.set(service.clock.now())
  const methods = (...names: string[]): Spoiling => ({
    metadata: (all) => ({ ...all, token_endpoint_auth_methods_supported: names }),
  })
  provider.spoiling = methods('client_secret_post')
  assert.ok(sessionOf(await throughProvider(fresh, provider)))
  fresh.clock.advance(10 * 60_000)
  service.clock.advance(10 * 60_000)
  provider.spoiling = methods('private_key_jwt')
  const answer = await throughProvider(fresh, provider)
  provider.spoiling = {}
  assertTurnedAway(fresh, answer, 'oidc_not_proven', 'the provider takes no client secret')
})

test('without a provider the addresses of its sign-in do not exist', async () => {
  const plain = await testService()
  assert.deepEqual((await plain.call('GET', '/dashboard/api/sign-in/ways')).json, { oidc: null, lost_access: null })
  assertRefused(await post(plain, '/sign-in/oidc', {}, elsewhere()), 404, 'not_found')
  assertRefused(await plain.call('GET', CALLBACK), 404, 'not_found')
})

test('after all these refusals a normal sign-in still works', async () => {
  assert.ok(sessionOf(await throughProvider(service, provider)))
})

// Tests clients of the FAPI 2.0 Security Profile and DPoP, with oauth4webapi and with faulty calls.

import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import test from 'node:test'
import * as oauth from 'oauth4webapi'
import { createClient } from '../../src/features/oidc/usecases/manage-clients.ts'
import { runJob } from '../harness/jobs.ts'
import { quickSignIn, TERMS, testClient, visit } from '../harness/openid-client.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { fetchInto, testWallet } from '../harness/wallet.ts'
import {
  authorizeUrl,
  CALLBACK,
  CHALLENGE,
  callToken,
  callUserinfo,
  codeFor,
  ownSecret,
  pathOf,
  VERIFIER,
  withFullDisk,
} from './callers.ts'

const fullWidth = (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)

const service = await testService()
const wallet = await testWallet(service)
const tenantId = await service.tenant()
const now = () => Math.floor(service.clock.now() / 1000)

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const [own, bound, foreign] = [pair(), pair(), pair()]
const jwkOf = ({ publicKey }: ReturnType<typeof pair>) => publicKey.export({ format: 'jwk' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwks = JSON.stringify({ keys: [jwkOf(own), rsa.publicKey.export({ format: 'jwk' })] })
const FAPI = { redirectUris: [CALLBACK], jwks, profile: 'fapi2', idTokenAlg: 'ES256', claimsInIdToken: false } as const
const bank = await testClient(service, tenantId, { ...FAPI, authMethod: 'private_key_jwt' })

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function signed(header: object, payload: object, key: KeyObject): string {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

const assertion = (change: object = {}, { alg, key } = { alg: 'ES256', key: own.privateKey }) =>
  signed(
    { alg },
    {
      ...{ iss: bank.client.id, sub: bank.client.id, aud: bank.issuer, exp: now() + 60, iat: now() },
      ...{ jti: randomUUID(), ...change },
    },
    key,
  )

const authenticated = (text = assertion()) => ({
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: text,
})

const ASKED = {
  ...{ redirect_uri: CALLBACK, response_type: 'code', scope: 'openid vidimus:identity', state: 'st' },
  ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
}

interface Wrong {
  readonly header?: object
  readonly payload?: object
  readonly by?: ReturnType<typeof pair>
}

function proofFor(method: string, path: string, token: string | null, { header, payload, by = bound }: Wrong = {}) {
  const ath = token === null ? {} : { ath: createHash('sha256').update(token).digest('base64url') }
  const proofClaims = { jti: randomUUID(), htm: method, htu: `${bank.issuer}${path}`, iat: now(), ...ath, ...payload }
  return signed({ typ: 'dpop+jwt', alg: 'ES256', jwk: jwkOf(by), ...header }, proofClaims, by.privateKey)
}

const send = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  service.call('POST', pathOf(bank, path), {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    raw: new URLSearchParams(form).toString(),
  })

const push = (change: Record<string, string> = {}, headers?: Record<string, string>) =>
  send('/par', { ...ASKED, ...authenticated(), ...change }, headers)

async function codeOf(change?: Record<string, string>, headers?: Record<string, string>): Promise<string> {
  const pushed = await push(change, headers)
  assert.equal(pushed.status, 201, pushed.text)
  const query = new URLSearchParams({ client_id: bank.client.id, request_uri: pushed.json.request_uri })
  const { location } = await quickSignIn(service, { url: new URL(`${bank.issuer}/authorize?${query}`), wallet })
  assert.equal(location.searchParams.get('iss'), bank.issuer)
  return location.searchParams.get('code') ?? ''
}

const redeem = (code: string, dpop: string | null, change: Record<string, string> = {}) =>
  send(
    '/token',
    {
      ...{ grant_type: 'authorization_code', redirect_uri: CALLBACK, code_verifier: VERIFIER, code },
      ...authenticated(),
      ...change,
    },
    dpop === null ? {} : { dpop },
  )

test('oauth4webapi signs in with all that FAPI 2.0 requires: pushed request, private_key_jwt, PKCE, iss and a token bound by DPoP', async () => {
  const into = fetchInto(service)
  const options = { [oauth.customFetch]: (url: string, init: RequestInit) => into(url, init) } as object
  const issuer = new URL(bank.issuer)
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
  assert.deepEqual(as.dpop_signing_alg_values_supported, ['ES256'])
  assert.equal(as.authorization_response_iss_parameter_supported, true)
  // Computed now, because the service's clock is stopped and the library's is not.
  const clockSkew = Math.round((service.clock.now() - Date.now()) / 1000)
  const client: oauth.Client = { client_id: bank.client.id, [oauth.clockSkew]: clockSkew }
  const key = await crypto.subtle.importKey(
    'jwk',
    own.privateKey.export({ format: 'jwk' }) as JsonWebKey,
    { name: 'ECDSA', namedCurve: 'P-256' },
    false,
    ['sign'],
  )
  const auth = oauth.PrivateKeyJwt(key)
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
  const calls = { ...options, DPoP }
  const pushed = await oauth.processPushedAuthorizationResponse(
    as,
    client,
    await oauth.pushedAuthorizationRequest(as, client, auth, ASKED, calls),
  )
  const url = new URL(as.authorization_endpoint ?? '')
  url.search = new URLSearchParams({ client_id: client.client_id, request_uri: pushed.request_uri }).toString()
  const { location } = await quickSignIn(service, { url, wallet })
  const answer = oauth.validateAuthResponse(as, client, location, 'st')
  const response = await oauth.authorizationCodeGrantRequest(as, client, auth, answer, CALLBACK, VERIFIER, calls)
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response)
  assert.equal(tokens.token_type, 'dpop')
  const { sub = '' } = oauth.getValidatedIdTokenClaims(tokens) ?? {}
  const userinfo = await oauth.processUserInfoResponse(
    as,
    client,
    sub,
    await oauth.userInfoRequest(as, client, tokens.access_token, calls),
  )
  assert.equal(userinfo.given_name, 'Vida')
  assert.equal((await callUserinfo(service, bank, tokens.access_token)).status, 401, 'not as a bearer')
})

test('without a pushed request or without PKCE there is no sign-in', async () => {
  const url = authorizeUrl(bank)
  const { location } = await visit(service, url.pathname + url.search)
  assert.match(location, /error=invalid_request&error_description=this\+client\+must\+push/)
  assert.equal((await push({ code_challenge: '', code_challenge_method: '' })).json.error, 'invalid_request')
  assert.equal((await push({ code_challenge_method: 'plain' })).json.error, 'invalid_request')
  assert.equal((await push({ response_type: 'code id_token' })).json.error, 'unsupported_response_type')
})

test('the audience of an assertion is only the issuer, and RS256 is refused', async () => {
  for (const aud of [`${bank.issuer}/par`, `${bank.issuer}/token`, [bank.issuer], [`${bank.issuer}/par`]])
    assert.equal((await push(authenticated(assertion({ aud })))).status, 401, String(aud))
  const byRsa = assertion({}, { alg: 'RS256', key: rsa.privateKey })
  assert.equal((await push(authenticated(byRsa))).status, 401)
  const once = authenticated()
  assert.deepEqual([(await push(once)).status, (await push(once)).status], [201, 401], 'each assertion once')
})

test('a token needs a proof of possession of the key that the request named', async () => {
  assert.equal((await redeem(await codeOf(), null)).json.error, 'invalid_dpop_proof')
  const jkt = createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x: jwkOf(bound).x, y: jwkOf(bound).y }))
    .digest('base64url')
  const other = () => proofFor('POST', '/token', null, { by: foreign })
  const mine = () => proofFor('POST', '/token', null)
  assert.equal((await redeem(await codeOf({ dpop_jkt: jkt }), other())).json.error, 'invalid_grant')
  assert.equal((await redeem(await codeOf({ dpop_jkt: jkt }), mine())).json.token_type, 'DPoP')
  const atPush = () => ({ dpop: proofFor('POST', '/par', null) })
  assert.equal((await redeem(await codeOf({}, atPush()), other())).json.error, 'invalid_grant')
  assert.equal((await redeem(await codeOf({}, atPush()), mine())).status, 200)
  assert.equal((await push({ dpop_jkt: 'x'.repeat(43) }, atPush())).json.error, 'invalid_dpop_proof')
  assert.equal((await push({ dpop_jkt: 'short' })).json.error, 'invalid_request')
  const used = mine()
  assert.equal((await redeem(await codeOf(), used)).status, 200)
  assert.equal((await redeem(await codeOf(), used)).json.error, 'invalid_dpop_proof', 'each proof once')
})

const symmetric = { kty: 'oct', k: 'AAAA' }
const WRONG: readonly [string, () => Wrong][] = [
  ['without typ', () => ({ header: { typ: undefined } })],
  ['with another typ', () => ({ header: { typ: 'JWT' } })],
  ['without alg', () => ({ header: { alg: undefined } })],
  ['with alg none', () => ({ header: { alg: 'none' } })],
  ['with alg RS256', () => ({ header: { alg: 'RS256' } })],
  ['without a key', () => ({ header: { jwk: undefined } })],
  ['with its private key', () => ({ header: { jwk: bound.privateKey.export({ format: 'jwk' }) } })],
  ['with a symmetric key', () => ({ header: { jwk: symmetric } })],
  ['by another key than it names', () => ({ header: { jwk: jwkOf(foreign) } })],
  ['of another key than the token', () => ({ by: foreign })],
  ['without jti', () => ({ payload: { jti: undefined } })],
  ['without htm', () => ({ payload: { htm: undefined } })],
  ['with another htm', () => ({ payload: { htm: 'POST' } })],
  ['without htu', () => ({ payload: { htu: undefined } })],
  ['with another htu', () => ({ payload: { htu: `${bank.issuer}/token` } })],
  // The first letter of the host in its full-width form, which URL parsers turn into the usual letter.
  [
    'with an htu beyond ASCII',
    () => ({ payload: { htu: `${bank.issuer}/userinfo`.replace(/(?<=\/\/)./, fullWidth) } }),
  ],
  ['without iat', () => ({ payload: { iat: undefined } })],
  ['an hour old', () => ({ payload: { iat: now() - 3_600 } })],
  ['an hour ahead', () => ({ payload: { iat: now() + 3_600 } })],
  ['that has expired', () => ({ payload: { exp: now() - 120 } })],
  ['that is not valid yet', () => ({ payload: { nbf: now() + 120 } })],
  ['without ath', () => ({ payload: { ath: undefined } })],
  ['with another ath', () => ({ payload: { ath: 'x' } })],
]
test('userinfo accepts the token only with a valid proof, and each proof once', async () => {
  const token: string = (await redeem(await codeOf(), proofFor('POST', '/token', null))).json.access_token
  const read = async (dpop: string | null, scheme = 'DPoP') =>
    service.call('GET', pathOf(bank, '/userinfo'), {
      headers: { authorization: `${scheme} ${token}`, ...(dpop === null ? {} : { dpop }) },
    })
  const proof = (wrong?: Wrong) => proofFor('GET', '/userinfo', token, wrong)
  assert.equal((await read(proof())).status, 200)
  assert.equal((await read(proof(), 'dpop')).status, 200, 'schemes have no case')
  assert.equal((await read(proof({ payload: { htu: `${bank.issuer}/userinfo?a=b#c` } }))).status, 200)
  for (const iat of [now() - 10, now() + 10]) assert.equal((await read(proof({ payload: { iat } }))).status, 200)
  const once = proof()
  assert.deepEqual([(await read(once)).status, (await read(once)).status], [200, 401])
  for (const [what, wrong] of WRONG) {
    const { status, headers } = await read(proof(wrong()))
    assert.equal(status, 401, what)
    assert.match(String(headers['www-authenticate']), /^DPoP error="invalid_(?:token|dpop_proof)", algs="ES256"$/, what)
  }
  assert.equal((await read('no.jwt')).status, 401)
  assert.equal((await read(`${proof()}, ${proof()}`)).status, 401, 'two proofs')
  assert.equal((await read(null)).status, 401, 'no proof')
  assert.equal((await read(proof(), 'Bearer')).status, 401, 'as a bearer, with a proof')
  assert.equal((await read(null, 'Bearer')).status, 401, 'as a bearer')
  assert.equal((await read(proof())).status, 200, 'and the token still works')
})

test('a proof is remembered for as long as it would be accepted', async () => {
  const token: string = (await redeem(await codeOf(), proofFor('POST', '/token', null))).json.access_token
  const dpop = proofFor('GET', '/userinfo', token, { payload: { iat: service.clock.now() / 1000 } })
  const read = () =>
    service.call('GET', pathOf(bank, '/userinfo'), { headers: { authorization: `DPoP ${token}`, dpop } })
  assert.equal((await read()).status, 200)
  service.clock.advance(60_000)
  await runJob(service.deps, 'forget-authorizations')
  assert.equal((await read()).status, 401)
})

test('other clients may bind their tokens, too', async () => {
  const shop = await testClient(service, tenantId, { redirectUris: [CALLBACK] })
  const { location } = await quickSignIn(service, { url: authorizeUrl(shop), wallet })
  const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code_verifier: VERIFIER }
  const code = location.searchParams.get('code') ?? ''
  const own = ownSecret(shop)
  const secret = { client_id: own.client_id, client_secret: own.client_secret ?? '' }
  const dpop = proofFor('POST', '/token', null)
  const { json } = await send('/token', { ...form, ...secret, code }, { dpop })
  assert.equal(json.token_type, 'DPoP')
  assert.equal((await callUserinfo(service, shop, json.access_token)).status, 401)
})

test('if the store cannot record a proof, the same code works with the next one; a used proof uses up the code', async () => {
  const shop = await testClient(service, tenantId, { redirectUris: [CALLBACK] })
  const token = (code: string, dpop: string) => callToken(service, shop, { ...ownSecret(shop), code }, { dpop })
  const proof = () => proofFor('POST', '/token', null)
  const [code, next] = [await codeFor(service, wallet, shop), await codeFor(service, wallet, shop)]
  for (const rows of [
    'before insert on oidc_assertions for each row',
    'before update on oidc_authorizations for each row when (new.code_used_at is not null)',
  ])
    assertRefused(await withFullDisk(service, rows, () => token(code, proof())), 503, 'unavailable')
  const used = proof()
  assert.equal((await token(code, used)).json.token_type, 'DPoP')
  assert.equal((await token(next, used)).json.error, 'invalid_dpop_proof')
  assert.equal((await token(next, proof())).json.error, 'invalid_grant')
})

test('the profile needs a key on P-256, ES256 and https', async () => {
  const realm = { tenantId, environment: 'test' } as const
  const make = (authMethod: 'private_key_jwt' | 'client_secret' | 'none', change: object) =>
    createClient(service.deps, { realm, actor: OPERATOR, authMethod, terms: { ...TERMS, ...FAPI, ...change } })
  const refused = { outcome: 'refused', problem: 'fapi2' }
  assert.deepEqual(await make('client_secret', {}), refused)
  assert.deepEqual(await make('none', {}), refused)
  assert.deepEqual(await make('private_key_jwt', { idTokenAlg: 'RS256' }), refused)
  assert.deepEqual(await make('private_key_jwt', { redirectUris: ['http://localhost/cb'] }), refused)
  const onlyRsa = JSON.stringify({ keys: [rsa.publicKey.export({ format: 'jwk' })] })
  assert.deepEqual(await make('private_key_jwt', { jwks: onlyRsa }), refused)
  assert.equal((await make('private_key_jwt', {})).outcome, 'done')
})

// Tests the request object rule by rule (OpenID4VP §5, HAIP §5; docs/protocol/request.md).

import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, verify as verifySignature, X509Certificate } from 'node:crypto'
import test from 'node:test'
import { compactDecrypt, decodeProtectedHeader } from 'jose'
import { loadAuthority } from '../../src/features/trust/store/certificates.ts'
import { millisecondsOf } from '../../src/platform/world.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, decode, FORM, respond, validBody } from './verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const key = await service.key(await service.tenant())
const PURPOSE = 'To open an account for you'

// biome-ignore lint/suspicious/noExplicitAny: a test reads any claim
type Claims = any

const created = await create(service, key, { template: 'identity', purpose: PURPOSE })
const path = `/wallet/request/${created.id}`
const fetched = await service.call('GET', path)
const { header, claims } = decode(fetched.text) as { header: Claims; claims: Claims }
const leaf = new X509Certificate(Buffer.from(header.x5c[0], 'base64'))

test('the answer is 200, application/oauth-authz-req+jwt, never stored, a compact JWS', () => {
  assert.equal(fetched.status, 200)
  assert.equal(fetched.headers['content-type'], 'application/oauth-authz-req+jwt')
  assert.equal(fetched.headers['cache-control'], 'no-store')
  assert.match(fetched.text, /^[\w-]+\.[\w-]+\.[\w-]{86}$/)
})

test('typ is oauth-authz-req+jwt, alg ES256, and the header has only these and x5c', () => {
  assert.deepEqual(Object.keys(header).sort(), ['alg', 'typ', 'x5c'])
  assert.equal(header.typ, 'oauth-authz-req+jwt')
  assert.equal(header.alg, 'ES256')
})

test('x5c is standard base64, leaf first, without the anchor; the leaf is not self-signed and its key signed this', async () => {
  for (const text of header.x5c) assert.match(text, /^[A-Za-z0-9+/]+={0,2}$/)
  assert.ok(!leaf.checkIssued(leaf))
  const authority = await loadAuthority(service.deps.db, 'test')
  assert.ok(authority !== null && leaf.checkIssued(new X509Certificate(authority.certificate)))
  assert.ok(!header.x5c.includes(Buffer.from(authority.certificate).toString('base64')))
  const at = fetched.text.lastIndexOf('.')
  const signature = Buffer.from(fetched.text.slice(at + 1), 'base64url')
  const signed = Buffer.from(fetched.text.slice(0, at))
  assert.ok(verifySignature('sha256', signed, { key: leaf.publicKey, dsaEncoding: 'ieee-p1363' }, signature))
})

test('N217: client_id is x509_hash of the leaf, the same inside and in the link', () => {
  assert.equal(claims.client_id, `x509_hash:${createHash('sha256').update(leaf.raw).digest('base64url')}`)
  assert.equal(new URL(created.wallet_uri).searchParams.get('client_id'), claims.client_id)
})

test('the link has only client_id, request_uri and request_uri_method=post, in lower case (N024)', () => {
  const link = new URL(created.wallet_uri)
  assert.equal(link.protocol, 'openid4vp:')
  assert.deepEqual([...link.searchParams.keys()], ['client_id', 'request_uri', 'request_uri_method'])
  assert.equal(link.searchParams.get('request_uri_method'), 'post')
  assert.equal(link.searchParams.get('request_uri'), created.request_uri)
  assert.equal(created.request_uri, `https://verify.example.com${path}`)
})

test('aud, response_type, response_mode and response_uri are those of the redirect flow', () => {
  assert.equal(claims.aud, 'https://self-issued.me/v2')
  assert.equal(claims.response_type, 'vp_token')
  assert.equal(claims.response_mode, 'direct_post.jwt')
  assert.equal(claims.response_uri, `https://verify.example.com/wallet/response/${created.id}`)
})

test('nonce and state are 43 characters of base64url, and not the same', () => {
  assert.match(claims.nonce, /^[\w-]{43}$/)
  assert.match(claims.state, /^[\w-]{43}$/)
  assert.notEqual(claims.nonce, claims.state)
})

test('iat is now and exp is the end of the verification', () => {
  assert.equal(claims.iat, Math.floor(service.clock.now() / 1000))
  assert.equal(claims.exp, Math.ceil(millisecondsOf(created.expires_at) / 1000))
})

test('members that are forbidden, outdated or not needed are absent', () => {
  const forbidden = ['iss', 'sub', 'request', 'request_uri', 'request_uri_method', 'redirect_uri', 'scope']
  const old = ['presentation_definition', 'client_id_scheme', 'wallet_nonce', 'transaction_data']
  for (const name of [...forbidden, ...old]) assert.ok(!(name in claims), name)
})

test('client_metadata has jwks, both encryptions and the requested formats, and nothing else', () => {
  const { client_metadata: metadata } = claims
  assert.deepEqual(Object.keys(metadata).sort(), [
    'encrypted_response_enc_values_supported',
    'jwks',
    'vp_formats_supported',
  ])
  assert.deepEqual([...metadata.encrypted_response_enc_values_supported].sort(), ['A128GCM', 'A256GCM'])
  assert.deepEqual(Object.keys(metadata.vp_formats_supported).sort(), ['dc+sd-jwt', 'mso_mdoc'])
  assert.ok(metadata.vp_formats_supported['dc+sd-jwt']['sd-jwt_alg_values'].includes('ES256'))
  for (const id of metadata.vp_formats_supported.mso_mdoc.issuerauth_alg_values) assert.ok(Number.isInteger(id))
})

test('the encryption key is one public P-256 key with use, alg and kid', () => {
  const [jwk, ...more] = claims.client_metadata.jwks.keys
  assert.deepEqual(more, [])
  assert.deepEqual(Object.keys(jwk).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  assert.deepEqual([jwk.kty, jwk.crv, jwk.use, jwk.alg], ['EC', 'P-256', 'enc', 'ECDH-ES'])
})

test('the purpose is mirrored into the query', () => {
  for (const set of claims.dcql_query.credential_sets) assert.equal(set.purpose, PURPOSE)
})

test('N021: a request object that is fetched again has the same nonce, state and key, and a fresh signature', async () => {
  service.clock.advance(2000)
  const again = await service.call('GET', path)
  const second = decode(again.text).claims as Claims
  assert.notEqual(again.text, fetched.text)
  assert.equal(second.nonce, claims.nonce)
  assert.equal(second.state, claims.state)
  assert.deepEqual(second.client_metadata, claims.client_metadata)
  assert.equal(second.iat, claims.iat + 2)
})

for (const nonce of ['abc', 'ümläut "quoted" \\ \u2028 日本 🎉', 'x'.repeat(512)]) {
  test(`N022: wallet_nonce is echoed unchanged (${nonce.length} characters)`, async () => {
    const answer = await service.call('POST', path, {
      headers: FORM,
      raw: new URLSearchParams({ wallet_nonce: nonce }).toString(),
    })
    assert.equal((decode(answer.text).claims as Claims).wallet_nonce, nonce)
  })
}

test('N022, N025: a field that is too long, repeated, not JSON or deeply nested is refused', async () => {
  const bodies: [string, number, string][] = [
    [`wallet_nonce=${'x'.repeat(513)}`, 400, 'invalid_request'],
    ['wallet_nonce=', 400, 'invalid_request'],
    ['wallet_nonce=a&wallet_nonce=b', 400, 'invalid_request'],
    ['wallet_nonce=%ff', 400, 'invalid_request'],
    ['wallet_metadata=nonsense', 400, 'invalid_request'],
    ['wallet_metadata=[]', 400, 'invalid_request'],
    [`wallet_metadata=${'['.repeat(5000)}${']'.repeat(5000)}`, 400, 'invalid_request'],
    [`wallet_metadata=${'x'.repeat(1_000_000)}`, 413, 'payload_too_large'],
  ]
  for (const [raw, status, code] of bodies) {
    assertRefused(await service.call('POST', path, { headers: FORM, raw }), status, code)
  }
})

test('N023: no wallet_nonce on GET, nor when the wallet posts none; unknown fields are ignored', async () => {
  assert.ok(!('wallet_nonce' in (decode((await service.call('GET', `${path}?wallet_nonce=x`)).text).claims as Claims)))
  const posted = await service.call('POST', path, { headers: FORM, raw: 'other=1&wallet_metadata=%7B%7D' })
  assert.ok(!('wallet_nonce' in (decode(posted.text).claims as Claims)))
  assert.equal((await service.call('POST', path)).status, 200)
})

const ENCRYPTION = {
  request_object_encryption_alg_values_supported: ['ECDH-ES', 'ECDH-ES+A256KW'],
  request_object_encryption_enc_values_supported: ['A128CBC-HS256', 'A128GCM', 'A256GCM'],
}

function walletKey(namedCurve: string, change: object = {}) {
  const pair = generateKeyPairSync('ec', { namedCurve })
  return { ...pair, jwk: { ...pair.publicKey.export({ format: 'jwk' }), use: 'enc', kid: 'w-1', ...change } }
}

const posting = (metadata: object, nonce = 'abc') =>
  service.call('POST', path, {
    headers: FORM,
    raw: new URLSearchParams({ wallet_nonce: nonce, wallet_metadata: JSON.stringify(metadata) }).toString(),
  })

test('a wallet that sends a key on P-256 gets the signed request object in a JWE for it alone', async () => {
  const { privateKey, jwk } = walletKey('P-256')
  const answer = await posting({ jwks: { keys: [jwk] }, ...ENCRYPTION })
  assert.equal(answer.headers['content-type'], 'application/oauth-authz-req+jwt')
  const { plaintext, protectedHeader } = await compactDecrypt(answer.text, privateKey)
  const { epk, ...rest } = protectedHeader
  assert.deepEqual(Object.keys(epk ?? {}).sort(), ['crv', 'kty', 'x', 'y'])
  assert.deepEqual(rest, { alg: 'ECDH-ES', enc: 'A256GCM', typ: 'oauth-authz-req+jwt', cty: 'JWT', kid: 'w-1' })
  const inner = Buffer.from(plaintext).toString()
  assert.equal((decode(inner).header as Claims).typ, 'oauth-authz-req+jwt')
  assert.equal((decode(inner).claims as Claims).wallet_nonce, 'abc')
  const [signed, signature] = [inner.slice(0, inner.lastIndexOf('.')), inner.slice(inner.lastIndexOf('.') + 1)]
  const verifying = { key: leaf.publicKey, dsaEncoding: 'ieee-p1363' } as const
  assert.ok(verifySignature('sha256', Buffer.from(signed), verifying, Buffer.from(signature, 'base64url')))
  const again = await posting({ jwks: { keys: [jwk] }, ...ENCRYPTION })
  assert.notDeepEqual(decodeProtectedHeader(again.text).epk, epk)
})

test("the first usable key counts, with the wallet's enc for requests, or else its enc for responses", async () => {
  const { jwk, privateKey } = walletKey('P-256', { alg: 'ECDH-ES', kid: undefined })
  const keys = [
    { kty: 'RSA', n: 'AQAB', e: 'AQAB' },
    'nonsense',
    walletKey('P-521', { alg: 'RSA-OAEP' }).jwk,
    walletKey('P-256', { use: 'sig', alg: 'ECDH-ES' }).jwk,
    jwk,
  ]
  const answer = await posting({ jwks: { keys }, authorization_encryption_enc_values_supported: ['A128GCM'] })
  const { protectedHeader } = await compactDecrypt(answer.text, privateKey)
  assert.equal(protectedHeader.enc, 'A128GCM')
  assert.equal('kid' in protectedHeader, false)
})

test('if a wallet offers nothing that we support, the request object is signed and unencrypted', async () => {
  const { jwk } = walletKey('P-256')
  const off = { ...jwk, y: jwk.x }
  const keys = [jwk]
  const many = [...Array(8).fill({ kty: 'RSA' }), jwk]
  for (const metadata of [
    {},
    { jwks: { keys } },
    { jwks: { keys: [] }, ...ENCRYPTION },
    { jwks: [], ...ENCRYPTION },
    { jwks: { keys: many }, ...ENCRYPTION },
    { jwks: { keys: [off] }, ...ENCRYPTION },
    { jwks: { keys: [{ ...jwk, kid: 'x'.repeat(257) }] }, ...ENCRYPTION },
    { jwks: { keys: [{ ...jwk, alg: 'ECDH-ES+A128KW' }] }, ...ENCRYPTION },
    { jwks: { keys: [{ ...jwk, key_ops: ['verify'] }] }, ...ENCRYPTION },
    { jwks: { keys: [walletKey('secp256k1').jwk] }, ...ENCRYPTION },
    { jwks: { keys }, ...ENCRYPTION, request_object_encryption_alg_values_supported: ['RSA-OAEP'] },
    { jwks: { keys }, ...ENCRYPTION, request_object_encryption_enc_values_supported: ['A192GCM'] },
    { jwks: { keys }, authorization_encryption_enc_values_supported: ['A128GCM'] },
  ]) {
    const answer = await posting(metadata)
    assert.equal(answer.status, 200)
    assert.equal(answer.text.split('.').length, 3, JSON.stringify(metadata))
  }
})

test('a request for the request object in JSON is 415', async () => {
  assertRefused(await service.call('POST', path, { body: {} }), 415, 'unsupported_media_type')
})

test('404 for an unknown id, 409 once answered, 410 past the end, each in the envelope', async () => {
  for (const id of [`ver_${'a'.repeat(32)}`, 'x', `${created.id}x`]) {
    assertRefused(await service.call('GET', `/wallet/request/${id}`), 404, 'session_not_found')
    assertRefused(await service.call('POST', `/wallet/request/${id}`), 404, 'session_not_found')
  }
  const answered = await create(service, key)
  const request = await wallet.request(answered.wallet_uri)
  assert.equal((await respond(service, answered.id, await validBody(wallet, request))).status, 200)
  assertRefused(await service.call('GET', `/wallet/request/${answered.id}`), 409, 'session_already_responded')
  const late = await create(service, key, { template: 'identity', ttl_seconds: 60 })
  service.clock.advance(60_001)
  assertRefused(await service.call('POST', `/wallet/request/${late.id}`), 410, 'session_expired')
})

test('N026, N027: nonces, states and keys are never used twice', async () => {
  const seen = new Set<string>()
  const ids = await Promise.all(Array.from({ length: 100 }, () => create(service, key)))
  for (const { id } of ids) {
    const { claims: found } = decode((await service.call('GET', `/wallet/request/${id}`)).text) as { claims: Claims }
    for (const value of [found.nonce, found.state, found.client_metadata.jwks.keys[0].x]) {
      assert.ok(!seen.has(value))
      seen.add(value)
    }
  }
})

test('the first fetch of the request is recorded', async () => {
  const { id } = await create(service, key)
  const at = service.clock.now()
  await service.call('GET', `/wallet/request/${id}`)
  service.clock.advance(5000)
  await service.call('GET', `/wallet/request/${id}`)
  await service.deps.fetchNotes.flush()
  const [row] = await service.deps.db.query<{ at: string }>(
    { name: 'test_fetched_at', text: 'select request_fetched_at as at from verifications where id = $1' },
    [id],
  )
  assert.equal(Date.parse(row?.at ?? ''), at)
})

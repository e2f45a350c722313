// Tests how the test wallet verifies request objects.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintAuthority, mintIntermediate, mintSigner } from '../src/authorities.ts'
import { generateKey, sha256, toBase64url } from '../src/keys.ts'
import { certificateBytes } from '../src/pki.ts'
import { REQUEST_FAULTS, type RequestFault, RequestRefused } from '../src/refusal.ts'
import { fetchRequest, verifyRequestObject } from '../src/request.ts'
import { parseWalletUri } from '../src/wallet-uri.ts'
import {
  access,
  authority,
  encryptionKey,
  hashId,
  link,
  metadata,
  now,
  QUERY,
  requestClaims,
  type Signing,
  signRequest,
  verifierFetch,
} from './verifier.ts'

const period = { notBefore: now - 86_400, notAfter: now + 86_400 }
const expected = { clientId: hashId, walletNonce: null, now, trusted: [certificateBytes(authority)] }
const seen = new Set<RequestFault>()

async function refuses(fault: RequestFault, attempt: () => Promise<unknown> | unknown): Promise<void> {
  seen.add(fault)
  await assert.rejects(
    async () => attempt(),
    (error: unknown) => error instanceof RequestRefused && error.fault === fault,
  )
}

const hashOf = (certificate: string) => `x509_hash:${toBase64url(sha256(Buffer.from(certificate, 'base64')))}`

test('reads a valid request', async () => {
  const request = await verifyRequestObject(await signRequest(requestClaims()), expected)
  assert.equal(request.responseMode, 'direct_post.jwt')
  assert.equal(request.encryption?.enc, 'A256GCM')
  assert.match(request.verifier.subject, /Example verifier/)
})

test('fetches by GET and by POST, and requires its wallet nonce in the request', async () => {
  for (const method of ['get', 'post'] as const) {
    const { fetch } = verifierFetch(requestClaims())
    assert.equal((await fetchRequest(link(hashId, method), { fetch, now })).clientId, hashId)
  }
})

test('x509_san_dns must name the host of the certificate and of the response_uri', async () => {
  const clientId = 'x509_san_dns:verifier.example'
  const claims = requestClaims({ client_id: clientId })
  assert.equal((await verifyRequestObject(await signRequest(claims), { ...expected, clientId })).clientId, clientId)
})

const LINKS: readonly [RequestFault, string][] = [
  ['wallet_uri_invalid', 'https://verifier.example/?client_id=a&request_uri=https://b'],
  ['wallet_uri_invalid', 'openid4vp://'],
  ['client_id_missing', 'openid4vp://?request_uri=https://verifier.example/r'],
  ['request_uri_missing', 'openid4vp://?client_id=a'],
  ['request_uri_insecure', 'openid4vp://?client_id=a&request_uri=http://verifier.example/r'],
  ['request_uri_insecure', 'openid4vp://?client_id=a&request_uri=https://verifier.example/r%23x'],
  [
    'request_uri_method_invalid',
    'openid4vp://?client_id=a&request_uri=https://verifier.example/r&request_uri_method=POST',
  ],
  ['outer_parameter_unexpected', 'openid4vp://?client_id=a&request_uri=https://verifier.example/r&nonce=1'],
  ['parameter_repeated', 'openid4vp://?client_id=a&client_id=b&request_uri=https://verifier.example/r'],
]

for (const [fault, uri] of LINKS) test(`${fault}: ${uri}`, () => refuses(fault, () => parseWalletUri(uri)))

test('accepts plain http only for the local machine', () => {
  assert.equal(parseWalletUri('openid4vp://?client_id=a&request_uri=http://127.0.0.1:3000/r').method, 'get')
})

const CLAIMS: readonly [RequestFault, { readonly [name: string]: unknown }][] = [
  ['client_id_mismatch', { client_id: 'x509_san_dns:verifier.example' }],
  ['aud_invalid', { aud: 'https://wallet.example' }],
  ['response_type_invalid', { response_type: 'code' }],
  ['response_mode_invalid', { response_mode: undefined }],
  ['response_mode_invalid', { response_mode: 'fragment' }],
  ['response_uri_invalid', { response_uri: 'http://verifier.example/r' }],
  ['redirect_uri_present', { redirect_uri: 'https://verifier.example/cb' }],
  ['nonce_missing', { nonce: undefined }],
  ['nonce_invalid', { nonce: 'white space is not url safe' }],
  ['nonce_too_short', { nonce: 'short' }],
  ['state_invalid', { state: 'a b' }],
  ['wallet_nonce_unexpected', { wallet_nonce: 'never-sent' }],
  ['request_expired', { exp: now - 3600 }],
  ['request_issued_in_future', { iat: now + 3600 }],
  ['parameter_forbidden', { client_id_scheme: 'x509_hash' }],
  ['transaction_data_invalid', { transaction_data: ['e30'] }],
  ['dcql_query_missing', { dcql_query: undefined }],
  ['dcql_query_invalid', { dcql_query: { credentials: [] } }],
  ['dcql_query_invalid', { dcql_query: { credentials: [...QUERY.credentials, ...QUERY.credentials] } }],
  ['dcql_query_invalid', { dcql_query: { ...QUERY, credential_sets: [{ options: [['other']] }] } }],
  ['client_metadata_missing', { client_metadata: undefined }],
  ['vp_formats_missing', { client_metadata: metadata({ vp_formats_supported: undefined }) }],
  [
    'vp_formats_invalid',
    { client_metadata: metadata({ vp_formats_supported: { mso_mdoc: { issuerauth_alg_values: ['ES256'] } } }) },
  ],
  ['encryption_key_missing', { client_metadata: metadata({ jwks: undefined }) }],
  [
    'encryption_key_invalid',
    { client_metadata: metadata({ jwks: { keys: [{ ...encryptionKey, alg: 'ECDH-ES', kid: '1' }] } }) },
  ],
  [
    'encryption_key_invalid',
    { client_metadata: metadata({ jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: '1' }] } }) },
  ],
  [
    'encryption_enc_unsupported',
    { client_metadata: metadata({ encrypted_response_enc_values_supported: ['A128CBC-HS256'] }) },
  ],
]

for (const [fault, changes] of CLAIMS) {
  test(`${fault}: ${JSON.stringify(changes).slice(0, 80)}`, () =>
    refuses(fault, async () => verifyRequestObject(await signRequest(requestClaims(changes)), expected)))
}

const other = mintAuthority({ commonName: 'Nobody' }, period)
const foreign = mintSigner(other, { commonName: 'Example verifier' }, { ...period, dns: 'verifier.example' })
const lapsed = mintSigner(authority, { commonName: 'Lapsed' }, { notBefore: now - 100, notAfter: now - 50 })
const lonely = mintAuthority({ commonName: 'Self-signed' }, period)
const stranger = mintIntermediate(other, { commonName: 'Between' }, period)

const SIGNATURES: readonly [RequestFault, Signing][] = [
  ['typ_invalid', { header: { typ: 'JWT' } }],
  ['alg_not_allowed', { header: { alg: 'ES256K' } }],
  ['crit_not_understood', { header: { crit: ['b64'], b64: true } }],
  ['x5c_missing', { header: { x5c: undefined } }],
  ['x5c_invalid', { header: { x5c: [Buffer.from(access.certificate, 'base64').toString('base64url')] } }],
  ['x5c_contains_anchor', { header: { x5c: [access.certificate, authority.certificate] } }],
  ['leaf_self_signed', { signer: lonely }],
  ['chain_broken', { header: { x5c: [access.certificate, stranger.certificate] } }],
  ['certificate_not_valid_now', { signer: lapsed }],
  ['certificate_untrusted', { signer: foreign }],
  ['signature_invalid', { signer: { ...access, key: generateKey() } }],
]

for (const [fault, signing] of SIGNATURES) {
  test(`${fault}: by signature`, () => {
    const clientId = hashOf(signing.signer?.certificate ?? access.certificate)
    return refuses(fault, async () => {
      const claims = requestClaims({ client_id: clientId })
      const compact = fault === 'alg_not_allowed' ? forge(claims, signing) : await signRequest(claims, signing)
      return verifyRequestObject(compact, { ...expected, clientId })
    })
  })
}

/** jose would refuse to sign with a header that it does not know. */
function forge(claims: object, signing: Signing): string {
  const header = { alg: 'ES256', typ: 'oauth-authz-req+jwt', x5c: [access.certificate], ...signing.header }
  return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.AAAA`
}

test('request_not_a_jws', () => refuses('request_not_a_jws', () => verifyRequestObject('not a jws', expected)))

test('x509_hash_mismatch: the hash of another certificate', () => {
  const clientId = hashOf(authority.certificate)
  return refuses('x509_hash_mismatch', async () =>
    verifyRequestObject(await signRequest(requestClaims({ client_id: clientId })), { ...expected, clientId }),
  )
})

const CLIENTS: readonly [RequestFault, string, string][] = [
  ['client_id_prefix_unsupported', 'redirect_uri:https://verifier.example/r', 'https://verifier.example/r'],
  ['san_dns_mismatch', 'x509_san_dns:example', 'https://example/r'],
  ['response_uri_foreign', 'x509_san_dns:verifier.example', 'https://elsewhere.example/r'],
]

for (const [fault, clientId, responseUri] of CLIENTS) {
  test(`${fault}: ${clientId}`, () =>
    refuses(fault, async () => {
      const claims = requestClaims({ client_id: clientId, response_uri: responseUri })
      return verifyRequestObject(await signRequest(claims), { ...expected, clientId })
    }))
}

test('wallet_nonce_not_echoed: another wallet nonce', () => {
  const { fetch } = verifierFetch(requestClaims({ wallet_nonce: 'another' }))
  return refuses('wallet_nonce_not_echoed', () => fetchRequest(link(), { fetch, now }))
})

test('request_unavailable and request_content_type_invalid', async () => {
  const gone = async () => new Response('', { status: 410 })
  const html = async () => new Response('x', { headers: { 'content-type': 'text/html' } })
  await refuses('request_unavailable', () => fetchRequest(link(), { fetch: gone, now }))
  await refuses('request_content_type_invalid', () => fetchRequest(link(), { fetch: html, now }))
})

test('every fault has a test', () => {
  assert.deepEqual(
    REQUEST_FAULTS.filter((fault) => !seen.has(fault)),
    [],
  )
})

// Tests our own requests: complete, signed, and only with names that the certificate proves.

import assert from 'node:assert/strict'
import { createHash, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { parseCompactJws, verifySignature } from '../../src/jose.ts'
import { clientIdOf, requestChainFault } from '../../src/openid4vp/client-id.ts'
import { parseQuery } from '../../src/openid4vp/dcql.ts'
import {
  encryptionKeyOf,
  type RequestParameters,
  registrationInfo,
  requestClaims,
  requestHeader,
  signCompact,
  walletUri,
} from '../../src/openid4vp/request.ts'
import { signerOf } from '../request-signer.ts'
import { extension, extensionOf, keyUsage, sequence, tlv } from '../trust/mint-certificate.ts'
import { mintAuthority, mintSigner, NOW } from '../trust/mint-pki.ts'

const authority = mintAuthority({ subject: { CN: 'Invented Access Authority', C: 'UT' } })
const subjectAltName = (...names: string[]): Uint8Array =>
  extensionOf('551d11', false, sequence(...names.map((name) => tlv(0x82, Buffer.from(name)))))
const leaf = mintSigner(authority, {
  subject: { CN: 'Invented Merchant', C: 'UT' },
  extensions: [
    extension.noAuthority(),
    extension.keyUsage(keyUsage.digitalSignature),
    subjectAltName('verifier.example', '*.wild.example'),
  ],
})
const encryption = encryptionKeyOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)

const query = parseQuery({
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:example:pid'] }, claims: [{ path: ['given_name'] }] },
  ],
})
const parameters: RequestParameters = {
  clientId: clientIdOf(leaf.der, 'x509_hash'),
  responseUri: 'https://verifier.example/wallet/response/ver_1',
  nonce: 'n'.repeat(43),
  state: 's'.repeat(43),
  query,
  encryptionJwk: encryption.jwk,
  issuedAt: NOW,
  expiresAt: NOW + 300,
  walletNonce: null,
}

test('a request for an encrypted response has exactly the expected claims', () => {
  assert.deepEqual(requestClaims(parameters), {
    aud: 'https://self-issued.me/v2',
    client_id: `x509_hash:${createHash('sha256').update(leaf.der).digest('base64url')}`,
    response_type: 'vp_token',
    response_mode: 'direct_post.jwt',
    response_uri: 'https://verifier.example/wallet/response/ver_1',
    nonce: 'n'.repeat(43),
    state: 's'.repeat(43),
    iat: NOW,
    exp: NOW + 300,
    client_metadata: {
      jwks: { keys: [encryption.jwk] },
      encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
      vp_formats_supported: {
        'dc+sd-jwt': {
          'sd-jwt_alg_values': ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
          'kb-jwt_alg_values': ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
        },
      },
    },
    dcql_query: query,
  })
})

test('R01, R02: a registration certificate is the only entry of verifier_info', () => {
  const claims = requestClaims({ ...parameters, verifierInfo: registrationInfo('a.b.c') })
  assert.deepEqual(claims.verifier_info, [{ format: 'registration_cert', data: 'a.b.c' }])
})

test('a request for an unencrypted response has no key', () => {
  const claims = requestClaims({ ...parameters, encryptionJwk: null, state: null })
  assert.equal(claims.response_mode, 'direct_post')
  assert.equal('state' in claims, false)
  assert.deepEqual(Object.keys(claims.client_metadata ?? {}), ['vp_formats_supported'])
})

test('a request for an mdoc has COSE identifiers, which are numbers', () => {
  const mdoc = parseQuery({
    credentials: [{ id: 'm', format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } }],
  })
  const ids = [-7, -9, -35, -51, -36, -52, -8, -19]
  assert.deepEqual(
    JSON.parse(JSON.stringify(requestClaims({ ...parameters, query: mdoc }).client_metadata)).vp_formats_supported,
    {
      mso_mdoc: { issuerauth_alg_values: ids, deviceauth_alg_values: ids },
    },
  )
})

test('returns a wallet nonce unchanged, and none if the wallet sent none', () => {
  const walletNonce = 'Grüße "\\ \u{1F511}'
  assert.equal(requestClaims({ ...parameters, walletNonce }).wallet_nonce, walletNonce)
  assert.equal('wallet_nonce' in requestClaims(parameters), false)
})

test('refuses a nonce or state that could be guessed or misread', () => {
  for (const weak of ['', 'short', 'n'.repeat(21), `${'n'.repeat(42)}=`, `${'n'.repeat(42)} `, 'n'.repeat(129)]) {
    assert.throws(() => requestClaims({ ...parameters, nonce: weak }), /^Error: bug:/)
    assert.throws(() => requestClaims({ ...parameters, state: weak }), /^Error: bug:/)
  }
})

test('a request must not expire before it begins', () => {
  for (const expiresAt of [NOW, NOW - 1, Number.NaN]) {
    assert.throws(() => requestClaims({ ...parameters, expiresAt }), /^Error: bug:/)
  }
})

test('the encryption key is named by its thumbprint and contains nothing private', () => {
  assert.deepEqual(Object.keys(encryption.jwk).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  assert.equal(encryption.jwk.kid, Buffer.from(encryption.thumbprint).toString('base64url'))
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  assert.equal('d' in encryptionKeyOf(privateKey).jwk, false)
  assert.throws(() => encryptionKeyOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey), /^Error: bug:/)
})

test('a signed request verifies with the key of its certificate', async () => {
  const signer = signerOf(leaf.privateKey)
  const header = requestHeader([leaf.der], signer)
  assert.deepEqual(header, {
    alg: 'ES256',
    typ: 'oauth-authz-req+jwt',
    x5c: [Buffer.from(leaf.der).toString('base64')],
  })
  const claims = requestClaims({ ...parameters, walletNonce: 'ä€\u{1F511}' })
  const jws = parseCompactJws(await signCompact(header, claims, signer))
  assert.equal(JSON.stringify(jws.payload), JSON.stringify(claims))
  assert.equal(verifySignature('ES256', new X509Certificate(leaf.der).publicKey, jws), true)
})

test('signs with every accepted type of key, and never states another algorithm', async () => {
  const kinds = [
    generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    generateKeyPairSync('ec', { namedCurve: 'P-521' }),
    generateKeyPairSync('ed25519'),
  ]
  for (const [i, { publicKey, privateKey }] of kinds.entries()) {
    const algorithm = (['ES384', 'ES512', 'EdDSA'] as const)[i] ?? 'ES256'
    const jws = parseCompactJws(await signCompact({ alg: algorithm }, { a: 1 }, signerOf(privateKey)))
    assert.equal(
      verifySignature(algorithm, createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })), jws),
      true,
    )
    await assert.rejects(signCompact({ alg: 'ES256' }, {}, signerOf(privateKey)), /^Error: bug:/)
  }
  const der = { algorithm: 'ES256' as const, sign: () => new Uint8Array(70) }
  await assert.rejects(signCompact({ alg: 'ES256' }, {}, der), /^Error: bug:/)
})

test('the wallet link adds exactly client_id, request_uri and request_uri_method', () => {
  const link = walletUri({
    clientId: parameters.clientId,
    requestUri: 'https://verifier.example/wallet/request/ver_1?x=1&y=2',
  })
  assert.match(link, /^openid4vp:\/\/\?client_id=x509_hash%3A/)
  assert.deepEqual(
    [...new URL(link).searchParams],
    [
      ['client_id', parameters.clientId],
      ['request_uri', 'https://verifier.example/wallet/request/ver_1?x=1&y=2'],
      ['request_uri_method', 'post'],
    ],
  )
  assert.match(
    walletUri({ clientId: 'a', requestUri: 'b', base: 'https://wallet.example/open?x=1' }),
    /^https:\/\/wallet\.example\/open\?x=1&client_id=a&/,
  )
})

test('a DNS name is ours only if the certificate names it exactly', () => {
  assert.equal(clientIdOf(leaf.der, 'x509_san_dns', 'verifier.example'), 'x509_san_dns:verifier.example')
  for (const name of ['other.example', 'a.wild.example', '*.wild.example', 'Invented Merchant', '', undefined]) {
    assert.throws(() => clientIdOf(leaf.der, 'x509_san_dns', name))
  }
})

test('under x509_san_dns the response goes to that host and no other', () => {
  const clientId = 'x509_san_dns:verifier.example'
  assert.equal(requestClaims({ ...parameters, clientId }).client_id, clientId)
  assert.throws(() => requestClaims({ ...parameters, clientId, responseUri: 'https://evil.example/r' }), /^Error: bug:/)
})

test('a certificate chain is checked before its key signs anything', () => {
  const intermediate = mintAuthority({ subject: { CN: 'Invented Intermediate', C: 'UT' } }, authority)
  const below = mintSigner(intermediate)
  const other = mintAuthority()
  const selfSigned = mintAuthority({ subject: { CN: 'Alone', C: 'UT' } })
  const fault = (chain: readonly { der: Uint8Array }[], key = leaf.privateKey, at = NOW): string | null =>
    requestChainFault(
      chain.map(({ der }) => der),
      createPublicKey(key),
      at,
    )
  assert.equal(fault([leaf]), null)
  assert.equal(fault([below, intermediate], below.privateKey), null)
  assert.match(fault([]) ?? '', /no access certificate/)
  assert.match(fault([leaf], other.privateKey) ?? '', /does not belong/)
  assert.match(fault([selfSigned], selfSigned.privateKey) ?? '', /self-signed/)
  assert.match(fault([leaf, authority]) ?? '', /trust anchor/)
  assert.match(fault([leaf, intermediate]) ?? '', /not in order/)
  const namesake = mintAuthority({ subject: { CN: 'Invented Intermediate', C: 'UT' } }, authority)
  assert.match(fault([below, namesake], below.privateKey) ?? '', /not in order/)
  assert.match(fault([leaf], leaf.privateKey, 0) ?? '', /not valid now/)
  assert.match(fault([leaf], leaf.privateKey, 4_000_000_000) ?? '', /not valid now/)
})

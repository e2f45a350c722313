// Tests that the wallet refuses faulty Digital Credentials API requests, each fault by its name, and encrypts as in RFC 9180.

import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { test } from 'node:test'
import {
  access,
  annexCData,
  authority,
  encryptionInfo,
  issuer,
  NOW,
  ORIGIN,
  offerFor,
  privateKeyOf,
  readerSigner,
} from '../../engine/test/dc-api/verifier.ts'
import { ANNEX_C } from '../../engine/test/vectors/annex-c.ts'
import { mintAuthority } from '../src/authorities.ts'
import type { DcApiOptions } from '../src/dc-api/answer.ts'
import { answerDcApi } from '../src/dc-api/answer.ts'
import { sealHpke } from '../src/dc-api/hpke.ts'
import { annexCTranscript, dcApiTranscript } from '../src/dc-api/transcript.ts'
import { encodeCbor, mapOf } from '../src/encoding/cbor.ts'
import { TYPE } from '../src/issuer.ts'
import { thumbprint } from '../src/keys.ts'
import { certificateBytes } from '../src/pki.ts'
import { DC_API_FAULTS, type RequestFault, RequestRefused } from '../src/refusal.ts'

const LICENCE = {
  id: 'mdl',
  format: 'mso_mdoc',
  meta: { doctype_value: TYPE.mdl },
  claims: [{ path: ['org.iso.18013.5.1', 'family_name'] }],
}
const asking = { query: { credentials: [LICENCE] } }
const options: DcApiOptions = { origin: ORIGIN, now: NOW, issuer, trustedVerifiers: [certificateBytes(authority)] }
const { requests: signed, query } = await offerFor({ ...asking, protocols: ['openid4vp-v1-signed'] })
const { requests: multisigned } = await offerFor({ ...asking, protocols: ['openid4vp-v1-multisigned'] })
const { requests: iso } = await offerFor({ ...asking, protocols: ['org-iso-mdoc'] })

const seen = new Set<string>()

function refuses(fault: RequestFault, title: string, offer: () => unknown, changes: Partial<DcApiOptions> = {}): void {
  test(`${fault}: ${title}`, async () => {
    seen.add(fault)
    await assert.rejects(answerDcApi(await offer(), { ...options, ...changes }), (error) => {
      assert.ok(error instanceof RequestRefused, String(error))
      assert.equal(error.fault, fault, error.message)
      return true
    })
  })
}

test('answers a correct request', async () => {
  for (const requests of [signed, multisigned, iso]) {
    const answer = await answerDcApi({ requests }, options)
    assert.equal(answer.protocol, requests[0]?.protocol)
    assert.deepEqual(answer.disclosed[0]?.paths, [['org.iso.18013.5.1', 'family_name']])
    assert.match(String(answer.verifier), /Example/)
  }
})

const openid = (protocol: string, data: unknown) => () => ({ requests: [{ protocol, data }] })
const claimsOf = (request: unknown) =>
  JSON.parse(
    Buffer.from(
      String((request as { data: { request: string } }).data.request).split('.')[1] ?? '',
      'base64url',
    ).toString(),
  )

/** Signs the request again with changed claims. */
function resigned(change: (claims: { [name: string]: unknown }) => object): () => unknown {
  const [header = ''] = String((signed[0] as { data: { request: string } }).data.request).split('.')
  const input = `${header}.${Buffer.from(JSON.stringify(change(claimsOf(signed[0])))).toString('base64url')}`
  const key = { key: privateKeyOf(access), dsaEncoding: 'ieee-p1363' } as const
  const request = `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
  return openid('openid4vp-v1-signed', { request })
}

refuses('offer_invalid', 'no requests', () => ({}))
refuses('offer_invalid', 'data that is a text', openid('openid4vp-v1-signed', 'x'))
refuses('offer_invalid', 'a request that is an object', openid('openid4vp-v1-signed', { request: {} }))
refuses('protocol_unsupported', 'another protocol', openid('openid4vp-v9', {}))
refuses('protocol_unsupported', 'a protocol that the wallet does not support', () => ({ requests: signed }), {
  protocols: ['org-iso-mdoc'],
})
refuses('origin_unexpected', 'a request on another page', () => ({ requests: signed }), {
  origin: 'https://evil.example',
})
refuses(
  'origin_unexpected',
  'D19: the origin with a slash',
  resigned((claims) => ({ ...claims, expected_origins: [`${ORIGIN}/`] })),
)
refuses('origin_unexpected', 'a multisigned request on another page', () => ({ requests: multisigned }), {
  origin: 'https://evil.example',
})
refuses(
  'expected_origins_missing',
  'none',
  resigned(({ expected_origins: _, ...claims }) => claims),
)
refuses(
  'expected_origins_missing',
  'an empty list',
  resigned((claims) => ({ ...claims, expected_origins: [] })),
)
refuses(
  'parameter_forbidden',
  'D21: a response_uri',
  resigned((claims) => ({ ...claims, response_uri: ORIGIN })),
)
refuses(
  'parameter_forbidden',
  'D21: a state',
  resigned((claims) => ({ ...claims, state: 'x' })),
)
refuses(
  'response_mode_invalid',
  'the mode of a redirect',
  resigned((claims) => ({ ...claims, response_mode: 'direct_post' })),
)
refuses(
  'client_id_missing',
  'no client_id',
  resigned(({ client_id: _, ...claims }) => claims),
)
refuses(
  'x509_hash_mismatch',
  'the client_id of another',
  resigned((claims) => ({ ...claims, client_id: 'x509_hash:other' })),
)
refuses(
  'aud_invalid',
  'no aud',
  resigned(({ aud: _, ...claims }) => claims),
)
refuses(
  'request_expired',
  'expired',
  resigned((claims) => ({ ...claims, exp: NOW - 3600 })),
)
refuses('signature_invalid', 'claims changed after signing', () => {
  const text = String((signed[0] as { data: { request: string } }).data.request)
  const [header, , signature] = text.split('.')
  const payload = Buffer.from(JSON.stringify({ ...claimsOf(signed[0]), nonce: 'x'.repeat(32) })).toString('base64url')
  return openid('openid4vp-v1-signed', { request: `${header}.${payload}.${signature}` })()
})
refuses('certificate_untrusted', 'a verifier under another authority', () => ({ requests: signed }), {
  trustedVerifiers: [certificateBytes(mintAuthority({ commonName: 'Other' }, { notBefore: 0, notAfter: NOW }))],
})
refuses('multisigned_invalid', 'a compact JWS', openid('openid4vp-v1-multisigned', signed[0]?.data))
refuses(
  'multisigned_invalid',
  'no signatures',
  openid('openid4vp-v1-multisigned', { request: { payload: 'e30', signatures: [] } }),
)

const annexC = (data: object) => openid('org-iso-mdoc', data)
const usual = iso[0]?.data as { readonly deviceRequest: string; readonly encryptionInfo: string }
const cborText = (value: Parameters<typeof encodeCbor>[0]) => Buffer.from(encodeCbor(value)).toString('base64url')

refuses('offer_invalid', 'a text with padding', annexC({ ...usual, encryptionInfo: `${usual.encryptionInfo}=` }))
refuses('device_request_invalid', 'no CBOR', annexC({ ...usual, deviceRequest: '____' }))
refuses(
  'device_request_invalid',
  'no documents',
  annexC({ ...usual, deviceRequest: cborText(mapOf({ version: '1.0', docRequests: [] })) }),
)
refuses('reader_auth_missing', 'a request that no reader signed', async () => {
  return annexC(await annexCData({ query, encryptionInfo, origin: ORIGIN, readers: [] }))()
})
refuses('reader_auth_invalid', 'a request that a reader signed for another page', () => ({ requests: iso }), {
  origin: 'https://evil.example',
})
refuses(
  'reader_auth_invalid',
  'a request that a reader signed with another encryptionInfo',
  annexC({ ...usual, encryptionInfo: ANNEX_C.encryptionInfo }),
)
refuses('reader_certificate_invalid', 'a certificate for another purpose', async () => {
  return annexC(await annexCData({ query, encryptionInfo, origin: ORIGIN, readers: [readerSigner(access)] }))()
})
refuses('certificate_untrusted', 'a reader under another authority', () => ({ requests: iso }), {
  trustedVerifiers: [certificateBytes(mintAuthority({ commonName: 'Other' }, { notBefore: 0, notAfter: NOW }))],
})
for (const [title, info] of [
  ['another kind', ['other', mapOf({})]],
  ['a short nonce', ['dcapi', mapOf({ nonce: new Uint8Array(15), recipientPublicKey: new Map() })]],
  ['no key', ['dcapi', mapOf({ nonce: new Uint8Array(16), recipientPublicKey: new Map() })]],
] as const) {
  refuses('encryption_info_invalid', title, async () => {
    const text = cborText(info)
    return annexC(await annexCData({ query, encryptionInfo: text, origin: ORIGIN, readers: [readerSigner()] }))()
  })
}

test('every fault of a request has a test', () => {
  assert.deepEqual(
    DC_API_FAULTS.filter((fault) => !seen.has(fault)),
    [],
  )
})

test('encrypts the example of RFC 9180 A.3.1 as published', async () => {
  const hex = (text: string) => Buffer.from(text, 'hex')
  const jwk = (point: string) => ({
    kty: 'EC' as const,
    crv: 'P-256' as const,
    x: hex(point.slice(2, 66)).toString('base64url'),
    y: hex(point.slice(66)).toString('base64url'),
  })
  const enc =
    '04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325ac98536d7b61a1af4b78e5b7f951c0900be863c403ce65c9bfcb9382657222d18c4'
  const recipient =
    '04fe8c19ce0905191ebc298a9245792531f26f0cece2460639e8bc39cb7f706a826a779b4cf969b8a0e539c7f62fb3d30ad6aa8f80e30f1d128aafd68a2ce72ea0'
  const secret = hex('4995788ef4b9d6132b249ce59a77281493eb39af373d236a1fe415cb0c2d7beb')
  const sealed = await sealHpke({
    recipient: jwk(recipient),
    ephemeral: { ...jwk(enc), d: secret.toString('base64url') },
    info: hex('4f6465206f6e2061204772656369616e2055726e'),
    aad: hex('436f756e742d30'),
    plaintext: hex('4265617574792069732074727574682c20747275746820626561757479'),
  })
  assert.equal(Buffer.from(sealed.enc).toString('hex'), enc)
  assert.equal(
    Buffer.from(sealed.cipherText).toString('hex'),
    '5ad590bb8baa577f8619db35a36311226a896e7342a6d836d8b7bcd2f20b6c7f9076ac232e3ab2523f39513434',
  )
})

test('computes the transcripts of the specifications', () => {
  const { encryptionInfo: info, origin, transcript } = ANNEX_C
  assert.equal(Buffer.from(annexCTranscript(info, origin)).toString('hex'), transcript)
  const key = {
    kty: 'EC',
    crv: 'P-256',
    x: 'DxiH5Q4Yx3UrukE2lWCErq8N8bqC9CHLLrAwLz5BmE0',
    y: 'XtLM4-3h5o3HUH0MHVJV0kyq0iBlrBwlh8qEDMZ4-Pc',
  } as const
  const handover = {
    origin: 'https://example.com',
    nonce: 'exc7gBkxjx1rdc9udRrveKvSsJIq80avlXeLHhGwqtA',
    thumbprint: thumbprint(key),
  }
  assert.equal(
    Buffer.from(dcApiTranscript(handover)).toString('hex'),
    '83f6f682764f70656e4944345650444341504948616e646f7665725820fbece366f4212f9762c74cfdbf83b8c69e371d5d68cea09cb4c48ca6daab761a',
  )
})

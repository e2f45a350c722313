// Tests the session transcripts of OpenID4VP 1.0 (B.2.6.1, B.2.6.2) and of ISO 18013-7 Annex C, byte for byte.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { encodeArray } from '../../src/cbor/encode.ts'
import { sessionTranscripts } from '../../src/channels/table.ts'
import { thumbprintOf } from '../../src/jose.ts'
import { ANNEX_C } from './annex-c.ts'
import { readVectors } from './vector-files.ts'

interface TranscriptVectors {
  readonly redirect: Readonly<
    Record<
      'client_id' | 'nonce' | 'response_uri' | 'jwk_thumbprint' | 'handover_info' | 'handover' | 'session_transcript',
      string
    >
  >
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const NONCE = 'exc7gBkxjx1rdc9udRrveKvSsJIq80avlXeLHhGwqtA'
const vectors = readVectors('openid4vp-1.0/session-transcript.json') as TranscriptVectors | null

test('OpenID4VP B.2.6.1: computes the transcript of an encrypted response', () => {
  for (const { redirect } of vectors === null ? [] : [vectors]) {
    const thumbprint = Buffer.from(redirect.jwk_thumbprint, 'hex')
    const request = { clientId: redirect.client_id, nonce: redirect.nonce, responseUri: redirect.response_uri }
    const info = encodeArray(request.clientId, request.nonce, { bytes: thumbprint }, request.responseUri)
    assert.equal(hex(info), redirect.handover_info)
    const { nonce, ...channel } = request
    const transcripts = sessionTranscripts({
      channel: { kind: 'redirect', ...channel },
      nonce,
      encryption: { privateKey, thumbprint },
    })
    assert.deepEqual(transcripts.map(hex), [redirect.session_transcript])
    assert.equal(
      hex(encodeArray(null, null, { encoded: Buffer.from(redirect.handover, 'hex') })),
      redirect.session_transcript,
    )
  }
})

test('OpenID4VP B.2.6.1: the transcript of an unencrypted response has no thumbprint', () => {
  const transcripts = sessionTranscripts({
    channel: {
      kind: 'redirect',
      clientId: 'x509_san_dns:example.com',
      responseUri: 'https://example.com/response',
    },
    nonce: NONCE,
    encryption: null,
  })
  const digest = 'c672b54a2facfb3284965c5be838a8cd1f96f7de36ede3470b1d5de2c57d7719'
  assert.deepEqual(transcripts.map(hex), [`83f6f682714f70656e494434565048616e646f7665725820${digest}`])
})

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

test('OpenID4VP B.2.6.2: computes a transcript over the Digital Credentials API for each origin', () => {
  const thumbprint = thumbprintOf({
    kty: 'EC',
    crv: 'P-256',
    x: 'DxiH5Q4Yx3UrukE2lWCErq8N8bqC9CHLLrAwLz5BmE0',
    y: 'XtLM4-3h5o3HUH0MHVJV0kyq0iBlrBwlh8qEDMZ4-Pc',
  })
  assert.ok(thumbprint !== null)
  const info =
    '837368747470733a2f2f6578616d706c652e636f6d782b6578633767426b786a7831726463397564527276654b7653734a4971383061766c58654c4868477771744158204283ec927ae0f208daaa2d026a814f2b22dca52cf85ffa8f3f8626c6bd669047'
  assert.equal(hex(encodeArray('https://example.com', NONCE, { bytes: thumbprint })), info)
  const origins = ['https://top.example', 'https://example.com']
  const [other, transcript] = sessionTranscripts({
    channel: { kind: 'dc_api', origins },
    nonce: NONCE,
    encryption: { privateKey, thumbprint },
  }).map(hex)
  assert.equal(
    transcript,
    '83f6f682764f70656e4944345650444341504948616e646f7665725820fbece366f4212f9762c74cfdbf83b8c69e371d5d68cea09cb4c48ca6daab761a',
  )
  assert.notEqual(other, transcript)
})

test('ISO 18013-7 C.5: the transcript of Annex C is over the text of encryptionInfo', () => {
  const { origin, encryptionInfo, transcript } = ANNEX_C
  const channel = { kind: 'annex_c', origins: [origin], encryptionInfo } as const
  assert.deepEqual(sessionTranscripts({ channel, nonce: NONCE, encryption: null }).map(hex), [transcript])
})

// OpenID4VP 1.0 Appendix B.2.6.1: the session transcript of the specification, byte for byte.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { encodeArray } from '../../src/mdoc/encode.ts'
import { sessionTranscript } from '../../src/mdoc/transcript.ts'
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
const vectors = readVectors('openid4vp-1.0/session-transcript.json') as TranscriptVectors | null

test('OpenID4VP B.2.6.1: the transcript of an encrypted response', () => {
  for (const { redirect } of vectors === null ? [] : [vectors]) {
    const thumbprint = Buffer.from(redirect.jwk_thumbprint, 'hex')
    const request = { clientId: redirect.client_id, nonce: redirect.nonce, responseUri: redirect.response_uri }
    const info = encodeArray(request.clientId, request.nonce, { bytes: thumbprint }, request.responseUri)
    assert.equal(hex(info), redirect.handover_info)
    const transcript = sessionTranscript({ ...request, encryption: { privateKey, thumbprint } })
    assert.equal(hex(transcript), redirect.session_transcript)
    assert.equal(
      hex(encodeArray(null, null, { encoded: Buffer.from(redirect.handover, 'hex') })),
      redirect.session_transcript,
    )
  }
})

test('OpenID4VP B.2.6.1: the transcript of a response in clear has no thumbprint', () => {
  const transcript = sessionTranscript({
    clientId: 'x509_san_dns:example.com',
    nonce: 'exc7gBkxjx1rdc9udRrveKvSsJIq80avlXeLHhGwqtA',
    responseUri: 'https://example.com/response',
    encryption: null,
  })
  const digest = 'c672b54a2facfb3284965c5be838a8cd1f96f7de36ede3470b1d5de2c57d7719'
  assert.equal(hex(transcript), `83f6f682714f70656e494434565048616e646f7665725820${digest}`)
})

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

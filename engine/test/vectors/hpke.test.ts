// Tests HPKE with the vectors of RFC 9180 A.3.1 and Annex C. Decryption works only with the original inputs.

import assert from 'node:assert/strict'
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { Malformed } from '../../src/bytes.ts'
import { decodeCbor, isCborArray, isCborBytes, isCborMap } from '../../src/cbor/cbor.ts'
import { decapsulate, openSealed } from '../../src/hpke.ts'
import { pointOf } from '../points.ts'
import { ANNEX_C } from './annex-c.ts'

const RFC = {
  info: bytes('4f6465206f6e2061204772656369616e2055726e'),
  enc: bytes(
    '04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325ac98536d7b61a1af4b78e5b7f951c0900be863c403ce65c9bfcb9382657222d18c4',
  ),
  recipient: bytes(
    '04fe8c19ce0905191ebc298a9245792531f26f0cece2460639e8bc39cb7f706a826a779b4cf969b8a0e539c7f62fb3d30ad6aa8f80e30f1d128aafd68a2ce72ea0',
  ),
  secretKey: bytes('f3ce7fdae57e1a310d87f1ebbde6f328be0a99cdbcadf4d6589cf29de4b8ffd2'),
  sharedSecret: 'c0d26aeab536609a572b07695d933b589dcf363ff9d93c93adea537aeabb8cb8',
  plaintext: '4265617574792069732074727574682c20747275746820626561757479',
  aad: bytes('436f756e742d30'),
  cipherText: bytes('5ad590bb8baa577f8619db35a36311226a896e7342a6d836d8b7bcd2f20b6c7f9076ac232e3ab2523f39513434'),
}
const key = {
  privateKey: keyOf(RFC.secretKey, RFC.recipient.subarray(1, 33), RFC.recipient.subarray(33)),
  point: RFC.recipient,
}

test('RFC 9180 A.3.1: computes the shared secret and decrypts the text', () => {
  const encapsulated = decapsulate(RFC.enc, key)
  assert.equal(Buffer.from(encapsulated.secret).toString('hex'), RFC.sharedSecret)
  const opened = openSealed(encapsulated, RFC)
  assert.equal(opened && Buffer.from(opened).toString('hex'), RFC.plaintext)
})

test('does not decrypt with another info or other additional data, nor a changed or shortened text', () => {
  const encapsulated = decapsulate(RFC.enc, key)
  const flipped = Buffer.from(RFC.cipherText)
  flipped[3] = (flipped[3] ?? 0) ^ 1
  for (const change of [
    { info: Buffer.concat([RFC.info, Buffer.of(0)]) },
    { info: Buffer.alloc(0) },
    { aad: Buffer.alloc(0) },
    { cipherText: flipped },
    { cipherText: RFC.cipherText.subarray(0, -1) },
    { cipherText: RFC.cipherText.subarray(0, 15) },
    { cipherText: Buffer.alloc(0) },
  ]) {
    assert.equal(openSealed(encapsulated, { ...RFC, ...change }), null)
  }
})

test('D13: an encapsulated key of another length or form, off the curve, or at infinity is refused', () => {
  const offCurve = Buffer.from(RFC.enc)
  offCurve[64] = (offCurve[64] ?? 0) ^ 1
  for (const enc of [
    offCurve,
    RFC.enc.subarray(0, 64),
    RFC.enc.subarray(1),
    Buffer.concat([RFC.enc, Buffer.of(0)]),
    Buffer.concat([Buffer.of(2), RFC.enc.subarray(1, 33)]),
    Buffer.concat([Buffer.of(6), RFC.enc.subarray(1)]),
    Buffer.concat([Buffer.of(4), Buffer.alloc(64)]),
    Buffer.concat([Buffer.of(4), Buffer.alloc(64, 0xff)]),
    Buffer.of(0),
    Buffer.alloc(0),
  ]) {
    assert.throws(() => decapsulate(enc, key), Malformed)
  }
})

test('decrypts the Annex C vector with its transcript to an empty DeviceResponse', () => {
  const message = decodeCbor(Buffer.from(ANNEX_C.response, 'base64url'))
  const parts = isCborArray(message) ? message[1] : undefined
  const [enc, cipherText] = isCborMap(parts) ? [parts.get('enc'), parts.get('cipherText')] : []
  assert.ok(isCborBytes(enc) && isCborBytes(cipherText))
  const { x, y } = ANNEX_C
  const recipient = { privateKey: keyOf(bytes(ANNEX_C.privateKey), x, y), point: pointOf({ x, y }) }
  const sealed = { info: bytes(ANNEX_C.transcript), aad: Buffer.alloc(0), cipherText }
  const opened = openSealed(decapsulate(enc, recipient), sealed)
  assert.equal(opened && Buffer.from(opened).toString('hex'), ANNEX_C.plaintext)
})

function keyOf(secret: Buffer, x: Buffer | string, y: Buffer | string): KeyObject {
  const text = (part: Buffer | string) => (typeof part === 'string' ? part : part.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'P-256', d: text(secret), x: text(x), y: text(y) }
  return createPrivateKey({ key: jwk, format: 'jwk' })
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex')
}

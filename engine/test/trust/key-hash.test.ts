// Tests the hash that names an issuer's key: that of the uncompressed key in DER, however the key was encoded.

import assert from 'node:assert/strict'
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { keySha256 } from '../../src/trust/anchors.ts'
import { oid, sequence, tlv } from './mint-certificate.ts'

const EC_KEY = '2a8648ce3d0201'
const BIT_STRING = 0x03

for (const [namedCurve, curve] of [
  ['prime256v1', '2a8648ce3d030107'],
  ['secp384r1', '2b81040022'],
  ['secp521r1', '2b81040023'],
] as const)
  test(`a key on ${namedCurve} has one hash in both encodings of its point`, () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve })
    const uncompressed = publicKey.export({ type: 'spki', format: 'der' })
    assert.equal(keySha256(publicKey), createHash('sha256').update(uncompressed).digest('hex'))
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const sign = 2 + ((Buffer.from(y, 'base64url').at(-1) ?? 0) % 2)
    const point = tlv(BIT_STRING, Buffer.of(0, sign), Buffer.from(x, 'base64url'))
    const key = Buffer.from(sequence(sequence(oid(EC_KEY), oid(curve)), point))
    assert.ok(key.length < uncompressed.length)
    const compressed = createPublicKey({ key, type: 'spki', format: 'der' })
    assert.equal(keySha256(compressed), keySha256(publicKey))
  })

test('a key of another kind has the hash of its DER', () => {
  const { publicKey } = generateKeyPairSync('ed25519')
  const der = publicKey.export({ type: 'spki', format: 'der' })
  assert.equal(keySha256(publicKey), createHash('sha256').update(der).digest('hex'))
})

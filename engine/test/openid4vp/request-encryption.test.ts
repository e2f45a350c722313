// Tests encrypted request objects with another library, and the limit on costly keys (docs/protocol/negotiation.md).

import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { compactDecrypt } from 'jose'
import { type CostlyWork, encryptRequest, requestEncryptionOf } from '../../src/openid4vp/request-encryption.ts'
import type { Json, JsonObject } from '../../src/verdict.ts'

const CURVES = ['P-256', 'P-384', 'P-521', 'X25519']
const AGREEMENTS = ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A256KW']
const ENCRYPTIONS = ['A128GCM', 'A256GCM', 'A128CBC-HS256', 'A256CBC-HS512']
const JWS = 'eyJ.a.b'
const FREELY: CostlyWork = (_, agree) => agree()
const NEVER: CostlyWork = () => null

function walletKey(curve: string): { readonly privateKey: KeyObject; readonly jwk: JsonObject } {
  const pair = curve === 'X25519' ? generateKeyPairSync('x25519') : generateKeyPairSync('ec', { namedCurve: curve })
  const { publicKey, privateKey } = pair as { publicKey: KeyObject; privateKey: KeyObject }
  return { privateKey, jwk: { ...(publicKey.export({ format: 'jwk' }) as JsonObject), use: 'enc' } }
}

const metadata = (keys: readonly Json[], algs: readonly string[] = AGREEMENTS, encs = ENCRYPTIONS): JsonObject => ({
  jwks: { keys },
  request_object_encryption_alg_values_supported: algs,
  request_object_encryption_enc_values_supported: encs,
})

for (const curve of CURVES)
  test(`encrypts to a key on ${curve} with each key agreement and encryption`, async () => {
    for (const alg of AGREEMENTS)
      for (const enc of ENCRYPTIONS) {
        const { privateKey, jwk } = walletKey(curve)
        const chosen = requestEncryptionOf(metadata([{ ...jwk, kid: 'k' }], [alg], [enc]), FREELY)
        assert.ok(chosen !== null, `${alg} ${enc}`)
        assert.equal(chosen.curve, curve)
        const { plaintext, protectedHeader } = await compactDecrypt(
          encryptRequest(JWS, chosen, randomBytes),
          privateKey,
        )
        assert.equal(Buffer.from(plaintext).toString(), JWS)
        const { alg: algorithm, enc: named, typ, cty, kid } = protectedHeader
        assert.deepEqual(
          { algorithm, named, typ, cty, kid },
          { algorithm: alg, named: enc, typ: 'oauth-authz-req+jwt', cty: 'JWT', kid: 'k' },
        )
      }
  })

test('uses the strongest common encryption, and the algorithm that the key names', () => {
  const { jwk } = walletKey('P-256')
  const chosen = (...args: Parameters<typeof metadata>) => {
    const found = requestEncryptionOf(metadata(...args), FREELY)
    return found === null ? null : [found.agreement, found.encryption]
  }
  assert.deepEqual(chosen([jwk]), ['ECDH-ES', 'A256GCM'])
  assert.deepEqual(chosen([{ ...jwk, alg: 'ECDH-ES+A128KW' }]), ['ECDH-ES+A128KW', 'A256GCM'])
  assert.equal(chosen([{ ...jwk, alg: 'ECDH-ES+A128KW' }], ['ECDH-ES']), null)
  assert.equal(chosen([{ ...jwk, alg: 'ECDH-ES+A192KW' }]), null)
  assert.equal(chosen([jwk], ['RSA-OAEP']), null)
  assert.equal(chosen([jwk], AGREEMENTS, ['A192GCM']), null)
})

test('ignores an invalid key and does not throw', () => {
  const { jwk: p521 } = walletKey('P-521')
  const { jwk: p256 } = walletKey('P-256')
  const { jwk: x25519 } = walletKey('X25519')
  const bad: Json[] = [
    { ...p256, y: p256.x ?? '' },
    { ...p521, y: p521.x ?? '' },
    { ...p256, crv: 'P-521' },
    { ...x25519, crv: 'P-256' },
    { ...x25519, kty: 'EC' },
    { ...x25519, x: Buffer.alloc(31, 1).toString('base64url') },
    // Points of small order, with which anyone can compute the secret.
    { ...x25519, x: Buffer.alloc(32).toString('base64url') },
    { ...x25519, x: Buffer.from([1, ...Array(31).fill(0)]).toString('base64url') },
    { ...x25519, crv: 'X448' },
    { ...p256, use: 'sig' },
    { ...p256, kid: 'x'.repeat(257) },
    null,
    'P-256',
  ]
  for (const key of bad) assert.equal(requestEncryptionOf(metadata([key]), FREELY), null, JSON.stringify(key))
  assert.equal(requestEncryptionOf(metadata([...bad.slice(0, 7), p256]), FREELY)?.curve, 'P-256')
})

test('rule 4: uses a key on a large curve only within the limit, and otherwise the next key or none', () => {
  const large = ['P-384', 'P-521'].map((curve) => walletKey(curve).jwk)
  const small = ['P-256', 'X25519'].map((curve) => walletKey(curve).jwk)
  assert.equal(requestEncryptionOf(metadata(large), NEVER), null)
  assert.equal(requestEncryptionOf(metadata([...large, ...small]), NEVER)?.curve, 'P-256')
  for (const jwk of small) assert.ok(requestEncryptionOf(metadata([jwk]), NEVER) !== null)
  for (const jwk of large) assert.ok(requestEncryptionOf(metadata([jwk]), FREELY) !== null)
})

test('reuses a key agreement for another request, with another IV', async () => {
  const { privateKey, jwk } = walletKey('P-521')
  const chosen = requestEncryptionOf(metadata([jwk]), FREELY)
  assert.ok(chosen !== null)
  const both = ['first', 'second'].map((text) => encryptRequest(text, chosen, randomBytes))
  assert.notEqual(both[0]?.split('.')[2], both[1]?.split('.')[2])
  const read = await Promise.all(both.map((jwe) => compactDecrypt(jwe, privateKey)))
  assert.deepEqual(
    read.map(({ plaintext }) => Buffer.from(plaintext).toString()),
    ['first', 'second'],
  )
})

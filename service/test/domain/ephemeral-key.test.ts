// The key that an answer is encrypted to, at rest.

import assert from 'node:assert/strict'
import { createPublicKey, randomBytes } from 'node:crypto'
import test from 'node:test'
import {
  annexCKeyOf,
  annexCSecretsOf,
  newEphemeralKey,
  pointOf,
  responseKeyOf,
} from '../../src/core/verifications/domain/ephemeral-key.ts'
import { openEphemeralKey, sealEphemeralKey } from '../../src/core/verifications/store/ephemeral-keys.ts'
import { createSealer } from '../../src/platform/seal/seal.ts'

const db = { sealer: createSealer(Buffer.alloc(32, 7), randomBytes) }
const owner = { tenantId: 'ten_1', environment: 'test', id: 'ver_1' }
const fresh = () => sealEphemeralKey(db, owner, newEphemeralKey(randomBytes))
const stored = fresh()
const open = (encryptionKey: Buffer | null, of = owner) => openEphemeralKey(db, { ...of, encryptionKey })

test('the point that is shown is the one of the key that opens', () => {
  const { point, privateKey } = responseKeyOf(open(stored))
  const { x, y } = createPublicKey(privateKey).export({ format: 'jwk' })
  assert.deepEqual(point, { x, y })
  assert.deepEqual(pointOf(open(stored).point), { x, y })
})

test('the key for Annex C is another, of its own point, and its nonce is as long as it should be', () => {
  const secrets = annexCSecretsOf(open(stored))
  assert.ok(secrets !== null)
  const { x, y } = createPublicKey(annexCKeyOf(secrets)).export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(String(x), 'base64url'), Buffer.from(String(y), 'base64url')])
  assert.deepEqual(secrets.point, point)
  assert.notEqual(x, pointOf(open(stored).point).x)
  assert.equal(secrets.nonce.length, 32)
})

test('every key is another', () => {
  assert.notDeepEqual(open(fresh()).point, open(stored).point)
})

test('a key under the point of another neither opens nor shows that point', () => {
  const swapped = Buffer.concat([fresh().subarray(0, 64), stored.subarray(64)])
  assert.throws(() => open(swapped))
})

test('a key that is not there any more is an error, not an answer in clear', () => {
  assert.throws(() => open(null), /has lost its encryption key/)
})

for (const [title, stranger] of Object.entries({
  tenant: { ...owner, tenantId: 'ten_2' },
  environment: { ...owner, environment: 'live' },
  verification: { ...owner, id: 'ver_2' },
})) {
  test(`a key does not open for another ${title}`, () => {
    assert.throws(() => open(stored, stranger))
  })
}

test('a scalar outside the group is thrown away, not bent into it', () => {
  const drawn = [Buffer.alloc(32), Buffer.alloc(32, 0xff), Buffer.alloc(32, 1)]
  const random = () => drawn.shift() ?? Buffer.alloc(32, 2)
  const { privateKey } = responseKeyOf(newEphemeralKey(random))
  assert.equal(privateKey.export({ format: 'jwk' }).d, Buffer.alloc(32, 1).toString('base64url'))
})

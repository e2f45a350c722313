// The key that an answer is encrypted to, at rest.

import assert from 'node:assert/strict'
import { createPublicKey, randomBytes } from 'node:crypto'
import test from 'node:test'
import {
  annexCKeyOf,
  newEphemeralKey,
  openAnnexCSecrets,
  openEphemeralKey,
  provenPoint,
} from '../../src/core/verifications/domain/ephemeral-key.ts'
import { createSealer } from '../../src/platform/seal/seal.ts'

const sealer = createSealer(Buffer.alloc(32, 7), randomBytes)
const owner = { tenantId: 'ten_1', environment: 'test', id: 'ver_1' }
const stored = newEphemeralKey({ random: randomBytes, sealer }, owner)

test('the point that is shown is the one of the key that opens', () => {
  const { point, privateKey } = openEphemeralKey(sealer, stored, owner)
  const { x, y } = createPublicKey(privateKey).export({ format: 'jwk' })
  assert.deepEqual(point, { x, y })
  assert.deepEqual(provenPoint(sealer, stored, owner), { x, y })
})

test('the key for Annex C is another, of its own point, and its nonce is as long as it should be', () => {
  const secrets = openAnnexCSecrets(sealer, stored, owner)
  assert.ok(secrets !== null)
  const { x, y } = createPublicKey(annexCKeyOf(secrets)).export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(String(x), 'base64url'), Buffer.from(String(y), 'base64url')])
  assert.deepEqual(secrets.point, point)
  assert.notEqual(x, provenPoint(sealer, stored, owner).x)
  assert.equal(secrets.nonce.length, 32)
})

test('every key is another', () => {
  const other = newEphemeralKey({ random: randomBytes, sealer }, owner)
  assert.notDeepEqual(provenPoint(sealer, other, owner), provenPoint(sealer, stored, owner))
})

test('a key under the point of another neither opens nor shows that point', () => {
  const other = newEphemeralKey({ random: randomBytes, sealer }, owner)
  const swapped = Buffer.concat([other.subarray(0, 64), stored.subarray(64)])
  assert.throws(() => openEphemeralKey(sealer, swapped, owner))
  assert.throws(() => provenPoint(sealer, swapped, owner))
  assert.throws(() => openAnnexCSecrets(sealer, swapped, owner))
})

for (const [title, stranger] of Object.entries({
  tenant: { ...owner, tenantId: 'ten_2' },
  environment: { ...owner, environment: 'live' },
  verification: { ...owner, id: 'ver_2' },
})) {
  test(`a key does not open for another ${title}`, () => {
    assert.throws(() => openEphemeralKey(sealer, stored, stranger))
  })
}

test('a scalar outside the group is thrown away, not bent into it', () => {
  const drawn = [Buffer.alloc(32), Buffer.alloc(32, 0xff), Buffer.alloc(32, 1)]
  const random = () => drawn.shift() ?? Buffer.alloc(32, 2)
  const { privateKey } = openEphemeralKey(sealer, newEphemeralKey({ random, sealer }, owner), owner)
  assert.equal(privateKey.export({ format: 'jwk' }).d, Buffer.alloc(32, 1).toString('base64url'))
})

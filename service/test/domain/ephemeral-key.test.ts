// Tests the key for encrypted answers in its stored form.

import assert from 'node:assert/strict'
import { createPublicKey, randomBytes } from 'node:crypto'
import test from 'node:test'
import type { RealmRow } from '../../src/core/tenants/domain/realm.ts'
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
const owner: RealmRow = { tenantId: 'ten_1', environment: 'test', id: 'ver_1' }
const fresh = () => sealEphemeralKey(db, owner, newEphemeralKey(randomBytes))
const stored = fresh()
const open = (encryptionKey: Buffer | null, of = owner) => openEphemeralKey(db, { ...of, encryptionKey })

test('the published point belongs to the key that decrypts', () => {
  const { point, privateKey } = responseKeyOf(open(stored))
  const { x, y } = createPublicKey(privateKey).export({ format: 'jwk' })
  assert.deepEqual(point, { x, y })
  assert.deepEqual(pointOf(open(stored).point), { x, y })
})

test('Annex C has another key with its own point, and a nonce that is long enough', () => {
  const secrets = annexCSecretsOf(open(stored))
  assert.ok(secrets !== null)
  const { x, y } = createPublicKey(annexCKeyOf(secrets)).export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(String(x), 'base64url'), Buffer.from(String(y), 'base64url')])
  assert.deepEqual(secrets.point, point)
  assert.notEqual(x, pointOf(open(stored).point).x)
  assert.equal(secrets.nonce.length, 32)
})

test('every key is different', () => {
  assert.notDeepEqual(open(fresh()).point, open(stored).point)
})

test('a key stored with the point of another key can neither decrypt nor be shown', () => {
  const swapped = Buffer.concat([fresh().subarray(0, 64), stored.subarray(64)])
  assert.throws(() => open(swapped))
})

test('a destroyed key is an error, not an unencrypted answer', () => {
  assert.throws(() => open(null), /has lost its encryption key/)
})

for (const [title, stranger] of Object.entries({
  tenant: { ...owner, tenantId: 'ten_2' },
  environment: { ...owner, environment: 'live' as const },
  verification: { ...owner, id: 'ver_2' },
})) {
  test(`a key cannot be decrypted for another ${title}`, () => {
    assert.throws(() => open(stored, stranger))
  })
}

test('a scalar outside the group is discarded, not reduced', () => {
  const drawn = [Buffer.alloc(32), Buffer.alloc(32, 0xff), Buffer.alloc(32, 1)]
  const random = () => drawn.shift() ?? Buffer.alloc(32, 2)
  const { privateKey } = responseKeyOf(newEphemeralKey(random))
  assert.equal(privateKey.export({ format: 'jwk' }).d, Buffer.alloc(32, 1).toString('base64url'))
})

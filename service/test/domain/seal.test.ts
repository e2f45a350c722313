// Tests that a sealed value can be decrypted only in its own place.

import assert from 'node:assert/strict'
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import test from 'node:test'
import { createSealer, keyIdOf } from '../../src/platform/seal/seal.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))
const sealer = createSealer(random(32), random)

test('a sealed value can be decrypted, and differs each time', () => {
  const sealed = sealer.seal(Buffer.from('secret'), 'table.column|row')
  assert.equal(sealer.open(sealed, 'table.column|row').toString(), 'secret')
  assert.ok(!sealed.includes('secret'))
  assert.notDeepEqual(sealer.seal(Buffer.from('secret'), 'table.column|row'), sealed)
})

test('a sealed value cannot be decrypted in another realm, under another key, or after any change', () => {
  const sealed = sealer.seal(Buffer.from('secret'), 'a')
  assert.throws(() => sealer.open(sealed, 'b'))
  assert.throws(() => createSealer(random(32), random).open(sealed, 'a'))
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed)
    changed[index] = (changed[index] ?? 0) ^ 1
    assert.throws(() => sealer.open(changed, 'a'))
  }
  assert.throws(() => sealer.open(sealed.subarray(0, 20), 'a'))
})

test('a master key of another length is refused', () => {
  assert.throws(() => createSealer(random(16), random))
})

test('a sealed value names its key, and can be decrypted while that key is readable', () => {
  const [old, next] = [random(32), random(32)]
  const before = createSealer(old, random)
  const after = createSealer(next, random, [old])
  const sealed = before.seal(Buffer.from('secret'), 'a')
  assert.equal(keyIdOf(sealed), before.keyIds[0])
  assert.deepEqual(after.keyIds.slice(1), before.keyIds)
  assert.equal(after.open(sealed, 'a').toString(), 'secret')
  const again = after.seal(Buffer.from('secret'), 'a')
  assert.equal(keyIdOf(again), after.keyIds[0])
  assert.deepEqual(again.subarray(0, after.header.length), after.header)
  assert.throws(() => before.open(again, 'a'), /which this process does not have/)
  assert.throws(() => createSealer(next, random).open(sealed, 'a'), /which this process does not have/)
})

test('values from before key ids can still be decrypted under any of the keys', () => {
  const old = random(32)
  const nonce = random(12)
  const key = Buffer.from(hkdfSync('sha256', old, new Uint8Array(0), 'vidimus|seal-v1', 32))
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from('a'))
  const sealed = Buffer.concat([Uint8Array.of(1), nonce, cipher.update('secret'), cipher.final(), cipher.getAuthTag()])
  for (const sealer of [createSealer(old, random), createSealer(random(32), random, [random(32), old])]) {
    assert.equal(sealer.open(sealed, 'a').toString(), 'secret')
    assert.throws(() => sealer.open(sealed, 'b'))
    assert.throws(() => sealer.open(sealed.subarray(0, 20), 'a'))
  }
  assert.throws(() => createSealer(random(32), random).open(sealed, 'a'))
})

test('a stored key survives a change of the master key; other keys are derived from each readable master key', () => {
  const [old, next] = [random(32), random(32)]
  const before = createSealer(old, random)
  const after = createSealer(next, random, [old])
  before.keep(new Map())
  after.keep(new Map())
  assert.deepEqual(after.deriveReadable('pepper', 32), [after.derive('pepper', 32), before.derive('pepper', 32)])
  const pepper = after.derive('pepper', 32)
  after.keep(new Map([['signing', before.derive('signing', 32)]]))
  assert.deepEqual(after.derive('signing', 32), before.derive('signing', 32))
  assert.deepEqual(after.derive('pepper', 32), pepper)
  assert.equal(after.keeps('signing'), true)
  after.keep(new Map())
  assert.equal(after.keeps('signing'), true, 'a key that is known to be stored stays known')
})

test('nothing is derived before the stored keys are read: a derived key could differ from the stored one', () => {
  const sealer = createSealer(random(32), random)
  assert.throws(() => sealer.derive('signing', 32), /before the stored keys/)
  assert.throws(() => sealer.keeps('signing'), /before the stored keys/)
})

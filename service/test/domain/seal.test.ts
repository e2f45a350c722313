// A sealed value opens only where it belongs.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { createSealer } from '../../src/domain/seal.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))
const sealer = createSealer(random(32), random)

test('what was sealed opens again, and differs each time', () => {
  const sealed = sealer.seal(Buffer.from('secret'), 'table.column|row')
  assert.equal(sealer.open(sealed, 'table.column|row').toString(), 'secret')
  assert.ok(!sealed.includes('secret'))
  assert.notDeepEqual(sealer.seal(Buffer.from('secret'), 'table.column|row'), sealed)
})

test('a sealed value does not open in another realm, under another key, or after any change', () => {
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

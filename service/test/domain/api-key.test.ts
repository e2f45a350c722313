// Tests that API keys are recognised offline, and that one wrong character is detected.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { looksLikeApiKey, mintApiKey } from '../../src/core/tenants/domain/api-key.ts'
import { randomBase62 } from '../../src/platform/ids.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))

test('a minted key is recognised, and no version with one changed character is', () => {
  const key = mintApiKey(random, 'live')
  assert.ok(looksLikeApiKey(key))
  for (let index = 0; index < key.length; index += 1) {
    for (const other of ['a', 'Z', '0', '_', ' ']) {
      if (key[index] !== other) assert.equal(looksLikeApiKey(key.slice(0, index) + other + key.slice(index + 1)), false)
    }
  }
})

test('the scanner example of a leaked key has a correct checksum', () => {
  assert.ok(looksLikeApiKey('vk_live_uOdxboXtSiJiiGtOFRiYqmNctnGeGiPh0jMwB9'))
})

test('base62 uses every symbol about equally', () => {
  const counts = new Map<string, number>()
  for (const symbol of randomBase62(random, 62_000)) counts.set(symbol, (counts.get(symbol) ?? 0) + 1)
  assert.equal(counts.size, 62)
  const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
  assert.ok(chiSquared < 130, `chi squared ${chiSquared} over 61 degrees of freedom`)
})

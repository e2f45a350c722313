// Tests the cache of list texts: valid for one version, until time changes the text, and while it is being read.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createListedCache, type ListedText } from '../../src/core/verifications/store/listed-cache.ts'

const NEVER = { turnsAtMs: Number.POSITIVE_INFINITY, hasTurned: false }
const reading = (text: string): ListedText => ({ text, ...NEVER })
const one = { id: 'ver_1', version: '1' }

function listedCache(t: test.TestContext, { bytesMax, now = () => 0 }: { bytesMax?: number; now?: () => number } = {}) {
  const cache = createListedCache(now, bytesMax)
  t.after(() => cache.close())
  return cache
}

test('a version is found, another version of the same id is not', (t) => {
  const known = listedCache(t)
  assert.equal(known.find(one, 0), null)
  known.keep(one, reading('a'))
  assert.equal(known.find(one, 0), 'a')
  assert.equal(known.find({ ...one, version: '2' }, 0), null)
  known.keep({ ...one, version: '2' }, reading('b'))
  assert.equal(known.find(one, 0), null)
  assert.equal(known.find({ ...one, version: '2' }, 0), 'b')
})

test('a text that changes at a moment is found only on its own side of that moment', (t) => {
  const known = listedCache(t)
  known.keep(one, { text: 'pending', turnsAtMs: 10, hasTurned: false })
  assert.deepEqual([known.find(one, 9.999), known.find(one, 10), known.find(one, 11)], ['pending', null, null])
  known.keep(one, { text: 'expired', turnsAtMs: 10, hasTurned: true })
  assert.deepEqual([known.find(one, 9.999), known.find(one, 10), known.find(one, 11)], [null, 'expired', 'expired'])
})

test('a text that is not read for half a minute expires; a text that is read stays; a forgotten text is dropped at once', (t) => {
  let now = 0
  const known = listedCache(t, { now: () => now })
  const [two, three] = [
    { id: 'ver_2', version: '1' },
    { id: 'ver_3', version: '1' },
  ]
  for (const each of [one, two, three]) known.keep(each, reading(each.id))
  now = 29_999
  assert.equal(known.find(two, 0), 'ver_2')
  known.forget(three.id)
  assert.equal(known.find(three, 0), null)
  now = 30_000
  assert.equal(known.find(one, 0), null)
  assert.equal(known.find(two, 0), 'ver_2')
})

test('the number of bytes is limited, and a very long text is not stored', (t) => {
  const known = listedCache(t, { bytesMax: 5_000 })
  const ids = Array.from({ length: 50 }, (_, i) => ({ id: `ver_${i}`, version: '1' }))
  for (const each of ids) known.keep(each, reading('x'.repeat(100)))
  const kept = ids.filter((each) => known.find(each, 0) !== null)
  assert.ok(kept.length > 0 && kept.length <= 12, String(kept.length))
  const large = listedCache(t)
  large.keep(one, reading('x'.repeat(100_000)))
  assert.equal(large.find(one, 0), null)
})

// What is remembered of lists: only for the version it was made of, only until time alone changes it, and only while it is asked for.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createListedMemory, type ListedText } from '../../src/store/verifications/listed-memory.ts'

const NEVER = { turnsAtMs: Number.POSITIVE_INFINITY, hasTurned: false }
const reading = (text: string): ListedText => ({ text, ...NEVER })
const one = { id: 'ver_1', version: '1' }

function memory(t: test.TestContext, charactersMax?: number) {
  const made = createListedMemory(charactersMax)
  t.after(() => made.close())
  return made
}

test('a version is known, another one of the same id is not', (t) => {
  const known = memory(t)
  assert.equal(known.find(one, 0), null)
  known.keep(one, reading('a'))
  assert.equal(known.find(one, 0), 'a')
  assert.equal(known.find({ ...one, version: '2' }, 0), null)
  known.keep({ ...one, version: '2' }, reading('b'))
  assert.equal(known.find(one, 0), null)
  assert.equal(known.find({ ...one, version: '2' }, 0), 'b')
})

test('what reads differently from a moment on is known on its own side of that moment alone', (t) => {
  const known = memory(t)
  known.keep(one, { text: 'pending', turnsAtMs: 10, hasTurned: false })
  assert.deepEqual([known.find(one, 9.999), known.find(one, 10), known.find(one, 11)], ['pending', null, null])
  known.keep(one, { text: 'expired', turnsAtMs: 10, hasTurned: true })
  assert.deepEqual([known.find(one, 9.999), known.find(one, 10), known.find(one, 11)], [null, 'expired', 'expired'])
})

test('what is not asked for goes as the memory ages twice; what is stays; what is forgotten goes at once, also out of the older half', (t) => {
  const known = memory(t)
  const [two, three] = [
    { id: 'ver_2', version: '1' },
    { id: 'ver_3', version: '1' },
  ]
  for (const each of [one, two, three]) known.keep(each, reading(each.id))
  known.age()
  assert.equal(known.find(two, 0), 'ver_2')
  known.forget(three.id)
  assert.equal(known.find(three, 0), null)
  known.age()
  assert.equal(known.find(one, 0), null)
  assert.equal(known.find(two, 0), 'ver_2')
})

test('it holds so many characters in each half and no more, and nothing that is very long', (t) => {
  const known = memory(t, 1_000)
  const ids = Array.from({ length: 50 }, (_, i) => ({ id: `ver_${i}`, version: '1' }))
  for (const each of ids) known.keep(each, reading('x'.repeat(100)))
  const kept = ids.filter((each) => known.find(each, 0) !== null)
  assert.ok(kept.length > 0 && kept.length <= 20, String(kept.length))
  const large = memory(t)
  large.keep(one, reading('x'.repeat(100_000)))
  assert.equal(large.find(one, 0), null)
})

// Tests RFC 8785 with the published examples and values without a canonical form.

import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { canonicalJson, canonicalJsonOnce } from '../../src/platform/canonical-json.ts'

test('members are sorted by UTF-16 code units (RFC 8785 §3.2.3)', () => {
  const text = canonicalJson({ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 })
  assert.equal(text, '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}')
})

test('numbers are written as ECMAScript writes them (RFC 8785 appendix B)', () => {
  const cases: [number, string][] = [
    [0, '0'],
    [-0, '0'],
    [5e-324, '5e-324'],
    [-5e-324, '-5e-324'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [9007199254740992, '9007199254740992'],
    [295147905179352830000, '295147905179352830000'],
    [9.999999999999997e22, '9.999999999999997e+22'],
    [1e23, '1e+23'],
    [999999999999999700000, '999999999999999700000'],
    [1e21, '1e+21'],
    [9.999999999999997e-7, '9.999999999999997e-7'],
    [0.000001, '0.000001'],
    [333333333.3333333, '333333333.3333333'],
  ]
  for (const [value, text] of cases) assert.equal(canonicalJson(value), text)
})

test('the example of RFC 8785 §3.2.2', () => {
  const text = canonicalJson({
    numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
    literals: [null, true, false],
  })
  assert.equal(
    text,
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
})

test('an object deep inside is sorted, too, and undefined members are left out', () => {
  assert.equal(canonicalJson({ a: [{ c: 1, d: { z: 1, y: 2 } }] }), '{"a":[{"c":1,"d":{"y":2,"z":1}}]}')
  assert.equal(canonicalJson({ b: undefined, a: 1, '': [] }), '{"":[],"a":1}')
  assert.equal(canonicalJson({ a: undefined, b: { c: undefined } }), '{"b":{}}')
})

test('a value without a canonical form is refused', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', ['\udc00'], { '\ud800': 1 }]) {
    assert.throws(() => canonicalJson(value), /has no canonical form/)
    assert.throws(() => canonicalJson({ a: value }), /has no canonical form/)
    assert.throws(() => canonicalJson({ b: 1, a: value }), /has no canonical form/)
  }
})

/** Writes objects at once. Returns the names of those written, in order, by turn of the event loop. */
async function turnsOf(
  all: readonly { readonly owner: string | null; readonly name: string; readonly text?: string }[],
) {
  // An earlier test may have used up the turn.
  await setImmediate()
  const turns: string[][] = [[]]
  let isDone = false
  const next = () => {
    turns.push([])
    if (!isDone) void setImmediate().then(next)
  }
  void setImmediate().then(next)
  const written = all.map(async ({ owner, name, text = 'x'.repeat(70_000) }) => {
    const watched = {
      get text() {
        turns.at(-1)?.push(name)
        return text
      },
    }
    assert.equal(await canonicalJsonOnce(watched, owner), JSON.stringify({ text }))
  })
  const outcomes = await Promise.allSettled(written)
  isDone = true
  return { turns: turns.filter((names) => names.length > 0), outcomes }
}
const longOf = (owner: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ owner, name: `${owner}${i}` }))

test('long texts are written one per turn of the event loop, and their owners take turns', async () => {
  const { turns } = await turnsOf([...longOf('a', 6), ...longOf('b', 3), ...longOf('c', 1)])
  assert.deepEqual(
    turns.map((names) => names.join(' ')),
    ['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3', 'b2', 'a4', 'a5'],
  )
})

test('short texts wait for no long ones', async () => {
  const short = Array.from({ length: 64 }, (_, i) => ({ owner: null, name: `s${i}`, text: 'x' }))
  const { turns } = await turnsOf([...longOf('a', 300), ...short])
  assert.deepEqual(turns[0], ['a0', ...short.map(({ name }) => name)])
  assert.equal(turns.length, 300)
})

test('a text that cannot be written does not stop those that wait', async () => {
  const bad = { owner: 'a', name: 'bad', text: '\ud800' }
  const { turns, outcomes } = await turnsOf([...longOf('a', 1), bad, bad, ...longOf('b', 2)])
  assert.deepEqual(turns, [['a0'], ['bad'], ['b0'], ['bad'], ['b1']])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled'],
  )
})

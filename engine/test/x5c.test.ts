// Tests the parser of x5c: the header may be present, absent, or not a chain of certificates.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../src/limits.ts'
import type { Json } from '../src/verdict.ts'
import { readX5c } from '../src/x5c.ts'

const certificates = (count: number): string[] => Array(count).fill('AQID')

test('a header without x5c has no chain, which is not the same as a malformed one', () => {
  assert.deepEqual(readX5c({ x5u: 'https://sender.example', jwk: {} }), { outcome: 'absent' })
})

test('the number of certificates is limited: one more is malformed', () => {
  const carried = readX5c({ x5c: certificates(LIMITS.x5cLength) })
  assert.ok(carried.outcome === 'carried')
  assert.equal(carried.chain.length, LIMITS.x5cLength)
  assert.deepEqual([...(carried.chain[0] ?? [])], [1, 2, 3])
  assert.deepEqual(readX5c({ x5c: certificates(LIMITS.x5cLength + 1) }), { outcome: 'malformed' })
})

const MALFORMED: readonly (readonly [string, Json])[] = [
  ['null', null],
  ['a text', 'AQID'],
  ['an empty list', []],
  ['an empty certificate', ['AQID', '']],
  ['a certificate that is not a text', ['AQID', 1]],
  ['base64url', ['-_-_']],
  ['base64 without its padding', ['AQI']],
]
for (const [what, x5c] of MALFORMED) {
  test(`an x5c that is or has ${what} is malformed`, () => {
    assert.deepEqual(readX5c({ x5c }), { outcome: 'malformed' })
  })
}

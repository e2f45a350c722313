// A Pick of more than eight dependencies is a problem, however it is written.

import assert from 'node:assert/strict'
import test from 'node:test'
import { largePicks } from '../suite/needs.ts'

const pick = (count: number, by: string) =>
  `type Needs = Pick<\n  Deps,\n  ${Array.from({ length: count }, (_, i) => `'m${i}'`).join(by)}\n>`

test('eight of Deps may be picked at once, on one line or on many; nine not', () => {
  for (const by of [' | ', '\n  | ']) {
    assert.deepEqual(largePicks('a.ts', pick(8, by)), [])
    assert.deepEqual(largePicks('a.ts', `\n${pick(9, by)}`), ['a.ts:2 picks 9 of Deps, at most 8 may be'])
  }
})

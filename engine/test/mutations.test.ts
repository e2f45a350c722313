// Tests that each mutation is caught by its own check.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ELSEWHERE, MUTATIONS } from '../../wallet/mutations/catalogue.ts'
import { createWorld } from '../../wallet/mutations/world.ts'
import { CHECKS, type CheckName } from '../src/index.ts'
import { accepts, refuses } from './judge-mutation.ts'

const world = createWorld()

for (const format of ['envelope', 'vp_token', 'dc+sd-jwt', 'mso_mdoc'] as const) {
  describe(format, () => {
    for (const mutation of MUTATIONS.filter((entry) => entry.format === format)) {
      const verb = mutation.positive ? 'accepts' : 'refuses'
      test(`${mutation.id} ${verb}: ${mutation.title}`, () =>
        mutation.positive ? accepts(mutation, world) : refuses(mutation, world))
    }
  })
}

/** They only cause warnings. */
const NEVER_FAILS: readonly CheckName[] = ['claim_conflict', 'transaction_order']

test('every check that can fail has a mutation that only it catches', () => {
  const caught = new Set(MUTATIONS.map((mutation) => mutation.expectedCheck))
  const missing = CHECKS.filter((check) => !NEVER_FAILS.includes(check) && !caught.has(check))
  assert.deepEqual(missing, [])
})

test('every case of the catalogue has a mutation or a reason why not', () => {
  const covered = new Set([...MUTATIONS.map((mutation) => mutation.id), ...Object.keys(ELSEWHERE)])
  const cases = Array.from({ length: 215 - 29 }, (_, index) => `N${String(index + 30).padStart(3, '0')}`)
  assert.deepEqual(
    cases.filter((id) => !covered.has(id)),
    [],
  )
})

test('expectations name existing checks', () => {
  const words: readonly string[] = [
    ...CHECKS,
    'malformed',
    'query_not_satisfied',
    'transaction_not_confirmed',
    'accepted',
  ]
  assert.deepEqual(
    MUTATIONS.filter((mutation) => !words.includes(mutation.expectedCheck)),
    [],
  )
  assert.deepEqual(
    MUTATIONS.filter((mutation) => (mutation.expectedCheck === 'accepted') !== (mutation.positive === true)),
    [],
  )
})

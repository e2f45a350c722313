// Every way to spoil exactly one thing is caught, by the check that is there for it.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ELSEWHERE, MUTATIONS } from '../../wallet/mutations/catalogue.ts'
import type { Mutation } from '../../wallet/mutations/mutation.ts'
import { createWorld } from '../../wallet/mutations/world.ts'
import { CHECKS, type Check, type CheckName, type Verdict } from '../src/index.ts'
import { judgeTrial } from './trial.ts'

const world = createWorld()

for (const format of ['envelope', 'vp_token', 'dc+sd-jwt', 'mso_mdoc'] as const) {
  describe(format, () => {
    for (const mutation of MUTATIONS.filter((entry) => entry.format === format)) {
      const verb = mutation.positive ? 'accepts' : 'refuses'
      test(`${mutation.id} ${verb}: ${mutation.title}`, () =>
        mutation.positive ? accepts(mutation) : refuses(mutation))
    }
  })
}

async function refuses(mutation: Mutation): Promise<void> {
  const outcome = await judgeTrial(await mutation.make(world))
  if (outcome.kind !== 'verdict') {
    assert.equal(outcome.kind, mutation.expectedCheck)
    return
  }
  const { verdict, fetches } = outcome
  assert.equal(verdict.outcome, 'rejected')
  assert.deepEqual(
    failedChecks(verdict),
    CHECK_NAMES.has(mutation.expectedCheck) ? [mutation.expectedCheck, ...(mutation.alsoFails ?? [])] : [],
    describeChecks(verdict),
  )
  assert.equal(failedChecks(verdict)[0] ?? verdict.code, mutation.expectedCheck)
  assert.ok(
    verdict.credentials.every((credential) => !('claims' in credential)),
    'a rejected credential has no claims',
  )
  // N213: nobody is asked about the status of a credential that already failed.
  if (!STATUS_CHECKS.includes(mutation.expectedCheck)) assert.equal(fetches, 0)
}

const STATUS_CHECKS: readonly string[] = ['not_revoked', 'signer_not_revoked'] satisfies CheckName[]

async function accepts(mutation: Mutation): Promise<void> {
  const outcome = await judgeTrial(await mutation.make(world))
  assert.equal(outcome.kind, 'verdict')
  if (outcome.kind !== 'verdict') return
  const { verdict } = outcome
  assert.equal(verdict.outcome, 'accepted', describeChecks(verdict))
  if (verdict.outcome !== 'accepted') return
  if (mutation.claims !== undefined) {
    assert.deepEqual(plain(verdict.credentials.map((credential) => credential.claims)), mutation.claims)
  }
  const warnings = verdict.credentials.flatMap(({ checks }) => checks.filter(({ status }) => status === 'warning'))
  assert.deepEqual(
    warnings.map(({ check }) => check),
    mutation.warning === undefined ? [] : [mutation.warning],
  )
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
}

const CHECK_NAMES: ReadonlySet<string> = new Set(CHECKS)

/** One thing was spoiled, so one check fails: that is how we know that no other would have caught it. */
function failedChecks(verdict: Verdict): readonly string[] {
  const checks: readonly Check[] = verdict.credentials.flatMap((credential) => credential.checks)
  return checks.filter(({ status }) => status === 'fail').map(({ check }) => check)
}

function describeChecks(verdict: Verdict): string {
  const details = verdict.credentials.flatMap(({ checks }) => checks.filter(({ status }) => status !== 'pass'))
  return `${verdict.outcome === 'rejected' ? verdict.message : ''} ${JSON.stringify(details)}`
}

/** Objects without a prototype compare as unequal to literals. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** It only ever warns. */
const NEVER_FAILS: readonly CheckName[] = ['claim_conflict']

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

test('expectations name checks the engine knows', () => {
  const words: readonly string[] = [...CHECKS, 'malformed', 'query_not_satisfied', 'accepted']
  assert.deepEqual(
    MUTATIONS.filter((mutation) => !words.includes(mutation.expectedCheck)),
    [],
  )
  assert.deepEqual(
    MUTATIONS.filter((mutation) => (mutation.expectedCheck === 'accepted') !== (mutation.positive === true)),
    [],
  )
})

// Asserts that exactly one check refuses a mutation, which proves that this check is needed.

import assert from 'node:assert/strict'
import type { Mutation } from '../../wallet/mutations/mutation.ts'
import type { World } from '../../wallet/mutations/world.ts'
import { CHECKS, type Check, type CheckName, type Verdict } from '../src/index.ts'
import { judgeTrial, type Outcome } from './trial.ts'

export async function refuses(mutation: Mutation, world: World): Promise<void> {
  requireRefusal(mutation, await judgeTrial(await mutation.make(world)))
}

export function requireRefusal(mutation: Mutation, outcome: Outcome): void {
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
  assert.equal(failedChecks(verdict)[0] ?? (verdict.outcome === 'rejected' && verdict.code), mutation.expectedCheck)
  assert.ok(
    verdict.credentials.every((credential) => !('claims' in credential)),
    'a rejected credential has no claims',
  )
  // N213: no status is fetched for a credential that already failed.
  if (!STATUS_CHECKS.includes(mutation.expectedCheck)) assert.equal(fetches, 0)
}

const STATUS_CHECKS: readonly string[] = ['not_revoked', 'signer_not_revoked'] satisfies CheckName[]

export async function accepts(mutation: Mutation, world: World): Promise<void> {
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
    mutation.warnings ?? [],
  )
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
}

const CHECK_NAMES: ReadonlySet<string> = new Set(CHECKS)

export function failedChecks(verdict: Verdict): readonly string[] {
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

// Provides valid presentations and their conclusions to the fuzzers (VIDIMUS_FUZZ_RUNS, VIDIMUS_FUZZ_SEED).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mdocTrial } from '../../../wallet/mutations/mdoc/mdoc-trial.ts'
import { sdJwtTrial } from '../../../wallet/mutations/sd-jwt/sd-jwt-trial.ts'
import { createWorld, type Trial } from '../../../wallet/mutations/world.ts'
import { type Json, type Verdict, verifyPresentation } from '../../src/index.ts'
import { expectedOf, trustOf } from '../trial.ts'

const RUNS = Number(process.env.VIDIMUS_FUZZ_RUNS ?? 10_000)
const SEED = Number(process.env.VIDIMUS_FUZZ_SEED ?? Date.now() % 2 ** 31)
export const where = fc.nat()

/** Tests a property with its share of all runs. */
export function fuzz<Values extends [unknown, ...unknown[]]>(
  title: string,
  share: number,
  property: fc.IAsyncProperty<Values>,
): void {
  const numRuns = Math.max(1, Math.round(RUNS * share))
  test(`${title} (${numRuns} mutants, seed ${SEED})`, () => fc.assert(property, { numRuns, seed: SEED }))
}

export const world = createWorld()
export const sdJwt = subject(sdJwtTrial(world), 'pid')
export const mdoc = subject(mdocTrial(world), 'mdl')

function subject(trial: Trial, id: string) {
  const presented = String((trial.vpToken as { [id: string]: string[] })[id]?.[0])
  const expected = expectedOf(trial)
  const trust = trustOf(trial)
  const judge = (vpToken: Json): Promise<Verdict> => verifyPresentation(vpToken, expected, trust)
  return { trial, presented, expected, trust, judge: (text: string) => judge({ [id]: [text] }), judgeToken: judge }
}

/** What an accepted mutant must not change: the claims and their issuer. */
export function conclusion(verdict: Verdict): unknown {
  if (verdict.outcome === 'rejected') return null
  return JSON.parse(
    JSON.stringify(
      verdict.credentials.map(({ claims, doctypeOrVct, issuer, format }) => ({ claims, doctypeOrVct, issuer, format })),
    ),
  )
}

export const original = {
  sdJwt: conclusion(await sdJwt.judge(sdJwt.presented)),
  mdoc: conclusion(await mdoc.judge(mdoc.presented)),
}

/** A mutant that is signed again may contain anything, but the verdict contains nothing that was not requested. */
export function requireOnlyAsked(verdict: Extract<Verdict, { outcome: 'accepted' }>, names: readonly string[]): void {
  for (const { claims } of verdict.credentials)
    assert.deepEqual(
      Object.keys(claims).filter((name) => !names.includes(name)),
      [],
    )
}

// Reads a closed document: every part knows its path, and problems are collected instead of thrown, so that all are reported at once.

import { nearestOf } from '../../../platform/nearest.ts'
import type { SetupPath, SetupProblem } from './setup.ts'

export interface Given {
  readonly json: unknown
  readonly path: SetupPath
  readonly problems: SetupProblem[]
}

/** Records the problem, and returns undefined for the reader's result. */
export function wrong({ path, problems }: Given, message: string): undefined {
  problems.push({ path, message })
}

/** The members that are present. An unknown one is a problem: a typing error must not be ignored. */
export function membersOf<Name extends string>(
  given: Given,
  known: readonly Name[],
): Partial<Record<Name, Given>> | undefined {
  const { json, path, problems } = given
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return wrong(given, 'must be an object')
  const found: Partial<Record<Name, Given>> = {}
  for (const [name, value] of Object.entries(json)) {
    const member = known.find((one) => one === name)
    if (member !== undefined) found[member] = { json: value, path: [...path, name], problems }
    else problems.push({ path: [...path, name], message: `is not known here${meant(name, known)}` })
  }
  return found
}

function meant(name: string, known: readonly string[]): string {
  const near = nearestOf(name, known)
  return near === null ? `; there are ${known.join(', ')}` : `; did you mean ${near}?`
}

/** Each with its name. */
export function entriesOf(given: Given): (readonly [string, Given])[] | undefined {
  const { json, path, problems } = given
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return wrong(given, 'must be an object')
  return Object.entries(json).map(([name, value]) => [name, { json: value, path: [...path, name], problems }])
}

export function listOf(given: Given): Given[] | undefined {
  const { json, path, problems } = given
  if (!Array.isArray(json)) return wrong(given, 'must be a list')
  return json.map((value: unknown, at) => ({ json: value, path: [...path, at], problems }))
}

/** The results of `read`; items without a result have recorded their problem. */
export function readEach<T>(given: Given | undefined, read: (one: Given) => T | undefined): T[] | null {
  if (given === undefined) return null
  return (listOf(given) ?? []).flatMap((one) => read(one) ?? [])
}

export function textOf(given: Given | undefined, within: Given, name: string): string | undefined {
  if (given === undefined) return wrong(within, `${name} is missing`)
  return typeof given.json === 'string' ? given.json : wrong(given, 'must be text')
}

/** One of a closed set; `fallback` if absent. */
export function choiceOf<T extends string | number>(
  given: Given | undefined,
  choices: readonly T[],
  fallback: T | null,
): T | null | undefined {
  if (given === undefined) return fallback
  const found = choices.find((choice) => choice === given.json)
  return found ?? wrong(given, `must be one of ${choices.join(', ')}`)
}

/** Requires distinct keys; items without one (null) do not collide. */
export function requireDistinct<T extends { readonly path: SetupPath }>(
  given: Given | undefined,
  entries: readonly T[] | null,
  member: string,
  identityOf: (entry: T) => string | null,
): void {
  const seen = new Set<string>()
  for (const entry of entries ?? []) {
    const identity = identityOf(entry)
    if (identity === null) continue
    if (seen.has(identity))
      given?.problems.push({ path: [...entry.path, member], message: 'another one has it already' })
    seen.add(identity)
  }
}

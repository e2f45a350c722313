// Readers for the values of a set-up file. They collect problems with their paths, so that all problems are reported at once.

import { nearestOf } from '../../../platform/nearest.ts'
import type { SetupPath, SetupProblem } from './setup.ts'

export interface SetupValue {
  readonly json: unknown
  readonly path: SetupPath
  readonly problems: SetupProblem[]
}

/** Records the problem. Returns undefined, which readers return for an invalid value. */
export function wrong({ path, problems }: SetupValue, message: string): undefined {
  problems.push({ path, message })
}

/** Returns the members that are present. An unknown member is a problem, because it may be a typing error. */
export function membersOf<Name extends string>(
  value: SetupValue,
  known: readonly Name[],
): Partial<Record<Name, SetupValue>> | undefined {
  const { json, path, problems } = value
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return wrong(value, 'must be an object')
  const found: Partial<Record<Name, SetupValue>> = {}
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

/** All members with their names. */
export function entriesOf(value: SetupValue): (readonly [string, SetupValue])[] | undefined {
  const { json, path, problems } = value
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return wrong(value, 'must be an object')
  return Object.entries(json).map(([name, value]) => [name, { json: value, path: [...path, name], problems }])
}

export function listOf(value: SetupValue): SetupValue[] | undefined {
  const { json, path, problems } = value
  if (!Array.isArray(json)) return wrong(value, 'must be a list')
  return json.map((value: unknown, at) => ({ json: value, path: [...path, at], problems }))
}

/** Returns the results of `read`. Items without a result have already recorded their problem. */
export function readEach<T>(value: SetupValue | undefined, read: (one: SetupValue) => T | undefined): T[] | null {
  if (value === undefined) return null
  return (listOf(value) ?? []).flatMap((one) => read(one) ?? [])
}

export function textOf(value: SetupValue | undefined, within: SetupValue, name: string): string | undefined {
  if (value === undefined) return wrong(within, `${name} is missing`)
  return typeof value.json === 'string' ? value.json : wrong(value, 'must be text')
}

/** Returns one value of a closed set; `fallback` if the value is absent. */
export function choiceOf<T extends string | number>(
  value: SetupValue | undefined,
  choices: readonly T[],
  fallback: T | null,
): T | null | undefined {
  if (value === undefined) return fallback
  const found = choices.find((choice) => choice === value.json)
  return found ?? wrong(value, `must be one of ${choices.join(', ')}`)
}

/** Requires distinct keys. Items without a key (null) do not collide. */
export function requireDistinct<T extends { readonly path: SetupPath }>(
  value: SetupValue | undefined,
  entries: readonly T[] | null,
  member: string,
  identityOf: (entry: T) => string | null,
): void {
  const seen = new Set<string>()
  for (const entry of entries ?? []) {
    const identity = identityOf(entry)
    if (identity === null) continue
    if (seen.has(identity))
      value?.problems.push({ path: [...entry.path, member], message: 'another entry has the same value' })
    seen.add(identity)
  }
}

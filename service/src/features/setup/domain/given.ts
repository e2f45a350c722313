// Reading a closed document: every part of it knows where it stands, and what is wrong is gathered, not thrown, so that the
// whole of it is judged at once.

import { nearestOf } from '../../../platform/nearest.ts'
import type { SetupPath, SetupProblem } from './setup.ts'

export interface Given {
  readonly json: unknown
  readonly path: SetupPath
  readonly problems: SetupProblem[]
}

/** Notes it, and is what a reader gives where there is nothing to give. */
export function wrong({ path, problems }: Given, message: string): undefined {
  problems.push({ path, message })
}

/** The members that are there. One that is not known is a problem: a typing error must not pass for a wish. */
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

/** Each with the name it stands under. */
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

/** What `read` makes of each; those that it makes nothing of have left their problem. */
export function readEach<T>(given: Given | undefined, read: (one: Given) => T | undefined): T[] | null {
  if (given === undefined) return null
  return (listOf(given) ?? []).flatMap((one) => read(one) ?? [])
}

export function textOf(given: Given | undefined, within: Given, name: string): string | undefined {
  if (given === undefined) return wrong(within, `${name} is missing`)
  return typeof given.json === 'string' ? given.json : wrong(given, 'must be text')
}

/** One of a closed set; `fallback` where nothing is said. */
export function choiceOf<T extends string | number>(
  given: Given | undefined,
  choices: readonly T[],
  fallback: T | null,
): T | null | undefined {
  if (given === undefined) return fallback
  const found = choices.find((choice) => choice === given.json)
  return found ?? wrong(given, `must be one of ${choices.join(', ')}`)
}

/** That no two have the same; those without one (null) are alike in nothing. */
export function demandDistinct<T extends { readonly path: SetupPath }>(
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

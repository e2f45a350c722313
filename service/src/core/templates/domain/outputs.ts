// Defines the rules of a template's outputs, which are plain JSON. read-outputs.ts applies them.

import { overlapsPath, pathTreeOf } from '@vidimus/engine/claims'
import type { AgeSource } from './age.ts'

/** Where a value may come from: the id of a credential query, and a path of names (mdoc: namespace, element). */
export interface Source {
  readonly credential: string
  readonly path: readonly string[]
  /** A second path of the same credential. Its text is appended after a space: a house number after its street. */
  readonly append?: readonly string[]
}

export type OutputRule =
  /**
   * The first source that has a value. `list`: a single value becomes a list of one. `bytes`: base64url, also from a
   * data URL.
   */
  | { readonly value: readonly Source[]; readonly as?: 'list' | 'bytes' }
  /**
   * All members come from one credential, the first that has any: parts of two must not be combined. Missing members
   * are left out.
   */
  | { readonly object: Readonly<Record<string, readonly Source[]>> }
  /**
   * A boolean, false if any credential says so. Each of `flags` is a claim about one age. A birth date is used to
   * compute the age and never kept.
   */
  | { readonly age_over: number; readonly flags: readonly AgeSource[]; readonly birth_dates: readonly Source[] }

export type Outputs = Readonly<Record<string, OutputRule>>

/** Whether a birth date is requested only to compute an age. */
export function readsBirthDateOnlyForAge(outputs: Outputs): boolean {
  const birthDates = Object.values(outputs).flatMap((rule) => ('age_over' in rule ? rule.birth_dates : []))
  const published = pathTreeOf(publishedBy(outputs).map(pathOf))
  return birthDates.length > 0 && !birthDates.some((source) => overlapsPath(published, pathOf(source)))
}

/** The query's id, and the path in its credential. */
export const pathOf = ({ credential, path }: Source): readonly string[] => [credential, ...path]

export const publishedBy = (outputs: Outputs): readonly Source[] =>
  Object.values(outputs).flatMap((rule) => ('age_over' in rule ? [] : sourcesOf(rule)))

/** Every source of a rule, in order. */
export function sourcesOf(rule: OutputRule): readonly Source[] {
  if ('value' in rule) return rule.value
  if ('object' in rule) return Object.values(rule.object).flat()
  return [...rule.flags, ...rule.birth_dates]
}

/** For all outputs together, because each source is read in every presentation. Built-in templates have at most 19. */
export const TEMPLATE_SOURCES_MAX = 500
export const TOO_MANY_SOURCES = `must name at most ${TEMPLATE_SOURCES_MAX} sources in total`

export function hasTooManySources(outputs: Outputs): boolean {
  return Object.values(outputs).flatMap(sourcesOf).length > TEMPLATE_SOURCES_MAX
}

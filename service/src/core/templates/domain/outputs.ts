// Turns verified credentials into a template's outputs, in one vocabulary for all kinds of credentials. Output rules
// are plain JSON in the template and are stored with each verification.

import type { Json, JsonObject } from '@vidimus/engine'
import { type AgeSource, ageAtLeast } from './age.ts'

/**
 * Where a value may come from: the id of a credential query and the names of its path. mdoc: namespace, element, ...
 */
export interface Source {
  readonly credential: string
  readonly path: readonly string[]
  /** A second path of the same credential: its text is appended after a space. For a street and its house number. */
  readonly append?: readonly string[]
}

export type OutputRule =
  /**
   * The first source that has a value. `list`: a single value becomes a list of one. `bytes`: base64url, also from a
   * data URL.
   */
  | { readonly value: readonly Source[]; readonly as?: 'list' | 'bytes' }
  /**
   * Every member from one credential, the first one that has any: parts of two must not be combined. Missing members
   * are left out.
   */
  | { readonly object: Readonly<Record<string, readonly Source[]>> }
  /**
   * A boolean, false as soon as one credential says so. `flags` are claims about an age of their own; `birth_dates` are
   * only computed with and never kept.
   */
  | { readonly age_over: number; readonly flags: readonly AgeSource[]; readonly birth_dates: readonly Source[] }

export type Outputs = Readonly<Record<string, OutputRule>>

/** An accepted credential, as the engine returns it. SD-JWT: nested. mdoc: namespace -> element -> value. */
export interface AnsweringCredential {
  readonly queryId: string
  readonly claims: JsonObject
}

interface OutputValues {
  readonly claims: JsonObject
  /** Outputs without a value from any credential: the question is not answered. */
  readonly missing: readonly string[]
}

/** `utcDay` (YYYY-MM-DD) is the day of the response: ages are computed for that day. */
export function outputsOf(outputs: Outputs, credentials: readonly AnsweringCredential[], utcDay: string): OutputValues {
  const claims: Record<string, Json> = {}
  const missing: string[] = []
  for (const [name, rule] of Object.entries(outputs)) {
    const value = applyRule(rule, credentials, utcDay)
    if (value === undefined) missing.push(name)
    else claims[name] = value
  }
  return { claims, missing }
}

/**
 * The claims of one credential that may be kept under their own names: all but those that an age was computed from. The
 * answer itself, under the output's name, replaces those.
 */
export function keptClaims(outputs: Outputs, credential: AnsweringCredential, utcDay: string): JsonObject {
  const rules = Object.entries(outputs)
  const ageSources = rules.flatMap(([, rule]) => ('age_over' in rule ? sourcesOf(rule) : []))
  const published = publishedBy(outputs)
  const withheld = ageSources.filter((source) => !published.some((other) => sameSource(source, other)))
  let claims = credential.claims
  for (const { credential: id, path } of withheld) if (id === credential.queryId) claims = without(claims, path)
  const answers = rules.flatMap(([name, rule]) => {
    const answer = 'age_over' in rule ? applyRule(rule, [credential], utcDay) : undefined
    return answer === undefined ? [] : [[name, answer] as const]
  })
  return { ...claims, ...Object.fromEntries(answers) }
}

/** Whether a birth date is requested only to compute an age. */
export function readsBirthDateOnlyForAge(outputs: Outputs): boolean {
  const birthDates = Object.values(outputs).flatMap((rule) => ('age_over' in rule ? rule.birth_dates : []))
  const published = publishedBy(outputs)
  return birthDates.length > 0 && !birthDates.some((source) => published.some((other) => overlap(source, other)))
}

const publishedBy = (outputs: Outputs) =>
  Object.values(outputs).flatMap((rule) => ('age_over' in rule ? [] : sourcesOf(rule)))

/** Every source of a rule, in order. */
export function sourcesOf(rule: OutputRule): readonly Source[] {
  if ('value' in rule) return rule.value
  if ('object' in rule) return Object.values(rule.object).flat()
  return [...rule.flags, ...rule.birth_dates]
}

function applyRule(rule: OutputRule, credentials: readonly AnsweringCredential[], utcDay: string): Json | undefined {
  if ('value' in rule) return shape(first(rule.value, credentials), rule.as)
  return 'object' in rule ? objectOf(rule, credentials) : ageOf(rule, credentials, utcDay)
}

type Rule<Kind extends string> = Extract<OutputRule, Readonly<Record<Kind, unknown>>>

function objectOf(rule: Rule<'object'>, credentials: readonly AnsweringCredential[]): Json | undefined {
  const named = new Set(sourcesOf(rule).map(({ credential }) => credential))
  const inOrder = [...named].flatMap((id) => credentials.filter(({ queryId }) => queryId === id))
  for (const credential of inOrder) {
    const members = Object.entries(rule.object).flatMap(([name, sources]) => {
      const value = first(sources, [credential])
      return value === undefined ? [] : [[name, value] as const]
    })
    if (members.length > 0) return Object.fromEntries(members)
  }
  return undefined
}

/** If credentials contradict each other, one no decides, so that no holder is made older. */
function ageOf(rule: Rule<'age_over'>, credentials: readonly AnsweringCredential[], utcDay: string): Json | undefined {
  const answers = credentials.map((credential) =>
    ageAtLeast(rule.age_over, {
      flags: rule.flags.map((source) => ({ age: source.age, value: lookUp(source, [credential]) })),
      birthDates: rule.birth_dates.map((source) => lookUp(source, [credential])),
      utcDay,
    }),
  )
  return answers.includes(false) ? false : answers.find((answer) => answer !== undefined)
}

function first(sources: readonly Source[], credentials: readonly AnsweringCredential[]): Json | undefined {
  for (const source of sources) {
    const value = lookUp(source, credentials)
    if (value !== undefined) return value
  }
  return undefined
}

/** Issuers write null or the empty text for "no value" (a portrait that a holder opted out of, for example). */
function lookUp(source: Source, credentials: readonly AnsweringCredential[]): Json | undefined {
  for (const { queryId, claims } of credentials) {
    if (queryId !== source.credential) continue
    const value = walk(claims, source.path)
    if (value === undefined || value === null || value === '') continue
    return source.append === undefined ? value : appendText(value, walk(claims, source.append))
  }
  return undefined
}

/** Some issuers write the house number into the street as well: it is not repeated. */
function appendText(value: Json, appended: Json | undefined): Json {
  if (typeof value !== 'string' || typeof appended !== 'string' || appended === '') return value
  return value === appended || value.endsWith(` ${appended}`) ? value : `${value} ${appended}`
}

function walk(claims: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = claims
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}

function without(claims: JsonObject, path: readonly string[]): JsonObject {
  const [name, ...rest] = path
  if (name === undefined || !Object.hasOwn(claims, name)) return claims
  const { [name]: member, ...others } = claims
  if (rest.length === 0 || !isObject(member)) return others
  const inner = without(member, rest)
  return Object.keys(inner).length === 0 ? others : { ...others, [name]: inner }
}

function shape(value: Json | undefined, as: 'list' | 'bytes' | undefined): Json | undefined {
  if (value === undefined || as === undefined) return value
  if (as === 'list') return Array.isArray(value) ? (value.length === 0 ? undefined : value) : [value]
  const base64 = typeof value === 'string' ? (/^data:[^,]*;base64,(.*)$/s.exec(value)?.[1] ?? value) : undefined
  return base64?.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') || undefined
}

function sameSource(a: Source, b: Source): boolean {
  return a.path.length === b.path.length && overlap(a, b)
}

/** Whether one is the other, or a part of it. */
function overlap(a: Source, b: Source): boolean {
  const shorter = Math.min(a.path.length, b.path.length)
  return a.credential === b.credential && a.path.slice(0, shorter).every((name, i) => name === b.path[i])
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

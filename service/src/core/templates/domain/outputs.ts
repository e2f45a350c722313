// What does a template's answer say, in one vocabulary whatever credential gave it? Outputs are rules that stand with the
// template (plain JSON, stored with each verification); here they are applied to what was verified.

import type { Json, JsonObject } from '@vidimus/engine'
import { type AgeSource, ageAtLeast } from './age.ts'

/** Where a value may come from: the id of a credential query and the names that lead to it. mdoc: namespace, element, ... */
export interface Source {
  readonly credential: string
  readonly path: readonly string[]
}

export type OutputRule =
  /** The first source that has a value. `list`: a single value becomes a list of one. `bytes`: base64url, of a data URL too. */
  | { readonly value: readonly Source[]; readonly as?: 'list' | 'bytes' }
  /** Every member from one credential, the first named that has any: parts of two do not make a whole. What it lacks is left out. */
  | { readonly object: Readonly<Record<string, readonly Source[]>> }
  /** A boolean, false as soon as one credential says so. `flags` say something of their own age; `birth_dates` are computed with and never kept. */
  | { readonly age_over: number; readonly flags: readonly AgeSource[]; readonly birth_dates: readonly Source[] }

export type Outputs = Readonly<Record<string, OutputRule>>

/** A credential that was accepted, as the engine gives it. SD-JWT: nested. mdoc: namespace -> element -> value. */
export interface AnsweringCredential {
  readonly queryId: string
  readonly claims: JsonObject
}

export interface OutputValues {
  readonly claims: JsonObject
  /** Outputs that no credential gave a value for: the question is not answered. */
  readonly missing: readonly string[]
}

/** `utcDay` (YYYY-MM-DD) is the day of the response: ages are those of that day. */
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
 * What may be kept of one credential under its own names: everything but what an age was told from. Instead of that,
 * the answer itself stands under the output's name.
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

/** Whether a birth date is asked for that tells an age and goes no further. */
export function readsBirthDateOnlyForAge(outputs: Outputs): boolean {
  const birthDates = Object.values(outputs).flatMap((rule) => ('age_over' in rule ? rule.birth_dates : []))
  const published = publishedBy(outputs)
  return birthDates.length > 0 && !birthDates.some((source) => published.some((other) => overlap(source, other)))
}

const publishedBy = (outputs: Outputs) =>
  Object.values(outputs).flatMap((rule) => ('age_over' in rule ? [] : sourcesOf(rule)))

/** Every source a rule reads, in its order. */
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

/** Where credentials contradict each other nobody is made older. */
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

/** null and the empty text are how issuers say that they say nothing (a portrait a holder opted out of, for one). */
function lookUp(source: Source, credentials: readonly AnsweringCredential[]): Json | undefined {
  for (const { queryId, claims } of credentials) {
    const value = queryId === source.credential ? walk(claims, source.path) : undefined
    if (value !== undefined && value !== null && value !== '') return value
  }
  return undefined
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

/** One is the other, or a part of it. */
function overlap(a: Source, b: Source): boolean {
  const shorter = Math.min(a.path.length, b.path.length)
  return a.credential === b.credential && a.path.slice(0, shorter).every((name, i) => name === b.path[i])
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

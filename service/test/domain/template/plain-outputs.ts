// The outputs of a template by its rules, rule by rule and without regard to cost: the service must agree.

import type { DcqlQuery, Json, JsonObject } from '@vidimus/engine'
import { createBirthReader } from '@vidimus/engine/claims'
import { ageAtLeast } from '../../../src/core/templates/domain/age.ts'
import { type OutputRule, type Outputs, type Source, sourcesOf } from '../../../src/core/templates/domain/outputs.ts'
import type { AnsweringCredential } from '../../../src/core/templates/domain/read-outputs.ts'

export function plainAnswer(query: DcqlQuery, outputs: Outputs, accepted: readonly AnsweringCredential[], day: string) {
  const denied = Object.entries(outputs).flatMap(([name, rule]) =>
    'age_over' in rule && plainOutput(rule, accepted, day) === false ? [name] : [],
  )
  const answers = combinationsOf(query, accepted).map(({ ids, read }) => {
    const claims = Object.entries(outputs).map(([name, rule]) => [name, plainOutput(rule, read, day)] as const)
    return { ids, claims }
  })
  const missingOf = (one: (typeof answers)[number]) =>
    one.claims.flatMap(([name, value]) => (value === undefined ? [name] : []))
  const whole = answers.filter((one) => missingOf(one).length === 0)
  const agreeing = whole.find(({ claims }) =>
    claims.every(([name, value]) => !denied.includes(name) || value === false),
  )
  const chosen = agreeing ?? whole[0]
  if (chosen === undefined) {
    const [first] = answers
    return { outcome: 'unanswered', missing: first === undefined ? Object.keys(outputs) : missingOf(first) }
  }
  const claims = Object.fromEntries(chosen.claims.map(([name, value]) => [name, denied.includes(name) ? false : value]))
  return { outcome: 'answered', claims, credentials: accepted.filter(({ queryId }) => chosen.ids.includes(queryId)) }
}

function combinationsOf({ credentials, credential_sets }: DcqlQuery, accepted: readonly AnsweringCredential[]) {
  const sets = credential_sets ?? [{ options: [credentials.map(({ id }) => id)] }]
  const isAnswered = (id: string) => accepted.some(({ queryId }) => queryId === id)
  const choices = sets.map(({ options, required }) => {
    const satisfied = options.filter((option) => option.every(isAnswered))
    return satisfied.length === 0 && required === false ? [[]] : satisfied
  })
  return product(choices).flatMap((options) => {
    const ids = [...new Set(options.flat())]
    return product(ids.map((id) => accepted.filter(({ queryId }) => queryId === id))).map((read) => ({ ids, read }))
  })
}

function product<Item>(lists: readonly (readonly Item[])[]): Item[][] {
  return lists.reduce<Item[][]>((all, list) => all.flatMap((one) => list.map((item) => [...one, item])), [[]])
}

function plainOutput(rule: OutputRule, credentials: readonly AnsweringCredential[], day: string): Json | undefined {
  if ('value' in rule) return shaped(firstOf(rule.value, credentials), rule.as)
  if ('object' in rule) {
    const ids = [...new Set(sourcesOf(rule).map(({ credential }) => credential))]
    for (const credential of ids.flatMap((id) => credentials.filter(({ queryId }) => queryId === id))) {
      const members = Object.entries(rule.object).flatMap(([name, sources]) => {
        const value = firstOf(sources, [credential])
        return value === undefined ? [] : [[name, value] as const]
      })
      if (members.length > 0) return Object.fromEntries(members)
    }
    return undefined
  }
  const answers = credentials.map((credential) => ageOf(rule, credential, day))
  return answers.includes(false) ? false : answers.find((answer) => answer !== undefined)
}

function ageOf(rule: Extract<OutputRule, { age_over: number }>, credential: AnsweringCredential, day: string) {
  return ageAtLeast(rule.age_over, {
    flags: rule.flags.map((source) => ({ age: source.age, value: firstOf([source], [credential]) })),
    births: rule.birth_dates.flatMap((source) => createBirthReader(day)(firstOf([source], [credential])) ?? []),
  })
}

function firstOf(sources: readonly Source[], credentials: readonly AnsweringCredential[]): Json | undefined {
  for (const { credential, path, append } of sources)
    for (const { queryId, claims } of credentials) {
      if (queryId !== credential) continue
      const value = at(claims, path)
      if (value === undefined || value === null || value === '') continue
      const more = append === undefined ? undefined : at(claims, append)
      if (typeof value !== 'string' || typeof more !== 'string' || more === '') return value
      return value === more || value.endsWith(` ${more}`) ? value : `${value} ${more}`
    }
  return undefined
}

function at(value: Json | undefined, [name, ...rest]: readonly string[]): Json | undefined {
  if (name === undefined) return value
  return isObject(value) && Object.hasOwn(value, name) ? at(value[name], rest) : undefined
}

function shaped(value: Json | undefined, as: 'list' | 'bytes' | undefined): Json | undefined {
  if (value === undefined || as === undefined) return value
  if (as === 'list') return Array.isArray(value) ? (value.length === 0 ? undefined : value) : [value]
  if (typeof value !== 'string') return undefined
  const base64 = /^data:[^,]*;base64,(.*)$/s.exec(value)?.[1] ?? value
  // Only padding is not a value; nothing in base64 begins with it.
  return base64.startsWith('=')
    ? undefined
    : base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') || undefined
}

export function plainKeptClaims(outputs: Outputs, credential: AnsweringCredential, day: string): JsonObject {
  const published = Object.values(outputs).flatMap((rule) => ('age_over' in rule ? [] : sourcesOf(rule)))
  let { claims } = credential
  const answers: [string, Json][] = []
  for (const [name, rule] of Object.entries(outputs)) {
    if (!('age_over' in rule)) continue
    const answer = ageOf(rule, credential, day)
    if (answer !== undefined) answers.push([name, answer])
    for (const source of sourcesOf(rule)) {
      const isPublished = published.some(
        (other) => other.credential === source.credential && String(other.path) === String(source.path),
      )
      if (!isPublished && source.credential === credential.queryId) claims = without(claims, source.path)
    }
  }
  return { ...claims, ...Object.fromEntries(answers) }
}

function without(claims: JsonObject, [name, ...rest]: readonly string[]): JsonObject {
  if (name === undefined || !Object.hasOwn(claims, name)) return claims
  const { [name]: member, ...others } = claims
  if (rest.length === 0 || !isObject(member)) return others
  const inner = without(member, rest)
  return Object.keys(inner).length === 0 ? others : { ...others, [name]: inner }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// Parses a tenant's template and reports the path of each fault. `readQuery` checks the query.

import type { ClaimsPath, DcqlQuery } from '@vidimus/engine'
import { isIntendedUse } from '../../registrations/domain/registration.ts'
import { readTemplateTransaction } from '../../transactions/domain/template-transaction.ts'
import type { AgeSource } from './age.ts'
import {
  hasTooManySources,
  type OutputRule,
  type Outputs,
  type Source,
  TEMPLATE_SOURCES_MAX,
  TOO_MANY_SOURCES,
} from './outputs.ts'
import { InvalidTemplate } from './problem.ts'
import { builtInTemplate } from './question.ts'
import { isTemplateKey, type OwnTemplate } from './template.ts'

export const TITLE_MAX = 100
export const DESCRIPTION_MAX = 500
const OUTPUTS_MAX = 50
const SOURCES_MAX = 50
const AGE_MAX = 99
/** Of its JSON. The longest built-in template has 4,400. */
export const TEMPLATE_BYTES_MAX = 60_000
/** Of all templates of a realm, because lists read them together. */
export const TEMPLATES_BYTES_MAX = 1_000_000

/** `readQuery` throws for an invalid query. */
export function readTemplate(key: string, json: unknown, readQuery: (query: unknown) => DcqlQuery): OwnTemplate {
  if (!isTemplateKey(key)) {
    throw new InvalidTemplate(
      'key',
      'key_form',
      "must be 1 to 64 letters, digits, '_', '.' or '-', and begin with a letter or digit",
    )
  }
  if (builtInTemplate(key) !== null)
    throw new InvalidTemplate('key', 'key_built_in', 'is the key of a built-in template')
  const members = membersOf(json, '', ['title', 'description', 'query', 'outputs', 'intended_use', 'transaction'])
  if (members.query === undefined) throw new InvalidTemplate('query', 'query_missing', 'is required')
  const query = readQuery(members.query)
  const template = {
    key,
    title: textOf(members.title ?? key, 'title', TITLE_MAX),
    description: textOf(members.description ?? '', 'description', DESCRIPTION_MAX),
    query,
    outputs: members.outputs === undefined || members.outputs === null ? null : readOutputs(members.outputs, query),
    intendedUse: readIntendedUse(members.intended_use ?? null),
    transaction: readTransaction(members.transaction ?? null, query),
  }
  if (Buffer.byteLength(JSON.stringify(template)) > TEMPLATE_BYTES_MAX)
    throw new InvalidTemplate(
      'template',
      'too_long',
      `must have at most ${TEMPLATE_BYTES_MAX} bytes`,
      TEMPLATE_BYTES_MAX,
    )
  return template
}

function readTransaction(json: unknown, query: DcqlQuery): OwnTemplate['transaction'] {
  if (json === null) return null
  return readTemplateTransaction(
    json,
    query,
    (path, reason) => new InvalidTemplate(path, 'transaction', reason, reason),
  )
}

function readIntendedUse(json: unknown): string | null {
  if (json === null || (typeof json === 'string' && isIntendedUse(json))) return json
  throw new InvalidTemplate('intended_use', 'intended_use', 'must be 1 to 200 ASCII characters without spaces')
}

function readOutputs(json: unknown, query: DcqlQuery): Outputs {
  const entries = Object.entries(objectOf(json, 'outputs'))
  if (entries.length === 0 || entries.length > OUTPUTS_MAX) {
    throw new InvalidTemplate('outputs', 'outputs_count', `must have 1 to ${OUTPUTS_MAX} members`, OUTPUTS_MAX)
  }
  const rules = entries.map(([name, rule]) => [name, readRule(rule, `outputs.${nameOf(name)}`, query)] as const)
  const outputs = Object.fromEntries(rules)
  if (hasTooManySources(outputs))
    throw new InvalidTemplate('outputs', 'sources_count', TOO_MANY_SOURCES, TEMPLATE_SOURCES_MAX)
  return outputs
}

function nameOf(name: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)) {
    throw new InvalidTemplate(
      'outputs',
      'output_name',
      'names must consist of letters, digits and "_", and begin with a letter',
    )
  }
  return name
}

function readRule(json: unknown, path: string, query: DcqlQuery): OutputRule {
  const kinds = ['value', 'object', 'age_over'].filter((kind) => Object.hasOwn(objectOf(json, path), kind))
  const [kind] = kinds
  if (kinds.length !== 1)
    throw new InvalidTemplate(path, 'output_kind', 'must have exactly one of value, object and age_over')
  if (kind === 'value') {
    const { value, as } = membersOf(json, path, ['value', 'as'])
    const sources = listOf(value, `${path}.value`).map((one, i) => readSource(one, `${path}.value[${i}]`, query))
    if (as === undefined) return { value: sources }
    if (as !== 'list' && as !== 'bytes')
      throw new InvalidTemplate(`${path}.as`, 'output_form', 'must be "list" or "bytes"')
    return { value: sources, as }
  }
  if (kind === 'object') {
    const { object } = membersOf(json, path, ['object'])
    const parts = Object.entries(objectOf(object, `${path}.object`)).map(([name, sources]) => {
      const at = `${path}.object.${nameOf(name)}`
      return [name, listOf(sources, at).map((one, i) => readSource(one, `${at}[${i}]`, query))] as const
    })
    if (parts.length === 0) throw new InvalidTemplate(`${path}.object`, 'empty', 'must not be empty')
    return { object: Object.fromEntries(parts) }
  }
  return readAgeRule(json, path, query)
}

function readAgeRule(json: unknown, path: string, query: DcqlQuery): OutputRule {
  const members = membersOf(json, path, ['age_over', 'flags', 'birth_dates'])
  const flags = optionalListOf(members.flags, `${path}.flags`)
  const birthDates = optionalListOf(members.birth_dates, `${path}.birth_dates`)
  if (flags.length + birthDates.length === 0)
    throw new InvalidTemplate(path, 'age_sources', 'needs flags or birth_dates')
  return {
    age_over: ageOf(members.age_over, `${path}.age_over`),
    flags: flags.map((one, i) => readFlag(one, `${path}.flags[${i}]`, query)),
    birth_dates: birthDates.map((one, i) => readSource(one, `${path}.birth_dates[${i}]`, query)),
  }
}

function readFlag(json: unknown, path: string, query: DcqlQuery): AgeSource {
  const { age, ...source } = membersOf(json, path, ['credential', 'path', 'age'])
  return { ...readSource(source, path, query), age: ageOf(age, `${path}.age`) }
}

/** Refuses a source that the query never requests, because its output would always be missing. */
function readSource(json: unknown, path: string, query: DcqlQuery): Source {
  const members = membersOf(json, path, ['credential', 'path', 'append'])
  const credential = query.credentials.find(({ id }) => id === members.credential)
  if (credential === undefined)
    throw new InvalidTemplate(`${path}.credential`, 'no_credential', 'names no credential of the query')
  const readPath = (value: unknown, at: string) => {
    const names = listOf(value, at).map((name, i) => {
      if (typeof name !== 'string' || name === '') throw new InvalidTemplate(`${at}[${i}]`, 'name', 'must be a name')
      return name
    })
    if (!(credential.claims ?? []).some((claim) => overlaps(claim.path, names)))
      throw new InvalidTemplate(at, 'no_claim', 'is not a claim that the query requests from this credential')
    return names
  }
  const { append } = members
  return {
    credential: credential.id,
    path: readPath(members.path, `${path}.path`),
    ...(append !== undefined && { append: readPath(append, `${path}.append`) }),
  }
}

/** Whether one path leads to the other: the requested path is the value, contains it, or is a part of it. */
function overlaps(path: ClaimsPath, names: readonly string[]): boolean {
  const shorter = Math.min(path.length, names.length)
  return path.slice(0, shorter).every((part, i) => part === names[i] || part === null)
}

function membersOf<Name extends string>(
  json: unknown,
  path: string,
  known: readonly Name[],
): Partial<Record<Name, unknown>> {
  const object = objectOf(json, path === '' ? 'template' : path)
  const unknown = Object.keys(object).find((name) => !(known as readonly string[]).includes(name))
  if (unknown !== undefined) {
    const shown = unknown.replace(/[^\x20-\x7e]/g, '?').slice(0, 64)
    throw new InvalidTemplate(path === '' ? shown : `${path}.${shown}`, 'unknown_member', 'is not a known member')
  }
  return object as Partial<Record<Name, unknown>>
}

function objectOf(json: unknown, path: string): Record<string, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new InvalidTemplate(path, 'object', 'must be an object')
  }
  return json as Record<string, unknown>
}

function listOf(json: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(json) || json.length === 0 || json.length > SOURCES_MAX) {
    throw new InvalidTemplate(path, 'list', `must be a list of 1 to ${SOURCES_MAX}`, SOURCES_MAX)
  }
  return json
}

/** An empty list counts as absent, because templates that are read back have empty lists. */
function optionalListOf(json: unknown, path: string): readonly unknown[] {
  return json === undefined || (Array.isArray(json) && json.length === 0) ? [] : listOf(json, path)
}

function ageOf(json: unknown, path: string): number {
  if (Number.isInteger(json) && Number(json) >= 1 && Number(json) <= AGE_MAX) return Number(json)
  throw new InvalidTemplate(path, 'age', `must be a whole number from 1 to ${AGE_MAX}`, AGE_MAX)
}

function textOf(json: unknown, path: string, lengthMax: number): string {
  const fits = typeof json === 'string' && json.length <= lengthMax && !/\p{Cc}/u.test(json) && json.isWellFormed()
  if (!fits)
    throw new InvalidTemplate(path, 'text', `must be a line of text of at most ${lengthMax} characters`, lengthMax)
  return json
}

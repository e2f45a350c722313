// Parses a template that fixes what a holder agrees to, with fields that the caller fills in.

import type { DcqlQuery } from '@vidimus/engine'
import { invalidTransaction, isObject, membersFault, type TransactionInput } from './form.ts'
import { isTypeName, OWN_MEMBERS } from './type.ts'

export interface TemplateTransaction {
  readonly type: string
  readonly credential: readonly string[] | null
  readonly members: Readonly<Record<string, unknown>>
  /** The path of each value. */
  readonly fields: Readonly<Record<string, TemplateField>>
}

interface TemplateField {
  readonly path: readonly string[]
  /** `id`: the service generates a unique one; the caller does not provide it. */
  readonly as: 'text' | 'number' | 'id'
}

const KINDS: readonly unknown[] = ['text', 'number', 'id']

const FIELDS_MAX = 20
const PATH_MAX = 6
const FIELD_NAME = /^[a-z][a-z0-9_]{0,39}$/
const MEMBERS_BYTES_MAX = 8 * 1024

/** Throws the error that `wrong` creates. */
export function readTemplateTransaction(
  json: unknown,
  query: DcqlQuery,
  wrong: (path: string, reason: string) => Error,
): TemplateTransaction {
  if (!isObject(json)) throw wrong('transaction', 'must be an object')
  const { type, credential = null, members = {}, fields = {}, ...rest } = json
  const [other] = Object.keys(rest)
  if (other !== undefined) throw wrong('transaction', 'has a member that is not known here')
  if (typeof type !== 'string' || !isTypeName(type))
    throw wrong('transaction.type', 'must be a URN or an https address')
  const isKnown = (id: unknown) => query.credentials.some((one) => one.id === id)
  if (credential !== null && !(Array.isArray(credential) && credential.length > 0 && credential.every(isKnown)))
    throw wrong('transaction.credential', 'must name credentials of the query')
  if (!isObject(members) || JSON.stringify(members).length > MEMBERS_BYTES_MAX)
    throw wrong('transaction.members', `must be an object of at most ${MEMBERS_BYTES_MAX} bytes`)
  const fault = membersFault(members)
  if (fault !== null) throw wrong(`transaction.members${fault.at}`, fault.reason)
  return { type, credential, members, fields: readFields(fields, wrong) }
}

function readFields(json: unknown, wrong: (path: string, reason: string) => Error): TemplateTransaction['fields'] {
  if (!isObject(json) || Object.keys(json).length > FIELDS_MAX)
    throw wrong('transaction.fields', `must be an object of at most ${FIELDS_MAX} members`)
  return Object.fromEntries(
    Object.entries(json).map(([name, field]) => {
      if (!FIELD_NAME.test(name)) throw wrong('transaction.fields', 'names must be small letters, digits and "_"')
      return [name, readField(field, (reason) => wrong(`transaction.fields.${name}`, reason))]
    }),
  )
}

function readField(json: unknown, wrong: (reason: string) => Error): TemplateField {
  const { path, as = 'text', ...rest } = isObject(json) ? json : {}
  const isPath = Array.isArray(path) && path.length > 0 && path.length <= PATH_MAX && path.every(isPlainName)
  if (!isPath) throw wrong(`must have a path of 1 to ${PATH_MAX} names`)
  if (OWN_MEMBERS.includes(path[0])) throw wrong('must not lead to a member that the service writes')
  if (!KINDS.includes(as) || Object.keys(rest).length > 0) throw wrong('must have path, and as: text, number or id')
  return { path, as: as as TemplateField['as'] }
}

const isPlainName = (name: unknown) => typeof name === 'string' && /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)

/** The fields that the caller must provide. */
export function callerFields({ fields }: TemplateTransaction): { name: string; as: 'text' | 'number' }[] {
  return Object.entries(fields).flatMap(([name, { as }]) => (as === 'id' ? [] : [{ name, as }]))
}

/** Puts every value in its place and refuses missing and extra values, and those of another kind. Throws a refusal. */
export function fillInValues(
  template: TemplateTransaction,
  values: Readonly<Record<string, unknown>>,
  newId: () => string,
): Extract<TransactionInput, { type: string }> {
  const { type, credential, members, fields } = template
  const needed = callerFields(template)
  const wrong = needed.find(({ name, as }) => typeof values[name] !== (as === 'text' ? 'string' : 'number'))
  if (wrong !== undefined)
    throw invalidTransaction(`transaction[0].values.${wrong.name}`, `is required as a ${wrong.as}`)
  if (Object.keys(values).length > needed.length)
    throw invalidTransaction('transaction[0].values', 'has a value that the template has no place for')
  const filled: Record<string, unknown> = structuredClone(members)
  for (const [name, { path, as }] of Object.entries(fields)) setAt(filled, path, as === 'id' ? newId() : values[name])
  return { type, credential, members: filled }
}

/** The names of paths are restricted, so none is a prototype member. */
function setAt(object: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    object[name] = value
    return
  }
  const inner = isObject(object[name]) ? { ...object[name] } : {}
  object[name] = inner
  setAt(inner, rest, value)
}

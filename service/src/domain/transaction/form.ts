// What a merchant sends to be agreed to: objects, as deep and as readable as a wallet can show, and the template that fills in most
// of one. Judged before anything else is done with it.

import { Refusal } from '../errors.ts'
import { isShowable } from './showable.ts'
import { OWN_MEMBERS } from './type.ts'

/** Of one creation. */
export const TRANSACTION_MAX = { items: 10, textLength: 16 * 1024, textLengthInAll: 64 * 1024, depth: 12 } as const

/** One thing to agree to: said in full, or the values that its template wants. */
export type GivenTransaction =
  | {
      readonly type: string
      /** Ids of the queries whose credentials may agree; null: all that can. */
      readonly credential: readonly string[] | null
      readonly members: Readonly<Record<string, unknown>>
    }
  | { readonly values: Readonly<Record<string, unknown>> }

export const invalidTransaction = (path: string, reason: string) =>
  new Refusal('invalid_transaction', { message: `body.${path}: ${reason}.` })

/** Throws a refusal. */
export function readGivenTransaction(json: readonly unknown[]): readonly GivenTransaction[] {
  return json.map((one, i) => {
    const path = `transaction[${i}]`
    demandShowable(one, path, 0)
    if (!isObject(one)) throw invalidTransaction(path, 'must be an object')
    return Object.hasOwn(one, 'values') ? readValues(one, path) : readFull(one, path)
  })
}

function readValues(one: Readonly<Record<string, unknown>>, path: string): GivenTransaction {
  const { values, ...rest } = one
  const [other] = Object.keys(rest)
  if (other !== undefined) throw invalidTransaction(`${path}.${other}`, 'does not stand beside values')
  if (!isObject(values)) throw invalidTransaction(`${path}.values`, 'must be an object')
  return { values }
}

function readFull(one: Readonly<Record<string, unknown>>, path: string): GivenTransaction {
  const { type, credential, ...members } = one
  if (typeof type !== 'string') throw invalidTransaction(`${path}.type`, 'is required')
  const own = OWN_MEMBERS.find((name) => Object.hasOwn(members, name))
  if (own !== undefined) throw invalidTransaction(`${path}.${own}`, 'is written by the service')
  return { type, credential: readCredentials(credential, path), members }
}

export function readCredentials(json: unknown, path: string): readonly string[] | null {
  if (json === undefined) return null
  const isList = Array.isArray(json) && json.length > 0 && json.every((id) => typeof id === 'string')
  if (!isList || new Set(json).size < json.length)
    throw invalidTransaction(`${path}.credential`, 'must be a list of ids of the query, each once')
  return json
}

/** Names too: everything in it may end up before somebody's eyes, or in somebody's canonical JSON. */
function demandShowable(value: unknown, path: string, depth: number): void {
  if (depth > TRANSACTION_MAX.depth) throw invalidTransaction(path, `is more than ${TRANSACTION_MAX.depth} deep`)
  if (typeof value === 'string' && !isShowable(value))
    throw invalidTransaction(path, 'has a character that cannot be shown')
  if (Array.isArray(value)) for (const one of value) demandShowable(one, path, depth + 1)
  else if (isObject(value))
    for (const [name, one] of Object.entries(value)) {
      if (!isShowable(name)) throw invalidTransaction(path, 'has a name that cannot be shown')
      demandShowable(one, path, depth + 1)
    }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

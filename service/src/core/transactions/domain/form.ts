// Parses what a merchant sends for the holder's agreement: complete items, or values for a template.

import type { Json } from '@vidimus/engine'
import { isLongerThan } from '@vidimus/engine/claims'
import { TRANSACTION_MAX } from '../../../../../wire/values/verifications.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isShowable } from '../../../platform/json-schema/showable.ts'
import { OWN_MEMBERS } from './type.ts'

/** One item to agree to. */
export interface FullTransaction {
  readonly type: string
  /** Ids of the queries whose credentials may sign; null: all credentials that can sign. */
  readonly credential: readonly string[] | null
  readonly members: Readonly<Record<string, unknown>>
  /** The caller's own encoding, sent unchanged. Absent: the service encodes the item. */
  readonly text?: string
}

/** A complete item, or the values that its template needs. */
export type TransactionInput = FullTransaction | { readonly values: Readonly<Record<string, unknown>> }

export const invalidTransaction = (path: string, reason: string) =>
  new Refusal('invalid_transaction', { message: `body.${path}: ${reason}.` })

/** Throws a refusal. */
export function readTransactionInputs(json: readonly unknown[]): readonly TransactionInput[] {
  if (isLongerThan(json as Json, TRANSACTION_MAX.lengthOfParts))
    throw invalidTransaction('transaction', 'has too many members and elements')
  return json.map((one, i) => {
    const path = `transaction[${i}]`
    const hidden = unshowable(one, 0)
    if (hidden !== null) throw invalidTransaction(path, hidden)
    if (!isObject(one)) throw invalidTransaction(path, 'must be an object')
    return Object.hasOwn(one, 'values') ? readValues(one, path) : readFull(one, path)
  })
}

function readValues(one: Readonly<Record<string, unknown>>, path: string): TransactionInput {
  const { values, ...rest } = one
  const [other] = Object.keys(rest)
  if (other !== undefined) throw invalidTransaction(`${path}.${other}`, 'cannot be combined with values')
  if (!isObject(values)) throw invalidTransaction(`${path}.values`, 'must be an object')
  return { values }
}

export function readFull(one: Readonly<Record<string, unknown>>, path: string): FullTransaction {
  const { type, credential, ...members } = one
  if (typeof type !== 'string') throw invalidTransaction(`${path}.type`, 'is required')
  requireSendable(members, path)
  return { type, credential: readCredentials(credential, path), members }
}

export function readCredentials(json: unknown, path: string): readonly string[] | null {
  if (json === undefined) return null
  const isList = Array.isArray(json) && json.length > 0 && json.every((id) => typeof id === 'string')
  if (!isList || new Set(json).size < json.length)
    throw invalidTransaction(`${path}.credential`, 'must be a list of ids of the query, each once')
  return json
}

/** Checks all members that the service does not write itself, from any source. Throws a refusal. */
export function requireSendable(members: Readonly<Record<string, unknown>>, path: string): void {
  const fault = membersFault(members)
  if (fault !== null) throw invalidTransaction(`${path}${fault.at}`, fault.reason)
}

/** null: the members may be sent. `at` is the path of the fault within them. */
export function membersFault(members: Readonly<Record<string, unknown>>): { at: string; reason: string } | null {
  const own = OWN_MEMBERS.find((name) => Object.hasOwn(members, name))
  if (own !== undefined) return { at: `.${own}`, reason: 'is written by the service' }
  const hidden = unshowable(members, 0)
  return hidden === null ? null : { at: '', reason: hidden }
}

/** Why a value cannot be shown; null if it can. Also checks names, because pages may show them. */
function unshowable(value: unknown, depth: number): string | null {
  if (depth > TRANSACTION_MAX.depth) return `is more than ${TRANSACTION_MAX.depth} deep`
  if (typeof value === 'string' && !isShowable(value)) return 'has a character that cannot be shown'
  if (isObject(value) && !Object.keys(value).every(isShowable)) return 'has a name that cannot be shown'
  const inner: readonly unknown[] = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  for (const one of inner) {
    const hidden = unshowable(one, depth + 1)
    if (hidden !== null) return hidden
  }
  return null
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

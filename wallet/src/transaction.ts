// Reads transaction data from a request (OpenID4VP 8.4), assigns it to credentials, and signs it.

import { createHash, randomBytes } from 'node:crypto'
import type { CborValue, Tagged } from './encoding/cbor.ts'
import { embedded, mapOf } from './encoding/cbor.ts'
import type { JsonObject } from './encoding/json.ts'
import { isObject, member } from './encoding/json.ts'
import { demand, NoMatchingCredential } from './refusal.ts'

/** One item of transaction data for the holder to confirm. */
export interface TransactionRequest {
  /** The base64url in the request. Hashes are over exactly these characters. */
  readonly text: string
  readonly type: string
  readonly credentialIds: readonly string[]
  readonly algorithms: readonly string[] | null
  readonly object: { readonly [member: string]: unknown }
}

/** The items that one credential signs. */
export interface Signing {
  readonly items: readonly TransactionRequest[]
  readonly responseMode: string
}

/** OpenID4VP 8.4: any fault in the transaction data refuses the whole request. */
export function readTransactionData(claims: unknown, queryIds: readonly string[]): readonly TransactionRequest[] {
  const texts = member(claims, 'transaction_data')
  if (texts === undefined) return []
  demand(Array.isArray(texts) && texts.length > 0, 'transaction_data_invalid', 'a non-empty array is expected')
  return texts.map((text: unknown) => readOne(text, queryIds))
}

const BASE64URL = /^[A-Za-z0-9_-]+$/

function readOne(text: unknown, queryIds: readonly string[]): TransactionRequest {
  demand(typeof text === 'string' && BASE64URL.test(text), 'transaction_data_invalid', 'base64url is expected')
  const object = parsed(text)
  demand(isObject(object), 'transaction_data_invalid', 'an object is expected')
  const [type, ids] = [member(object, 'type'), member(object, 'credential_ids')]
  const algorithms = member(object, 'transaction_data_hashes_alg')
  demand(typeof type === 'string' && type !== '', 'transaction_data_invalid', 'type')
  demand(
    Array.isArray(ids) && ids.length > 0 && ids.every((id) => queryIds.includes(id)),
    'transaction_data_invalid',
    'credential_ids',
  )
  demand(
    algorithms === undefined || (Array.isArray(algorithms) && algorithms.includes('sha-256')),
    'transaction_data_invalid',
    'transaction_data_hashes_alg',
  )
  return { text, type, credentialIds: ids, algorithms: algorithms === undefined ? null : algorithms, object }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}

/** Assigns each item to the first held credential that may sign it, and to no other. */
export function shareOut(
  items: readonly TransactionRequest[],
  queryIds: readonly string[],
): ReadonlyMap<string, readonly TransactionRequest[]> {
  const shares = new Map<string, TransactionRequest[]>()
  for (const item of items) {
    const signer = queryIds.find((id) => item.credentialIds.includes(id))
    if (signer === undefined) throw new NoMatchingCredential()
    shares.set(signer, [...(shares.get(signer) ?? []), item])
  }
  return shares
}

export const hashOf = (text: string, algorithm = 'sha256') =>
  createHash(algorithm).update(text, 'ascii').digest('base64url')

export const QES_APPROVAL = 'https://cloudsignatureconsortium.org/2025/qes-approval'
export const QES_APPROVAL_CLAIM = 'org.cloudsignatureconsortium.dm.1.qesApproval'
const QES_HASHES: { readonly [oid: string]: string } = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

/** The additional claims of the key binding JWT. */
export function keyBindingMembers({ items, responseMode }: Signing): JsonObject {
  const [first] = items
  if (first === undefined) return {}
  const approval = items.find(({ type }) => type === QES_APPROVAL)
  const isPayment = items.some(({ type }) => type.startsWith('urn:eudi:sca:'))
  return {
    transaction_data_hashes: items.map(({ text }) => hashOf(text)),
    ...(first.algorithms === null ? {} : { transaction_data_hashes_alg: 'sha-256' }),
    ...(approval === undefined ? {} : { [QES_APPROVAL_CLAIM]: approvalOf(approval) }),
    ...(isPayment
      ? {
          jti: randomBytes(16).toString('base64url'),
          response_mode: responseMode,
          amr: [{ knowledge: 'pin_6_or_more_digits' }, { possession: 'key_in_local_internal_wscd' }],
        }
      : {}),
  }
}

function approvalOf({ text, object }: TransactionRequest): string {
  const algorithm = QES_HASHES[String(member(object, 'hashAlgorithmOID'))] ?? 'sha256'
  return createHash(algorithm).update(text, 'ascii').digest('base64')
}

/** The elements that the device signs: name space and elements by type. */
export function deviceNamespacesOf({ items }: Signing): Tagged | undefined {
  if (items.length === 0) return undefined
  return embedded(
    new Map<CborValue, CborValue>(
      items.map(({ type, text, algorithms }) => [
        type,
        mapOf({
          transaction_data_hash: new Uint8Array(Buffer.from(hashOf(text), 'base64url')),
          ...(algorithms === null ? {} : { transaction_data_hash_alg: 'sha-256' }),
        }),
      ]),
    ),
  )
}

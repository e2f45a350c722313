// Parses transaction data (OpenID4VP §5.1) from the sent texts. Hashes cover the texts, so they are never encoded again.

import { hash } from 'node:crypto'
import { decodeBase64url, decodeUtf8, encodeBase64url, encodeUtf8 } from '../bytes.ts'
import type { JsonObject } from '../verdict.ts'

/** How a wallet confirms a type of transaction, by format. */
export interface TransactionKind {
  /** `hashes`: in `transaction_data_hashes`. `qes_approval`: in a separate claim, with a separate algorithm. */
  readonly keyBinding: 'hashes' | 'qes_approval'
  /** Whether device-signed elements in the type's name space can confirm it. false: mdocs cannot. */
  readonly deviceSigned: boolean
  /** Strong customer authentication: the answer also needs a code, two factors and the response mode. */
  readonly strongAuthentication: boolean
}

export interface TransactionItem {
  /** The exact text that was sent. */
  readonly text: string
  /** From `transactionHash`. Computed once, because each of up to 20 presentations is compared with it. */
  readonly hash: string
  readonly type: string
  /** Ids of the queries whose credentials may confirm the item. Exactly one must. */
  readonly credentialIds: readonly string[]
  /** Whether the text names the algorithm, which is always SHA-256. If so, the answer must name it too. */
  readonly namesAlgorithm: boolean
  readonly kind: TransactionKind
  /** The decoded object. */
  readonly object: JsonObject
}

export const TRANSACTION_HASH_ALGORITHM = 'sha-256'
export const QES_APPROVAL_TYPE = 'https://cloudsignatureconsortium.org/2025/qes-approval'
/** EUDI TS12: payments, risky actions, access to accounts, mandates. */
const STRONG_AUTHENTICATION = /^urn:eudi:sca:/

const GENERIC: TransactionKind = { keyBinding: 'hashes', deviceSigned: true, strongAuthentication: false }
const PAYMENT: TransactionKind = { keyBinding: 'hashes', deviceSigned: false, strongAuthentication: true }
const QES_APPROVAL: TransactionKind = { keyBinding: 'qes_approval', deviceSigned: false, strongAuthentication: false }

export function transactionKindOf(type: string): TransactionKind {
  if (type === QES_APPROVAL_TYPE) return QES_APPROVAL
  return STRONG_AUTHENTICATION.test(type) ? PAYMENT : GENERIC
}

/** Encodes the object as the text to send. After that, only the text counts. */
export function encodeTransaction(object: JsonObject): string {
  return encodeBase64url(encodeUtf8(JSON.stringify(object)))
}

/** Throws on malformed texts: they are our own, so that is a bug. */
export function readTransaction(texts: readonly string[]): readonly TransactionItem[] {
  const items = texts.map(readItem)
  if (new Set(items.map(({ namesAlgorithm }) => namesAlgorithm)).size > 1)
    throw new Error('bug: only some of the transaction data name the algorithm')
  if (new Set(texts).size < texts.length) throw new Error('bug: the same transaction data twice')
  return items
}

function readItem(text: string): TransactionItem {
  const bytes = decodeBase64url(text)
  const decoded = bytes === null ? null : decodeUtf8(bytes)
  if (decoded === null) throw new Error('bug: transaction data is not a text in base64url')
  const object: JsonObject = JSON.parse(decoded)
  const { type, credential_ids: ids, transaction_data_hashes_alg: algorithms } = object
  if (typeof type !== 'string' || type === '') throw new Error('bug: transaction data without a type')
  if (!Array.isArray(ids) || ids.length === 0 || !ids.every((id) => typeof id === 'string'))
    throw new Error('bug: no credential may confirm the transaction data')
  if (algorithms !== undefined && !(Array.isArray(algorithms) && algorithms.join() === TRANSACTION_HASH_ALGORITHM))
    throw new Error('bug: transaction data with another algorithm')
  const namesAlgorithm = algorithms !== undefined
  return {
    text,
    hash: transactionHash(text),
    type,
    credentialIds: ids,
    namesAlgorithm,
    kind: transactionKindOf(type),
    object,
  }
}

/** Returns the hash of the sent text (OpenID4VP B.3.3), in the form that a key binding JWT has. */
export const transactionHash = (text: string): string => hash('sha256', text, 'base64url')

/** Some wallets hash the decoded object by mistake. This hash is refused with its own reason, to help their developers. */
export const hashOfDecoded = (text: string): string => hash('sha256', Buffer.from(text, 'base64url'), 'base64url')

/** Returns the items that a credential of this query may confirm. */
export const itemsFor = (items: readonly TransactionItem[], queryId: string): readonly TransactionItem[] =>
  items.filter(({ credentialIds }) => credentialIds.includes(queryId))

// What did we ask the holder to agree to? Transaction data (OpenID4VP §5.1), read from the very texts that were sent: hashes are
// over these letters, so nothing here is ever encoded again.

import { hash } from 'node:crypto'
import { decodeBase64url, decodeUtf8, encodeBase64url, encodeUtf8 } from '../bytes.ts'
import type { JsonObject } from '../verdict.ts'

/** How a wallet says yes to a type, by the format of the credential it signs with. */
export interface TransactionKind {
  /** `hashes`: in `transaction_data_hashes`. `qes_approval`: in a claim of its own, by an algorithm of its own. */
  readonly keyBinding: 'hashes' | 'qes_approval'
  /** Device-signed elements in the name space of the type; false: no mdoc can say yes to it. */
  readonly deviceSigned: boolean
  /** Strong customer authentication: a code, two factors and the response mode come with the hashes. */
  readonly strongAuthentication: boolean
}

export interface TransactionItem {
  /** As it was sent, letter for letter. */
  readonly text: string
  readonly type: string
  /** Of the queries whose credentials may say yes to it: exactly one does. */
  readonly credentialIds: readonly string[]
  /** Whether we named the algorithm: then it must be named back, and otherwise not. The only one there is, is SHA-256. */
  readonly namesAlgorithm: boolean
  readonly kind: TransactionKind
  /** The object inside of the text. */
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

/** The text that is sent for it; from then on only the text counts. */
export function encodeTransaction(object: JsonObject): string {
  return encodeBase64url(encodeUtf8(JSON.stringify(object)))
}

/** Of texts that we made ourselves: one that cannot be read is our fault, not the sender's. Throws. */
export function readTransaction(texts: readonly string[]): readonly TransactionItem[] {
  const items = texts.map(readItem)
  if (new Set(items.map(({ namesAlgorithm }) => namesAlgorithm)).size > 1)
    throw new Error('bug: transaction data of which some name the algorithm and some do not')
  if (new Set(texts).size < texts.length) throw new Error('bug: the same transaction data twice')
  return items
}

function readItem(text: string): TransactionItem {
  const bytes = decodeBase64url(text)
  const decoded = bytes === null ? null : decodeUtf8(bytes)
  if (decoded === null) throw new Error('bug: transaction data that is no base64url of a text')
  const object: JsonObject = JSON.parse(decoded)
  const { type, credential_ids: ids, transaction_data_hashes_alg: algorithms } = object
  if (typeof type !== 'string' || type === '') throw new Error('bug: transaction data without a type')
  if (!Array.isArray(ids) || ids.length === 0 || !ids.every((id) => typeof id === 'string'))
    throw new Error('bug: transaction data that no credential may answer')
  if (algorithms !== undefined && !(Array.isArray(algorithms) && algorithms.join() === TRANSACTION_HASH_ALGORITHM))
    throw new Error('bug: transaction data with another algorithm')
  const namesAlgorithm = algorithms !== undefined
  return { text, type, credentialIds: ids, namesAlgorithm, kind: transactionKindOf(type), object }
}

/** Over the letters that were sent (OpenID4VP B.3.3), as it is written in a key binding JWT. */
export const transactionHash = (text: string): string => hash('sha256', text, 'base64url')

/** What some wallets hash by mistake: the decoded object. Refused with a reason of its own, so that the wallet's developer can fix it. */
export const hashOfDecoded = (text: string): string => hash('sha256', Buffer.from(text, 'base64url'), 'base64url')

/** Those that a credential of this query may say yes to. */
export const itemsFor = (items: readonly TransactionItem[], queryId: string): readonly TransactionItem[] =>
  items.filter(({ credentialIds }) => credentialIds.includes(queryId))

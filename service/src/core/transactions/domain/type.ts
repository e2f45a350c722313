// A type of transaction: what a merchant may have a holder agree to, by a name that nobody else uses.

import type { Schema } from './schema.ts'

export interface TransactionType {
  readonly type: string
  /** For people, where the data itself says nothing better. */
  readonly title: string
  /** Of everything beside `type` and `credential`. */
  readonly schema: Schema
}

export const TYPE_LENGTH_MAX = 200
export const TYPE_TITLE_MAX = 100
/** Of one realm. */
export const TYPES_MAX = 100

/** A URN or an https address: names that belong to somebody (OpenID4VP §5.1 wants them so). */
export function isTypeName(text: string): boolean {
  return text.length <= TYPE_LENGTH_MAX && /^(?:urn:[a-z0-9][a-z0-9-]{1,31}:|https:\/\/)[\x21-\x7e]+$/.test(text)
}

/** Those are the standards'; a schema of ours would say something else under their name. */
export const isReserved = (type: string) =>
  type.startsWith('urn:eudi:') || type.startsWith('https://cloudsignatureconsortium.org/')

/** Members of the object that is sent which are ours to write. */
export const OWN_MEMBERS: readonly string[] = ['type', 'credential', 'credential_ids', 'transaction_data_hashes_alg']

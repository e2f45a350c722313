// Defines a transaction type: what a merchant may ask a holder to agree to, under a unique name.

import type { Schema } from '../../../platform/json-schema/schema.ts'

export interface TransactionType {
  readonly type: string
  /** Shown to people if the data has no better title. */
  readonly title: string
  /** The schema of everything except `type` and `credential`. */
  readonly schema: Schema
}

export const TYPE_LENGTH_MAX = 200
export const TYPE_TITLE_MAX = 100
/** Per realm. */
export const TYPES_MAX = 100

/** A URN or an https URL: names with an owner (OpenID4VP §5.1 requires that). */
export function isTypeName(text: string): boolean {
  return text.length <= TYPE_LENGTH_MAX && /^(?:urn:[a-z0-9][a-z0-9-]{1,31}:|https:\/\/)[\x21-\x7e]+$/.test(text)
}

/** These names belong to standards, so a merchant's schema must not redefine them. */
export const isReserved = (type: string) =>
  type.startsWith('urn:eudi:') || type.startsWith('https://cloudsignatureconsortium.org/')

/** Members of the sent object that only the service writes. */
export const OWN_MEMBERS: readonly string[] = ['type', 'credential', 'credential_ids', 'transaction_data_hashes_alg']

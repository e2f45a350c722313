// Seals a merchant's sensitive fields, with keyed digests to find them by exact value.

import { createHmac } from 'node:crypto'
import type { SecretKeys } from '../../../platform/seal/seal.ts'
import { type Realm, type RealmRow, realmName } from '../../tenants/domain/realm.ts'
import { numbersIn, referenceOf, searchTermOf } from './reference.ts'
import type { EveryVerification } from './verification.ts'

export type SensitiveFields = Pick<
  EveryVerification,
  'redirectUrl' | 'webhookUrl' | 'metadata' | 'origin' | 'universal'
>

/** The stored columns. */
export interface StoredSensitiveFields {
  readonly sealedSensitiveFields: Uint8Array | null
  /** Written by an earlier release and not sealed yet. Once all rows are sealed, plain values are ignored. */
  readonly plainRedirectUrl: SensitiveFields['redirectUrl']
  readonly plainWebhookUrl: SensitiveFields['webhookUrl']
  readonly plainMetadata: SensitiveFields['metadata']
}

/** Long enough that two values never collide. */
const DIGEST_BYTES = 16

/** A sealed mark that is stored once no plain value is left. An attacker wrote any plain value that appears later. */
export const SENSITIVE_FIELDS_SEALED = 'particulars-sealed-v1'

/** Digests of all values, exact and as search terms, and of the numbers in the reference; null if there are none. */
export function indexMetadata(keys: SecretKeys, realm: Realm, metadata: SensitiveFields['metadata']): Buffer | null {
  const reference = referenceOf(metadata)
  if (reference === null) return null
  const values = Object.values(metadata ?? {})
  const terms = new Set([...values, ...values.map(searchTermOf).filter((term) => term !== ''), ...numbersIn(reference)])
  const key = keys.derive(LABEL, 32)
  return Buffer.concat([...terms].map((value) => digestOf(key, realm, value)))
}

/** The possible digests of a value, exact and as a search term, under each readable key. */
export function searchDigests(keys: SecretKeys, realm: Realm, value: string): Buffer[] {
  const terms = [...new Set([value, searchTermOf(value)])].filter((term) => term !== '')
  return keys.deriveReadable(LABEL, 32).flatMap((key) => terms.map((term) => digestOf(key, realm, term)))
}

const LABEL = 'metadata-index-v1'

/** The name of a realm contains no line break, so digests of two realms never match. */
function digestOf(key: Uint8Array, realm: Realm, value: string): Buffer {
  return createHmac('sha256', key)
    .update(`${realmName(realm)}\n${value}`, 'utf8')
    .digest()
    .subarray(0, DIGEST_BYTES)
}

export const sensitiveFieldsSealContext = ({ tenantId, environment, id }: RealmRow) =>
  `verifications.particulars|${tenantId}|${environment}|${id}`

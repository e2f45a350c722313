// A merchant's sensitive fields at rest: one sealed JSON text, and keyed digests of the metadata values, so that they
// can be found by exact value, or by an order number in it, but not read.

import { createHmac } from 'node:crypto'
import type { DerivedKeys } from '../../../platform/seal/seal.ts'
import { type Realm, realmName } from '../../tenants/domain/realm.ts'
import { numbersIn, referenceOf } from './reference.ts'
import type { EveryVerification } from './verification.ts'

export type Particulars = Pick<EveryVerification, 'redirectUrl' | 'webhookUrl' | 'metadata' | 'origin' | 'universal'>

/** As stored. */
export interface StoredParticulars {
  readonly sealedParticulars: Uint8Array | null
  /** Written by an earlier release and not sealed yet. Once all rows are sealed, plain values are ignored. */
  readonly plainRedirectUrl: Particulars['redirectUrl']
  readonly plainWebhookUrl: Particulars['webhookUrl']
  readonly plainMetadata: Particulars['metadata']
}

export type Owner = Pick<EveryVerification, 'tenantId' | 'environment' | 'id'>

/** Enough that two values never collide. */
const DIGEST_BYTES = 16

/**
 * Stored, sealed, once no plain value of an earlier release was left: a plain value after that was written by an
 * attacker.
 */
export const PARTICULARS_SEALED = 'particulars-sealed-v1'

/** The digests of all values, and of the numbers in the reference, under the index key; null if there are none. */
export function indexMetadata(keys: DerivedKeys, realm: Realm, metadata: Particulars['metadata']): Buffer | null {
  const reference = referenceOf(metadata)
  if (reference === null) return null
  const values = new Set([...Object.values(metadata ?? {}), ...numbersIn(reference)])
  const key = keys.derive(LABEL, 32)
  return Buffer.concat([...values].map((value) => digestOf(key, realm, value)))
}

/** The possible digests of a value: one for each readable key. */
export function searchDigests(keys: DerivedKeys, realm: Realm, value: string): Buffer[] {
  return keys.deriveReadable(LABEL, 32).map((key) => digestOf(key, realm, value))
}

const LABEL = 'metadata-index-v1'

/** A realm contains no line break, so digests of two realms never match. */
function digestOf(key: Uint8Array, realm: Realm, value: string): Buffer {
  return createHmac('sha256', key)
    .update(`${realmName(realm)}\n${value}`, 'utf8')
    .digest()
    .subarray(0, DIGEST_BYTES)
}

export const particularsSealContext = ({ tenantId, environment, id }: Owner) =>
  `verifications.particulars|${tenantId}|${environment}|${id}`

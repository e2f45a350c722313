// What a merchant wrote beside its question, at rest: one sealed JSON text, and keyed digests of the metadata's values, so that
// they can be found by exact value, or by the order's number in it, and read by nobody.

import { createHmac } from 'node:crypto'
import type { DerivedKeys } from '../../../platform/seal/seal.ts'
import { type Realm, realmName } from '../../tenants/domain/realm.ts'
import { numbersIn, referenceOf } from './reference.ts'
import type { EveryVerification } from './verification.ts'

export type Particulars = Pick<EveryVerification, 'redirectUrl' | 'webhookUrl' | 'metadata' | 'origin' | 'universal'>

/** As stored. */
export interface StoredParticulars {
  readonly sealedParticulars: Uint8Array | null
  /** What an earlier release wrote, where it is not sealed yet; once all of that is, it is nobody's word. */
  readonly plainRedirectUrl: Particulars['redirectUrl']
  readonly plainWebhookUrl: Particulars['webhookUrl']
  readonly plainMetadata: Particulars['metadata']
}

export type Owner = Pick<EveryVerification, 'tenantId' | 'environment' | 'id'>

/** Enough that no two values are ever taken for one another. */
const DIGEST_BYTES = 16

/** Kept, sealed, once nothing plain was left of earlier releases: what stands in plain after that was written by somebody else. */
export const PARTICULARS_SEALED = 'particulars-sealed-v1'

/** The digests of all values, and of the numbers in the reference, under the key of the index; null where there are none. */
export function indexMetadata(keys: DerivedKeys, realm: Realm, metadata: Particulars['metadata']): Buffer | null {
  const reference = referenceOf(metadata)
  if (reference === null) return null
  const values = new Set([...Object.values(metadata ?? {}), ...numbersIn(reference)])
  const key = keys.derive(LABEL, 32)
  return Buffer.concat([...values].map((value) => digestOf(key, realm, value)))
}

/** What a value may have been indexed as: once for each key that opens. */
export function searchDigests(keys: DerivedKeys, realm: Realm, value: string): Buffer[] {
  return keys.deriveReadable(LABEL, 32).map((key) => digestOf(key, realm, value))
}

const LABEL = 'metadata-index-v1'

/** The realm has no line break in it: nothing of one realm is a digest of another. */
function digestOf(key: Uint8Array, realm: Realm, value: string): Buffer {
  return createHmac('sha256', key)
    .update(`${realmName(realm)}\n${value}`, 'utf8')
    .digest()
    .subarray(0, DIGEST_BYTES)
}

export const particularsSealContext = ({ tenantId, environment, id }: Owner) =>
  `verifications.particulars|${tenantId}|${environment}|${id}`

// Who somebody is to a client. Nothing is stored: a keyed digest, made anew each time, different for every client and worthless
// to anybody without the tenant's key.

import { createHmac } from 'node:crypto'
import type { Json, JsonObject } from '@vidimus/engine'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { CredentialResult } from '../../../core/verifications/domain/verification.ts'
import { canonicalJson } from '../../../platform/canonical-json.ts'
import type { DerivedKeys } from '../../../platform/seal/seal.ts'
import type { OidcClient } from './client.ts'

/** Its key outlives the master key, or every subject would change with that. */
export const SUBJECT_LABEL = 'oidc-subject-v1'

interface Presented {
  readonly id: string
  readonly claims: JsonObject
  readonly credentials: readonly Pick<CredentialResult, 'issuer'>[]
}

type Client = Pick<OidcClient, 'id' | 'tenantId' | 'environment' | 'subjectMode' | 'subjectClaims'>

/** null where a claim that it is made from is missing: nobody is told apart by what is not there. */
export function subjectOf(keys: Pick<DerivedKeys, 'derive'>, client: Client, presented: Presented): string | null {
  const { subjectMode, subjectClaims } = client
  if (subjectMode === 'ephemeral') return digest(keys, client, [subjectMode, client.id, presented.id])
  const values = subjectClaims.map((name) => claimAt(presented.claims, name))
  if (values.some((value) => value === undefined)) return null
  const texts = values.map((value) => canonicalJson(value ?? null))
  return digest(keys, client, [subjectMode, client.id, ...issuersOf(presented), ...subjectClaims, ...texts])
}

/** As the result names it, `place_of_birth.locality` for a member. */
function claimAt(claims: JsonObject, name: string): Json | undefined {
  const [first = '', ...rest] = name.split('.')
  let value = Object.hasOwn(claims, first) ? claims[first] : undefined
  for (const part of rest) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = Object.hasOwn(value, part) ? (value as JsonObject)[part] : undefined
  }
  return value === null || value === '' ? undefined : value
}

/** A number is somebody's only together with who gave it out. */
function issuersOf({ credentials }: Presented): string[] {
  return [...new Set(credentials.map(({ issuer }) => canonicalJson({ ...issuer })))].sort()
}

/** Every part with its length, so that no two lists of parts read alike. */
function digest(keys: Pick<DerivedKeys, 'derive'>, realm: Realm, parts: readonly string[]): string {
  const tenantKey = keyed(keys.derive(SUBJECT_LABEL, 32), ['tenant', realm.tenantId, realm.environment])
  return keyed(tenantKey, ['subject', ...parts]).toString('base64url')
}

function keyed(key: Buffer, parts: readonly string[]): Buffer {
  const hmac = createHmac('sha256', key)
  for (const part of parts) {
    const bytes = Buffer.from(part, 'utf8')
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    hmac.update(length).update(bytes)
  }
  return hmac.digest()
}

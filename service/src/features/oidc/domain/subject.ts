// Derives a person's subject identifier: a keyed digest, different for every client and never stored.

import { createHmac } from 'node:crypto'
import type { Json, JsonObject } from '@vidimus/engine'
import { vouchedFormatOf } from '@vidimus/engine/formats'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { CredentialResult } from '../../../core/verifications/domain/verification.ts'
import { canonicalJson } from '../../../platform/canonical-json.ts'
import type { SecretKeys } from '../../../platform/seal/seal.ts'
import { PID_TYPES } from './assurance.ts'
import type { OidcClient } from './client.ts'

/** The key must outlive the master key: a rotation must not change the subjects. */
export const SUBJECT_LABEL = 'oidc-subject-v1'

interface Presented {
  readonly id: string
  readonly claims: JsonObject
  readonly credentials: readonly Pick<CredentialResult, 'issuer' | 'format' | 'doctype_or_vct'>[]
}

type Client = Realm & Pick<OidcClient, 'id' | 'subjectMode' | 'subjectClaims' | 'subjectPerType'>

/** null if a claim that the subject is derived from is missing. */
export function subjectOf(keys: SubjectKeys, client: Client, presented: Presented): string | null {
  const { subjectMode, subjectClaims } = client
  if (subjectMode === 'ephemeral') return digest(keys, client, [subjectMode, client.id, presented.id])
  const values = subjectClaims.map((name) => claimAt(presented.claims, name))
  if (values.some((value) => value === undefined)) return null
  const texts = values.map((value) => canonicalJson(value ?? null))
  return digest(keys, client, [subjectMode, client.id, ...issuersOf(client, presented), ...subjectClaims, ...texts])
}

/** Reads a claim of the result. `place_of_birth.locality` names a member of a claim. */
function claimAt(claims: JsonObject, name: string): Json | undefined {
  const [first = '', ...rest] = name.split('.')
  let value = Object.hasOwn(claims, first) ? claims[first] : undefined
  for (const part of rest) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = Object.hasOwn(value, part) ? (value as JsonObject)[part] : undefined
  }
  return value === null || value === '' ? undefined : value
}

/** An issuer is trusted for named types, and issuers of other types may sign under the same name. All PIDs are one type. */
function issuersOf({ subjectPerType }: Client, { credentials }: Presented): string[] {
  const issuers = credentials.map(({ issuer, format, doctype_or_vct: type }) => {
    // Without a type, PIDs have the same subjects as at clients without `subjectPerType`.
    const named = subjectPerType && !PID_TYPES.test(type) ? { type: `${vouchedFormatOf(format)}:${type}` } : {}
    return canonicalJson({ ...issuer, ...named })
  })
  return [...new Set(issuers)].sort()
}

/** Each part has its length as a prefix, so that different lists never have the same encoding. */
function digest(keys: SubjectKeys, realm: Realm, parts: readonly string[]): string {
  return keyed(subjectKeyOf(keys, realm), ['subject', ...parts]).toString('base64url')
}

export type SubjectKeys = Pick<SecretKeys, 'derive' | 'ofTenant'>

/** Each realm has its own key. It moves with its tenant to another installation, so that subjects stay the same. */
export const subjectKeyOf = (keys: SubjectKeys, { tenantId, environment }: Realm): Buffer =>
  keys.ofTenant(`${SUBJECT_LABEL}|${environment}`, tenantId) ??
  keyed(keys.derive(SUBJECT_LABEL, 32), ['tenant', tenantId, environment])

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

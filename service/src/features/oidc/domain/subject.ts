// Derives a person's subject identifier: a keyed digest, different for every client and never stored.

import { createHmac } from 'node:crypto'
import type { Json, JsonObject } from '@vidimus/engine'
import { equalJson, isLongerThan } from '@vidimus/engine/claims'
import { vouchedFormatOf } from '@vidimus/engine/formats'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { CredentialResult } from '../../../core/verifications/domain/verification.ts'
import { canonicalJson } from '../../../platform/canonical-json.ts'
import type { SecretKeys } from '../../../platform/seal/seal.ts'
import { PID_TYPES } from './assurance.ts'
import { spellingsOf } from './claims.ts'
import type { OidcClient } from './client.ts'

/** The key must outlive the master key: a rotation must not change the subjects. */
export const SUBJECT_LABEL = 'oidc-subject-v1'

interface Presented {
  readonly id: string
  readonly claims: JsonObject
  readonly credentials: readonly Pick<CredentialResult, 'issuer' | 'format' | 'doctype_or_vct' | 'claims'>[]
}

type Client = Realm & Pick<OidcClient, 'id' | 'subjectMode' | 'subjectClaims' | 'subjectPerType'>

/** As `jsonLength` counts. A postal address has two thousand. */
const VALUE_LENGTH_MAX = 8_000

/** null if a claim that the subject is derived from is missing, too long to identify a person, or of no one credential. */
export function subjectOf(keys: SubjectKeys, client: Client, presented: Presented): string | null {
  const { subjectMode, subjectClaims, subjectPerType } = client
  if (subjectMode === 'ephemeral') return digest(keys, client, [subjectMode, client.id, presented.id])
  const values = subjectClaims.map((name) => claimAt(presented.claims, name.split('.')))
  if (values.some((value) => value === undefined || isLongerThan(value, VALUE_LENGTH_MAX))) return null
  const texts = values.map((value) => canonicalJson(value ?? null))
  const named = subjectClaims.map((name, at) => [name, singleOf(values[at] ?? null)] as const)
  const issuers = subjectPerType ? vouchersOf(presented, named) : issuersOf(presented.credentials, false)
  return issuers === null
    ? null
    : digest(keys, client, [subjectMode, client.id, ...issuers, ...subjectClaims, ...texts])
}

/**
 * Returns the issuers of the credentials that have all the values, of these PIDs first, so that what is shown beside them makes
 * no difference. If none has all, each value has the issuers of the credentials that contain it: else an issuer of one value
 * could state another one. Unless these are the same for all values, that is said, with the issuers of the credentials that
 * contain all of them: the others may be of other people. null if a value is in none of several credentials.
 */
function vouchersOf({ credentials }: Presented, values: readonly (readonly [string, Json])[]): string[] | null {
  const having = credentials.filter(({ claims }) => values.every(([name, value]) => hasClaim(claims, name, value)))
  const pids = having.filter(({ doctype_or_vct: type }) => PID_TYPES.test(type))
  if (having.length > 0) return issuersOf(pids.length > 0 ? pids : having, true)
  if (credentials.length === 1) return issuersOf(credentials, true)
  const wanted = new Set(values.map(([, value]) => value))
  const contained = credentials.map(({ claims }) => valuesIn(claims, wanted))
  const containing = values.map(([, value]) => credentials.filter((_, at) => contained[at]?.has(value)))
  // A template put a value together from several claims, perhaps of several people.
  if (containing.some((found) => found.length === 0)) return null
  const each = containing.map((found) => issuersOf(found, true))
  const whole = credentials.filter((_, at) => contained[at]?.size === wanted.size)
  const ofWhole = canonicalJson(issuersOf(whole, true))
  const lists = each.map((issuers) => canonicalJson(issuers))
  return lists.every((list) => list === ofWhole) ? (each[0] ?? []) : ['apart', ofWhole, ...lists]
}

/** Formats spell some names differently. */
function hasClaim(claims: JsonObject, name: string, value: Json): boolean {
  const [first = '', ...rest] = name.split('.')
  return spellingsOf(first).some((spelling) => {
    const found = claimAt(claims, [spelling, ...rest])
    return found !== undefined && equalJson(singleOf(found), value)
  })
}

/** A template can make a list of a single value. */
const singleOf = (value: Json): Json => (Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : value)

/** In one walk, because a holder chooses how many claims there are. Objects and lists are found by their names only. */
function valuesIn(claims: Json, wanted: ReadonlySet<Json>, found = new Set<Json>()): ReadonlySet<Json> {
  if (typeof claims === 'object' && claims !== null)
    for (const one of Object.values<Json>(claims)) valuesIn(one, wanted, found)
  else if (wanted.has(claims)) found.add(claims)
  return found
}

/** Reads a claim of the result. `place_of_birth.locality` names a member of a claim. */
function claimAt(claims: JsonObject, [first = '', ...rest]: readonly string[]): Json | undefined {
  let value = Object.hasOwn(claims, first) ? claims[first] : undefined
  for (const part of rest) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = Object.hasOwn(value, part) ? (value as JsonObject)[part] : undefined
  }
  return value === null || value === '' ? undefined : value
}

/** An issuer is trusted for named types, and issuers of other types may sign under the same name. All PIDs are one type. */
function issuersOf(credentials: Presented['credentials'], isPerType: boolean): string[] {
  const issuers = credentials.map(({ issuer, format, doctype_or_vct: type }) => {
    // Without a type, PIDs have the same subjects as at clients without `subjectPerType`.
    const named = isPerType && !PID_TYPES.test(type) ? { type: `${vouchedFormatOf(format)}:${type}` } : {}
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

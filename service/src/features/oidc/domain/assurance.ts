// Derives the assurance level of a sign-in from the credentials' issuers and types, and renders the presented data.

import type { JsonObject } from '@vidimus/engine'
import { presentationNames } from '@vidimus/engine/claims'
import type { Answered } from '../../../core/verifications/domain/answered.ts'
import type { CredentialResult } from '../../../core/verifications/domain/verification.ts'
import type { Instant } from '../../../platform/world.ts'
import { PERSONAL_CLAIMS, standardName } from './claims.ts'

/** Names of eIDAS levels, lowest first. */
const LEVELS = ['http://eidas.europa.eu/LoA/substantial', 'http://eidas.europa.eu/LoA/high'] as const
type AssuranceLevel = (typeof LEVELS)[number]
export const ACR_SUPPORTED: readonly string[] = [...LEVELS].reverse()

export const PID_TYPES = /^(?:urn:eudi:pid:|eu\.europa\.ec\.eudi\.pid\.)/
const AGE_PROOF_TYPES = /^eu\.europa\.ec\.av\./

/** The lowest level of all credentials; null if one of them has no eIDAS level. */
export function assuranceOf(credentials: readonly CredentialResult[]): AssuranceLevel | null {
  const levels = credentials.map(levelOf)
  const known = levels.filter((level) => level !== null)
  if (known.length === 0 || known.length < levels.length) return null
  return LEVELS.find((level) => known.includes(level)) ?? null
}

/** `trusted` is set only if the issuer's anchor covers this exact type. */
function levelOf({ doctype_or_vct: type, trusted }: CredentialResult): AssuranceLevel | null {
  if (!trusted) return null
  if (PID_TYPES.test(type)) return 'http://eidas.europa.eu/LoA/high'
  return AGE_PROOF_TYPES.test(type) ? 'http://eidas.europa.eu/LoA/substantial' : null
}

/** Each credential under the id of the query that it answers (`presentationNames`). `wanted`: the only OpenID claims to return; null: all. */
export function presentedData(
  { credentials, answeredQueries }: Pick<Answered, 'credentials' | 'answeredQueries'>,
  wanted: readonly string[] | null,
): JsonObject {
  const claimNames = wanted === null ? null : new Set(wanted)
  const names = presentationNames(credentials.map((_, at) => answeredQueries[at]))
  const presented = credentials.map(({ format, doctype_or_vct: type, issuer, claims }, at) => {
    const data: JsonObject = { format, type, issuer: { ...issuer }, claims: only(claims, claimNames) }
    return [names[at] ?? '', data] as const
  })
  return Object.fromEntries(presented)
}

const only = (claims: JsonObject, wanted: ReadonlySet<string> | null): JsonObject =>
  wanted === null
    ? claims
    : Object.fromEntries(Object.entries(claims).filter(([name]) => wanted.has(standardName(name) ?? '')))

/** The document types of Identity Assurance, by type of credential. */
const DOCUMENT_TYPES: readonly (readonly [string, RegExp])[] = [
  ['pid', PID_TYPES],
  ['driving_permit', /^org\.iso\.18013\.5\./],
  ['age_attestation', AGE_PROOF_TYPES],
]
const OTHER_DOCUMENT = 'credential'
/** The method of Identity Assurance for a verified cryptographic signature. */
const CHECK_METHOD = 'vcrypt'
const OTHER_FRAMEWORK = 'vidimus'

/** The part of discovery about verified claims (OpenID Connect for Identity Assurance 1.0 §9). */
export const ASSURANCE_METADATA = {
  verified_claims_supported: true,
  trust_frameworks_supported: ['eidas', OTHER_FRAMEWORK],
  evidence_supported: ['document'],
  documents_supported: [...DOCUMENT_TYPES.map(([name]) => name), OTHER_DOCUMENT],
  documents_check_methods_supported: [CHECK_METHOD],
  claims_in_verified_claims_supported: PERSONAL_CLAIMS,
} as const

/** How a result was verified: issuer, format, trust list, assurance level and time. */
export function verificationOf({
  id,
  credentials,
  respondedAt,
  trustList,
}: {
  readonly id: string
  readonly credentials: readonly CredentialResult[]
  readonly respondedAt: Instant
  readonly trustList: string | null
}): JsonObject {
  const time = wholeSeconds(respondedAt)
  const level = assuranceOf(credentials)
  return {
    trust_framework: level === null ? OTHER_FRAMEWORK : 'eidas',
    ...(level === null ? {} : { assurance_level: level.slice(level.lastIndexOf('/') + 1) }),
    assurance_process: {
      policy: 'trusted-issuer',
      procedure: credentials.map(({ format, doctype_or_vct: type }) => `${format} ${type}`).join(', '),
      ...(trustList === null ? {} : { assurance_details: [trustListDetail(trustList)] }),
    },
    time,
    verification_process: id,
    evidence: credentials.map((one) => evidenceOf(one, time)),
  }
}

const trustListDetail = (uri: string) => ({ assurance_type: 'trust_list', assurance_classification: uri })

/** Identity Assurance writes times as YYYY-MM-DDThh:mm:ss with the zone, without fractions of a second. */
const wholeSeconds = (instant: Instant): string => instant.replace(/\.\d+Z$/, 'Z')

function evidenceOf({ doctype_or_vct: type, issuer }: CredentialResult, time: string): JsonObject {
  const document = DOCUMENT_TYPES.find(([, types]) => types.test(type))?.[0] ?? OTHER_DOCUMENT
  const source = {
    ...(issuer.common_name === undefined ? {} : { name: issuer.common_name }),
    ...(issuer.country === undefined ? {} : { country_code: issuer.country }),
  }
  return {
    type: 'document',
    check_details: [{ check_method: CHECK_METHOD, time }],
    document_details: { type: document, ...(Object.keys(source).length === 0 ? {} : { issuer: source }) },
  }
}

// Judges a verifier's registration as a wallet does (ARF topics 6 and 44), and lists the warnings for the holder.

import type { X509Certificate } from 'node:crypto'
import type { DcqlQuery } from '../dcql.ts'
import { isObject, member } from '../encoding/json.ts'
import type { ClaimPath } from '../present.ts'
import { type AccessIdentity, readAccessIdentity } from './access-identity.ts'
import { MalformedRegistration, type RegistrationCertificate, readRegistration } from './certificate.ts'
import { findOverAsked } from './over-asking.ts'
import { readSignedToken } from './signed-token.ts'
import { registrationStatus } from './status.ts'

export const REGISTRATION_WARNINGS = {
  unregistered: 'This verifier shows no registration.',
  several_registrations: 'This verifier shows more than one registration.',
  malformed_registration: 'The registration of this verifier cannot be read.',
  untrusted_registration: 'This wallet does not know who issued the registration of this verifier.',
  expired_registration: 'The registration of this verifier has expired.',
  revoked_registration: 'The registration of this verifier was revoked.',
  unknown_status: 'The revocation status of the registration is not available.',
  wrong_party: 'The registration belongs to another party.',
  wrong_intermediary: 'The registration does not name this verifier as its intermediary.',
  service_mismatch: 'The registration is for another service.',
  over_asking: 'This verifier asks for more than it registered.',
} as const
export type RegistrationWarningCode = keyof typeof REGISTRATION_WARNINGS

interface RegistrationWarning {
  readonly code: RegistrationWarningCode
  /** The English text for the holder, with details. */
  readonly text: string
  readonly detail: string | null
}

/** What the holder sees. An intermediary is not shown (ARF RPI_07). */
export interface RegistrationView {
  readonly party: string | null
  readonly service: string | null
  readonly purposes: readonly { readonly lang: string; readonly text: string }[]
  readonly privacyPolicy: string | null
  readonly warnings: readonly RegistrationWarning[]
}

/** How the certificate was sent: `verifier_info`, or one `euWrprc` for each requested document. */
type CarriedRegistration =
  | { readonly kind: 'verifier_info'; readonly value: unknown }
  | { readonly kind: 'documents'; readonly values: readonly (string | null)[] }

export interface AssessedRequest {
  readonly carried: CarriedRegistration
  readonly certificate: X509Certificate
  readonly query: DcqlQuery
}

export interface RegistrationTerms {
  /** Authorities of the providers of registration certificates that this wallet knows. */
  readonly trustedProviders: readonly Uint8Array[]
  readonly fetch: typeof globalThis.fetch
  readonly now: number
}

const SKEW_SECONDS = 60

export async function assessRegistration(
  request: AssessedRequest,
  terms: RegistrationTerms,
): Promise<RegistrationView> {
  const compact =
    request.carried.kind === 'documents' ? fromDocuments(request.carried.values) : fromInfo(request.carried.value)
  if (typeof compact !== 'string') return warned(compact.code, compact.detail)
  const token = await readSignedToken(compact, { typ: 'rc-wrp+jwt', trusted: terms.trustedProviders, now: terms.now })
  if (token.outcome !== 'read') return warned(`${token.outcome}_registration`, token.detail)
  const certificate = tryRead(token.claims)
  if (certificate instanceof MalformedRegistration) return warned('malformed_registration', certificate.message)
  const access = readAccessIdentity(request.certificate)
  return {
    party: certificate.subjectName,
    service: certificate.serviceName,
    purposes: certificate.purposes,
    privacyPolicy: certificate.privacyPolicy,
    warnings: [
      ...timeWarnings(certificate, terms.now),
      ...(await statusWarnings(certificate, terms)),
      ...identityWarnings(certificate, access),
      ...overAskingWarnings(certificate, request.query),
    ],
  }
}

interface Absent {
  readonly code: RegistrationWarningCode
  readonly detail?: string
}

/** Reads the certificate from `verifier_info`: exactly one entry of the format, for the whole request (TS 119 472-2). */
function fromInfo(info: unknown): string | Absent {
  if (info === undefined) return { code: 'unregistered' }
  if (!Array.isArray(info)) return { code: 'malformed_registration', detail: 'verifier_info is not an array' }
  const entries = info.filter((entry) => member(entry, 'format') === 'registration_cert')
  const [entry, second] = entries
  if (entry === undefined) return { code: 'unregistered' }
  if (second !== undefined) return { code: 'several_registrations' }
  const data = member(entry, 'data')
  if (!isObject(entry) || 'credential_ids' in entry) return { code: 'malformed_registration', detail: 'credential_ids' }
  return typeof data === 'string' ? data : { code: 'malformed_registration', detail: 'data is not a text' }
}

/** Reads the certificate from `euWrprc`, which must be the same in every document. A document without it is not registered. */
function fromDocuments(values: readonly (string | null)[]): string | Absent {
  const [first = null] = values
  if (first === null || values.includes(null)) return { code: 'unregistered' }
  return values.every((value) => value === first) ? first : { code: 'several_registrations' }
}

function tryRead(claims: unknown): RegistrationCertificate | MalformedRegistration {
  try {
    return readRegistration(claims)
  } catch (error) {
    if (error instanceof MalformedRegistration) return error
    throw error
  }
}

function timeWarnings({ issuedAt, expiresAt }: RegistrationCertificate, now: number): readonly RegistrationWarning[] {
  if (expiresAt !== null && expiresAt <= now - SKEW_SECONDS) return [warning('expired_registration')]
  return issuedAt > now + SKEW_SECONDS ? [warning('malformed_registration', 'it is not issued yet')] : []
}

async function statusWarnings(
  certificate: RegistrationCertificate,
  { fetch, trustedProviders, now }: RegistrationTerms,
): Promise<readonly RegistrationWarning[]> {
  const status = await registrationStatus(certificate, { fetch, trusted: trustedProviders, now })
  if (status === 'valid') return []
  return [warning(status === 'revoked' ? 'revoked_registration' : 'unknown_status')]
}

/** RPRC_17a: the certificate belongs to the asking party, or names it as intermediary while the access certificate names its party. */
function identityWarnings(
  certificate: RegistrationCertificate,
  access: AccessIdentity,
): readonly RegistrationWarning[] {
  const { intermediary, subject } = certificate
  if (intermediary === null) {
    if (access.identifier === null || !subject.includes(access.identifier)) return [warning('wrong_party')]
    return serviceWarnings(certificate, access, access.serviceId)
  }
  if (access.identifier === null || !intermediary.includes(access.identifier)) return [warning('wrong_intermediary')]
  const { association } = access
  if (association === null || !subject.includes(association.identifier)) return [warning('wrong_party')]
  return serviceWarnings(certificate, access, association.serviceId)
}

/** Compares services by identifier, or by name if the registration certificate has no identifier. */
function serviceWarnings(
  { serviceId, serviceName }: RegistrationCertificate,
  { commonName }: AccessIdentity,
  accessServiceId: string | null,
): readonly RegistrationWarning[] {
  const isSame = serviceId === null ? serviceName === commonName : serviceId === accessServiceId
  return isSame ? [] : [warning('service_mismatch')]
}

function overAskingWarnings(
  { credentials }: RegistrationCertificate,
  query: DcqlQuery,
): readonly RegistrationWarning[] {
  return findOverAsked(query, credentials).map(({ queryId, path }) =>
    warning('over_asking', path === null ? `${queryId}: this kind of credential` : `${queryId}: ${pathText(path)}`),
  )
}

function warned(code: RegistrationWarningCode, detail?: string): RegistrationView {
  return { party: null, service: null, purposes: [], privacyPolicy: null, warnings: [warning(code, detail)] }
}

function warning(code: RegistrationWarningCode, detail?: string): RegistrationWarning {
  const text = REGISTRATION_WARNINGS[code]
  return { code, text: detail === undefined ? text : `${text} (${detail})`, detail: detail ?? null }
}

const pathText = (path: ClaimPath) => path.map((part) => part ?? '*').join('.')

// Defines a tenant's registration certificate, and judges its signature, status and validity.

import type { RegistrationCertificate, RegistrationVerdict } from '@vidimus/engine'
import { ENDING_DAYS, INTENDED_USE } from '../../../../../wire/values/registration.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { type Parties, subjectFault } from './identity.ts'
import { type RegistrationProblem, registrationProblem } from './problem.ts'

export interface Registration extends Realm {
  readonly id: string
  /** The name that creations and templates use for it. */
  readonly intendedUse: string
  readonly certificate: RegistrationCertificate
  /** SHA-256 of the compact form, hex: what the audit trail records. */
  readonly hash: string
  readonly verdict: RegistrationVerdict
  readonly checkedAt: Instant
  readonly createdAt: Instant
  /** From then on no new verification uses it. */
  readonly removedAt: Instant | null
}

export const isIntendedUse = (text: string) => new RegExp(`^${INTENDED_USE}$`).test(text)

/** Maximum per realm, without removed ones. */
export const REGISTRATIONS_MAX = 100

/** Maximum per realm with recently removed ones, which verifications may still need. Also stops a loop that adds and removes. */
export const REGISTRATIONS_STORED_MAX = 2 * REGISTRATIONS_MAX

/** Maximum number of claim paths in all registrations of a realm: each creation searches them. */
export const REGISTERED_PATHS_MAX = 10_000

const DAY_MS = 86_400_000
/** The maximum difference between a registrar's clock and ours. */
const SKEW_MS = 300_000

export type Ending = 'ended' | (typeof ENDING_DAYS)[number] | null

/** Days until the certificate expires; negative once it has expired, null if it never does. */
export function daysLeft({ certificate }: Pick<Registration, 'certificate'>, nowMs: number): number | null {
  return certificate.expiresAt === null ? null : Math.floor((certificate.expiresAt * 1000 - nowMs) / DAY_MS)
}

/** The nearest warning day that the certificate has reached. */
export function endingOf(registration: Pick<Registration, 'certificate'>, nowMs: number): Ending {
  const { expiresAt } = registration.certificate
  if (expiresAt === null) return null
  const leftMs = expiresAt * 1000 - nowMs
  if (leftMs <= 0) return 'ended'
  return ENDING_DAYS.findLast((days) => leftMs <= days * DAY_MS) ?? null
}

/** Why the registration must not be sent to wallets; empty if it may be. An unknown status is not a fault. */
export function registrationFaults(
  registration: Registration,
  parties: Parties,
  nowMs: number,
): readonly RegistrationProblem[] {
  const { certificate, verdict } = registration
  const subject = subjectFault(certificate, parties)
  return [
    ...(subject === null ? [] : [subject]),
    ...unverifiedFault(verdict),
    ...(certificate.issuedAt * 1000 > nowMs + SKEW_MS
      ? [registrationProblem('issued_in_future', 'it is issued in the future')]
      : []),
    ...(certificate.expiresAt !== null && certificate.expiresAt * 1000 <= nowMs
      ? [registrationProblem('expired', 'it has expired')]
      : []),
    ...statusFault(verdict),
  ]
}

function unverifiedFault({ unverified }: RegistrationVerdict): RegistrationProblem[] {
  if (unverified === null) return []
  return [registrationProblem('unverified', `its signature is not verified: ${unverified}`, unverified)]
}

function statusFault({ status }: RegistrationVerdict): RegistrationProblem[] {
  const isFault = status === 'revoked' || status === 'suspended' || status === 'invalid'
  return isFault ? [registrationProblem(status, `its status is ${status}`)] : []
}

/** Maximum lifetime of a certificate that cannot be revoked (ARF RPRC_01a). */
const UNREVOCABLE_SECONDS_MAX = 86_400

/** Faults of the registrar that do not prevent the use of the certificate. */
export function registrationRemarks({
  certificate,
}: Pick<Registration, 'certificate'>): readonly RegistrationProblem[] {
  const { issuedAt, expiresAt, status } = certificate
  if (status !== null) return []
  if (expiresAt === null) {
    const problem = 'it has no expiry and no status list, so it cannot be revoked (RPRC_01a)'
    return [registrationProblem('endless', problem)]
  }
  if (expiresAt - issuedAt <= UNREVOCABLE_SECONDS_MAX) return []
  const problem = 'it is valid for more than 24 hours and has no status list, so it cannot be revoked (RPRC_01a)'
  return [registrationProblem('long_lived', problem)]
}

export function renderRegistration(registration: Registration, parties: Parties, nowMs: number) {
  const { certificate, verdict } = registration
  return {
    id: registration.id,
    environment: registration.environment,
    intended_use: registration.intendedUse,
    subject: certificate.subject[0] ?? '',
    service_name: certificate.serviceName,
    service_id: certificate.serviceId,
    intermediary: certificate.intermediary?.ids[0] ?? null,
    purposes: certificate.purposes.map(({ lang, text }) => ({ lang, text })),
    privacy_policy: certificate.privacyPolicy,
    credentials: certificate.credentials.map(({ format, types, paths }) => ({
      format,
      types: [...types],
      paths: paths.map((path) => [...path]),
    })),
    sha256: registration.hash,
    issued_at: instantOf(certificate.issuedAt * 1000),
    expires_at: certificate.expiresAt === null ? null : instantOf(certificate.expiresAt * 1000),
    days_left: daysLeft(registration, nowMs),
    ending: endingOf(registration, nowMs),
    verified: verdict.unverified === null,
    status: verdict.status,
    checked_at: registration.checkedAt,
    faults: registrationFaults(registration, parties, nowMs).map(({ problem }) => problem),
    remarks: registrationRemarks(registration).map(({ problem }) => problem),
  }
}

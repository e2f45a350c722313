// A registration certificate as a tenant keeps it: under which intended use it is chosen, whether its signature and status
// hold, and what is wrong with it now.

import type { RegistrationCertificate, RegistrationStanding } from '@vidimus/engine'
import { ENDING_DAYS, INTENDED_USE } from '../../../../../wire/values/registration.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { type Parties, subjectFault } from './identity.ts'
import { type RegistrationProblem, registrationProblem } from './problem.ts'

export interface Registration extends Realm {
  readonly id: string
  /** What creations and templates name it by. */
  readonly intendedUse: string
  readonly certificate: RegistrationCertificate
  /** SHA-256 of the compact form, hex: what the audit trail holds. */
  readonly hash: string
  readonly standing: RegistrationStanding
  readonly checkedAt: Instant
  readonly createdAt: Instant
  /** From then on no new verification gets it. */
  readonly removedAt: Instant | null
}

export const isIntendedUse = (text: string) => new RegExp(`^${INTENDED_USE}$`).test(text)

/** So many a realm may keep, removed ones not counted. */
export const REGISTRATIONS_MAX = 100

/** With those removed lately, which are still needed: so many. Who adds and removes in turn must come to an end too. */
export const REGISTRATIONS_HELD_MAX = 2 * REGISTRATIONS_MAX

/** Paths to claims that all of them may register together: a creation looks for the one that covers it. */
export const REGISTERED_PATHS_MAX = 10_000

const DAY_MS = 86_400_000
/** How far a registrar's clock may be from ours. */
const SKEW_MS = 300_000

export type Ending = 'ended' | (typeof ENDING_DAYS)[number] | null

/** Below zero: it has ended. null: it never does. */
export function daysLeft({ certificate }: Pick<Registration, 'certificate'>, nowMs: number): number | null {
  return certificate.expiresAt === null ? null : Math.floor((certificate.expiresAt * 1000 - nowMs) / DAY_MS)
}

/** The nearest of the days that it has come to. */
export function endingOf(registration: Pick<Registration, 'certificate'>, nowMs: number): Ending {
  const { expiresAt } = registration.certificate
  if (expiresAt === null) return null
  const leftMs = expiresAt * 1000 - nowMs
  if (leftMs <= 0) return 'ended'
  return ENDING_DAYS.findLast((days) => leftMs <= days * DAY_MS) ?? null
}

/** Why no wallet should be shown it; empty where one may. A status that cannot be established is told, not held against it. */
export function registrationFaults(
  registration: Registration,
  parties: Parties,
  nowMs: number,
): readonly RegistrationProblem[] {
  const { certificate, standing } = registration
  const subject = subjectFault(certificate, parties)
  return [
    ...(subject === null ? [] : [subject]),
    ...unverifiedFault(standing),
    ...(certificate.issuedAt * 1000 > nowMs + SKEW_MS
      ? [registrationProblem('issued_in_future', 'it is issued in the future')]
      : []),
    ...(certificate.expiresAt !== null && certificate.expiresAt * 1000 <= nowMs
      ? [registrationProblem('expired', 'it has expired')]
      : []),
    ...statusFault(standing),
  ]
}

function unverifiedFault({ unverified }: RegistrationStanding): RegistrationProblem[] {
  if (unverified === null) return []
  return [registrationProblem('unverified', `its signature is not verified: ${unverified}`, unverified)]
}

function statusFault({ status }: RegistrationStanding): RegistrationProblem[] {
  const isHeldAgainst = status === 'revoked' || status === 'suspended' || status === 'invalid'
  return isHeldAgainst ? [registrationProblem(status, `its status is ${status}`)] : []
}

/** Up to so long a certificate may live without a way to revoke it (ARF RPRC_01a). */
const UNREVOCABLE_SECONDS_MAX = 86_400

/** What its registrar should have done otherwise; it is used all the same. */
export function registrationRemarks({
  certificate,
}: Pick<Registration, 'certificate'>): readonly RegistrationProblem[] {
  const { issuedAt, expiresAt, status } = certificate
  if (status !== null) return []
  if (expiresAt === null) {
    const problem = 'it has no end and names no status list, so nobody can revoke it (RPRC_01a)'
    return [registrationProblem('endless', problem)]
  }
  if (expiresAt - issuedAt <= UNREVOCABLE_SECONDS_MAX) return []
  const problem = 'it lives for more than 24 hours and names no status list, so nobody can revoke it (RPRC_01a)'
  return [registrationProblem('long_lived', problem)]
}

export function renderRegistration(registration: Registration, parties: Parties, nowMs: number) {
  const { certificate, standing } = registration
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
    verified: standing.unverified === null,
    status: standing.status,
    checked_at: registration.checkedAt,
    faults: registrationFaults(registration, parties, nowMs).map(({ problem }) => problem),
    remarks: registrationRemarks(registration).map(({ problem }) => problem),
  }
}

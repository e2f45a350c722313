// Defines a merchant's mandate for the operator: the hash of the signed document. The document itself stays with the parties.

import type { MANDATE_KINDS } from '../../../../../../wire/values/going-live.ts'
import { type RegistrationProblem, registrationProblem } from '../../../../core/registrations/domain/problem.ts'
import type { Instant } from '../../../../platform/world.ts'

export type MandateKind = (typeof MANDATE_KINDS)[number]

export interface NewMandate {
  readonly kind: MandateKind
  /** The SHA-256 of the document's bytes, in hex. */
  readonly sha256: string
  /** The day of the signature, YYYY-MM-DD. */
  readonly dated: string
}

export interface Mandate extends NewMandate {
  readonly recordedAt: Instant
  /** When the operator compared the document with the hash; null if not yet. */
  readonly checkedAt: Instant | null
}

const DAY_MS = 86_400_000
/** Earlier than any law that defines such mandates. */
const FIRST_DAY = '2000-01-01'

/** Why the mandate is invalid; null if it is valid. */
export function mandateFault({ sha256, dated }: NewMandate, nowMs: number): RegistrationProblem | null {
  if (!/^[0-9a-f]{64}$/.test(sha256))
    return registrationProblem('hash', 'the hash must be 64 hexadecimal digits, a SHA-256')
  const day = /^\d{4}-\d{2}-\d{2}$/.test(dated) ? new Date(`${dated}T00:00:00Z`) : null
  if (day === null || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== dated)
    return registrationProblem('day', 'the date must be a day, written YYYY-MM-DD')
  // Allows one more day, because of time zones.
  if (day.getTime() > nowMs + DAY_MS)
    return registrationProblem('dated_in_future', 'the document is dated in the future')
  return dated < FIRST_DAY
    ? registrationProblem('dated_too_early', `the document is dated before ${FIRST_DAY}`, FIRST_DAY)
    : null
}

export function renderMandate(mandate: Mandate) {
  return {
    kind: mandate.kind,
    sha256: mandate.sha256,
    dated: mandate.dated,
    recorded_at: mandate.recordedAt,
    checked_at: mandate.checkedAt,
  }
}

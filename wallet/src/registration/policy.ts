// Decides whether a wallet checks registrations, and what it does after a warning.

import type { X509Certificate } from 'node:crypto'
import { type AssessedRequest, assessRegistration, type RegistrationView } from './assess.ts'

export interface RegistrationPolicy {
  /** Authorities of the providers of registration certificates that this wallet knows. */
  readonly trustedProviders: readonly Uint8Array[]
  /** Whether the wallet continues after it has warned the holder, or declines. */
  readonly onWarning: 'present' | 'decline'
}

interface Asked extends Omit<AssessedRequest, 'certificate'> {
  readonly certificate: X509Certificate | null
  /** null if the request has none. */
  readonly clientId: string | null
}

/** Returns null if the wallet does not check: the request is unsigned, or its client_id prefix is not that of EU access certificates. */
export async function assessFor(
  request: Asked,
  options: {
    readonly registration?: RegistrationPolicy
    readonly fetch?: typeof globalThis.fetch
    readonly now: number
  },
): Promise<RegistrationView | null> {
  const { registration, fetch = globalThis.fetch, now } = options
  const { certificate, clientId } = request
  if (registration === undefined || certificate === null) return null
  if (clientId !== null && !clientId.startsWith('x509_hash:')) return null
  return assessRegistration(
    { ...request, certificate },
    { trustedProviders: registration.trustedProviders, fetch, now },
  )
}

export function isRefusedFor(view: RegistrationView | null, policy: RegistrationPolicy | undefined): boolean {
  return view !== null && view.warnings.length > 0 && policy?.onWarning === 'decline'
}

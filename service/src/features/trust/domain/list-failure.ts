// Why a status or revocation list could not be fetched. Only the operator sees it.

import { parseWebAddress } from '@vidimus/engine/channels/web-address'
import type { Environment, Instant } from '../../../platform/world.ts'

type ListFailureCause =
  | 'egress_denied'
  | 'dns_failure'
  | 'connect_timeout'
  | 'connect_error'
  | 'tls_error'
  | 'timeout'
  | 'protocol_error'
  | 'response_too_large'
  | 'not_https'
  | 'http_status'
  | 'media_type'
  | 'unreadable'

export interface ListFailure {
  readonly cause: ListFailureCause
  /** A short code or an HTTP status: no address, no text from the other side. */
  readonly reason: string
}

export interface ListFailureRecord extends ListFailure {
  readonly environment: Environment
  /** Scheme, host and port. The path may point to one credential, so it is not kept. */
  readonly origin: string
  readonly at: Instant
}

/** How long a failure is shown and kept. */
export const FAILURE_KEPT_MS = 86_400_000
/** How many origins are kept per environment, newest first. Issuers choose them, and in test anyone is an issuer. */
export const FAILURES_KEPT = 200

const ORIGIN_CHARACTERS_MAX = 300

export function originOfList(uri: string): string {
  const origin = parseWebAddress(uri)?.origin ?? 'null'
  if (origin === 'null') return '(no web address)'
  return origin.length > ORIGIN_CHARACTERS_MAX ? '(overlong address)' : origin
}

const EXPLANATIONS = {
  egress_denied: ['blocked by the egress policy', 'if it is yours, name its address in VIDIMUS_EGRESS_ALLOW'],
  dns_failure: ['its name was not resolved', 'ask the name servers of this machine for that name'],
  connect_timeout: ['no connection in time', 'see whether this machine may reach it'],
  connect_error: ['no connection', 'see whether this machine may reach it'],
  tls_error: ['TLS failed', 'see whether its certificate is valid, for that name and under a public authority'],
  timeout: ['it did not answer in time', 'ask its publisher'],
  protocol_error: ['it did not answer in HTTP', 'ask its publisher'],
  response_too_large: ['it is longer than the limit for lists', 'ask its publisher'],
  not_https: ['live lists need https', 'ask its publisher'],
  http_status: ['it answered with an HTTP error', 'ask its publisher'],
  media_type: ['it was not served as a list', 'ask its publisher'],
  unreadable: ['it is not a list that can be read', 'ask its publisher'],
} as const satisfies Record<ListFailureCause, readonly [string, string]>

export function explainListFailure({ cause, reason }: ListFailure): { readonly why: string; readonly remedy: string } {
  const [why, remedy] = EXPLANATIONS[cause]
  return { why: `${why} (${reason})`, remedy }
}

export const isListFailureCause = (text: string): text is ListFailureCause => Object.hasOwn(EXPLANATIONS, text)

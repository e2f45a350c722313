// Defines why a status or revocation list could not be fetched, and explains it. Only the operator sees it.

import { parseWebAddress } from '@vidimus/engine/channels/web-address'
import type { Environment, Instant } from '../../../platform/world.ts'

type ListFailureCause = keyof typeof EXPLANATIONS

export interface ListFailure {
  readonly cause: ListFailureCause
  /** A short code or an HTTP status. Contains no address, and no text from the host. */
  readonly reason: string
}

export interface ListFailureRecord extends ListFailure {
  readonly environment: Environment
  /** Scheme, host and port. The path is left out, because it may belong to a single credential. */
  readonly origin: string
  readonly at: Instant
}

/** How long a failure is shown and kept. */
export const FAILURE_KEPT_MS = 86_400_000
/** How many origins are stored per environment: the newest. Issuers choose origins, and in test anyone can be an issuer. */
export const FAILURES_KEPT = 200

const ORIGIN_CHARACTERS_MAX = 300

export function originOfList(uri: string): string {
  const origin = parseWebAddress(uri)?.origin ?? 'null'
  if (origin === 'null') return '(no web address)'
  return origin.length > ORIGIN_CHARACTERS_MAX ? '(overlong address)' : origin
}

const EXPLANATIONS = {
  egress_denied: ['blocked by the egress policy', 'if the host is yours, add its address to VIDIMUS_EGRESS_ALLOW'],
  dns_failure: ['the host name was not resolved', 'ask the name servers of this machine for that name'],
  connect_timeout: ['no connection in time', 'check whether this machine may reach the host'],
  connect_error: ['no connection', 'check whether this machine may reach the host'],
  tls_error: ['TLS failed', 'check that its certificate is valid, for that name and under a public authority'],
  timeout: ['the host did not answer in time', 'ask the publisher of the list'],
  protocol_error: ['the host did not answer in HTTP', 'ask the publisher of the list'],
  response_too_large: ['the list is longer than allowed', 'ask the publisher of the list'],
  not_https: ['live lists need https', 'ask the publisher of the list'],
  http_status: ['the host answered with an HTTP error', 'ask the publisher of the list'],
  media_type: ['the answer does not have the media type of a list', 'ask the publisher of the list'],
  unreadable: ['the list is unreadable', 'ask the publisher of the list'],
} as const satisfies Record<string, readonly [string, string]>

export function explainListFailure({ cause, reason }: ListFailure): { readonly why: string; readonly remedy: string } {
  const [why, remedy] = EXPLANATIONS[cause]
  return { why: `${why} (${reason})`, remedy }
}

export const isListFailureCause = (text: string): text is ListFailureCause => Object.hasOwn(EXPLANATIONS, text)

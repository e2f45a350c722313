// Defines the outcome of an outbound request as a code.

type FailureWord =
  | 'egress_denied'
  | 'dns_failure'
  | 'connect_timeout'
  | 'connect_error'
  | 'tls_error'
  | 'timeout'
  | 'protocol_error'
  | 'response_too_large'

/** A tenant may see the code; `reason` is for the operator, because it can reveal names of our network. */
export interface Failed {
  readonly outcome: FailureWord
  /** A short code: no address, no text from the other side. */
  readonly reason: string
}

/** The only headers that callers can read; cookies are not among them. */
export const SELECTED_HEADERS = [
  'age',
  'cache-control',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'x-jku-url',
] as const
export type SelectedHeader = (typeof SELECTED_HEADERS)[number]

export interface Answered {
  readonly outcome: 'answered'
  readonly status: number
  readonly headers: Readonly<Partial<Record<SelectedHeader, string>>>
  /** As received: never decompressed. */
  readonly body: Uint8Array
  /** Whether the body was longer. Only true if the caller allows truncation. */
  readonly truncated: boolean
}

export type Outcome = Answered | Failed

export function failed(outcome: FailureWord, reason: string): Failed {
  return { outcome, reason }
}

const COSTLY = new Set([
  'framing',
  'handshake_too_long',
  'informational_answers',
  'records',
  'short_parts',
  'short_pieces',
])

/** The reason if the sending thread ended. A request to another host may have caused that. */
export const THREAD_LOST = 'thread_lost'

/** Whether the request was aborted because it cost the thread too much for the length of its body. */
export const wasCostly = ({ reason }: Failed): boolean => COSTLY.has(reason)

/** The code of a system, TLS or parser error; never its message, which may quote the other side. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return 'unknown'
  return /^[A-Z0-9_]{1,80}$/.test(error.code) ? error.code : 'unknown'
}

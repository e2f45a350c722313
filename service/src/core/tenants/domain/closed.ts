// Whether this installation serves a tenant. It does not while the tenant moves, nor after the tenant has moved.

import { Refusal } from '../../../platform/errors.ts'

/** null: served here. Empty: served nowhere for a moment. Otherwise the address of the installation that serves it. */
export type Closed = string | null

const RETRY_SECONDS = 2

/** 503 for a moment, or a redirect to the other installation. */
export function requireServed(closed: Closed): void {
  if (closed === null) return
  throw closed === ''
    ? new Refusal('unavailable', { retryAfterSeconds: RETRY_SECONDS, missing: 'moving' })
    : new Refusal('unavailable', { movedTo: closed })
}

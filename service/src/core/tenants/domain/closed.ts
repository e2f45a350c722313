// Defines whether this installation serves a tenant. A tenant is closed while it moves to another installation, and afterwards.

import { Refusal } from '../../../platform/errors.ts'

/** null: this installation serves the tenant. Empty: none does for now. Otherwise the address of the one that does. */
export type Closed = string | null

const RETRY_SECONDS = 2

/** Refuses with 503 while a tenant moves, then redirects to the other installation. */
export function requireServed(closed: Closed): void {
  if (closed === null) return
  throw closed === ''
    ? new Refusal('unavailable', { retryAfterSeconds: RETRY_SECONDS, missing: 'moving' })
    : new Refusal('unavailable', { movedTo: closed })
}

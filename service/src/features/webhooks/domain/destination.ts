// A webhook destination, and how long it has been failing.

import type { AuditEvent } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Instant } from '../../../platform/world.ts'
import { nameEntries } from '../../audit/index.ts'

interface DestinationState {
  readonly origin: string
  readonly failingSince: Instant
  readonly failures: number
  readonly disabledAt: Instant | null
}

export function renderDestination(destination: DestinationState) {
  return {
    origin: destination.origin,
    failing_since: destination.failingSince,
    failures: destination.failures,
    disabled_at: destination.disabledAt,
  }
}

/** Does not name the host. Only the details do, and they are deleted with the last verification that failed there. */
export const destinationObject = ({ environment }: Realm) => ({ type: 'webhook_destination', id: environment })

/** What mails about a destination are about. */
export const mailSubjectOf = ({ environment, origin }: Realm & { readonly origin: string }) =>
  `webhooks ${environment} ${origin}`

/** Returns the audit event that names earlier entries whose details were deleted. */
export function destinationForgotten(realm: Realm, entries: readonly number[]): AuditEvent {
  return {
    action: 'destination.forgotten',
    actor: { type: 'system', id: 'webhooks' },
    object: destinationObject(realm),
    details: { entries: nameEntries(entries) },
  }
}

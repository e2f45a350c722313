// Deletes a webhook destination if no delivery that failed there is left, with the mails that name its host.

import type { AuditEvent } from '../../../core/ports/audit.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { endMailsAbout } from '../../mail/index.ts'
import { destinationForgotten, mailSubjectOf } from '../domain/destination.ts'
import { type Destination, forgetUnusedDestination, isDestinationUsed } from '../store/destinations.ts'

/** Returns what the caller must record; null if the audit trail lost no details. */
export async function forgetDestinationIfUnused(tx: Tx, destination: Destination): Promise<AuditEvent | null> {
  const entries = await forgetUnusedDestination(tx, destination)
  // The last statement, because it locks mails.
  if (!(await isDestinationUsed(tx, destination)))
    await endMailsAbout(tx, destination.tenantId, mailSubjectOf(destination))
  return entries.length === 0 ? null : destinationForgotten(destination, entries)
}

// An entry on the chain of whom it concerns, as the last step of a transaction.

import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { ENVIRONMENTS, type Environment, type Instant } from '../../../platform/world.ts'
import type { AuditEvent } from '../domain/entry.ts'
import { appendAudit } from '../store/chain.ts'

/** A tenant's own stands on its chain; what belongs to no tenant is the operator's, and on nobody's. */
export async function recordEvent(
  deps: Pick<Deps, 'random' | 'headMacs'>,
  tx: Tx,
  owner: { readonly tenantId: string | null; readonly environment: Environment },
  { now, ...event }: AuditEvent & { readonly now: Instant },
): Promise<void> {
  const { tenantId, environment } = owner
  if (tenantId === null) return
  const { random, headMacs } = deps
  await appendAudit(tx, { tenantId, environment }, { now, random, headMacs, events: [event] })
}

/** What concerns a tenant as a whole stands on both of its chains. */
export async function recordOnBoth(
  deps: Pick<Deps, 'random' | 'headMacs'>,
  tx: Tx,
  tenantId: string,
  event: AuditEvent & { readonly now: Instant },
): Promise<void> {
  for (const environment of ENVIRONMENTS) await recordEvent(deps, tx, { tenantId, environment }, event)
}

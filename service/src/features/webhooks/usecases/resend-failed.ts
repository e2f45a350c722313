// Makes failed deliveries due again, for one attempt each.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import { SCHEDULE_SECONDS } from '../domain/delivery.ts'
import { reviveFailed } from '../store/deliveries.ts'

/** The maximum number of deliveries per call. The newest come first. */
export const RESENT_AT_ONCE_MAX = 500
/** After this many attempts a delivery is not resent, because its receiver may not belong to the tenant. */
export const TRIED_MAX = 50
/** The shortest time between two attempts. */
const REST_MS = 10 * 60_000

/** Returns how many deliveries are now due. */
export async function resendFailed(
  deps: Pick<Deps, 'db' | 'clock' | 'audit'>,
  input: { readonly realm: Realm; readonly since: Instant; readonly actor: AuditActor },
): Promise<number> {
  const { realm, since, actor } = input
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  return deps.db.transaction(async (tx) => {
    const resent = await reviveFailed(tx, realm, {
      since,
      now,
      triedBefore: instantOf(nowMs - REST_MS),
      triedMax: TRIED_MAX,
      rowsMax: RESENT_AT_ONCE_MAX,
      attempts: SCHEDULE_SECONDS.length - 1,
    })
    if (resent === 0) return 0
    const object = { type: 'webhook_deliveries', id: realm.environment }
    const events = [{ action: 'deliveries.resent', actor, object, details: { count: resent } }] as const
    await deps.audit.recordAll(tx, realm, { now, events })
    return resent
  })
}

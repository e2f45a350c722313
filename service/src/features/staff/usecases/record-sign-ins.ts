// Records sign-ins of staff on audit trails: the method and the number of failures, without address or name.

import type { AuditEvent } from '../../../core/ports/audit.ts'
import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { ENVIRONMENTS, instantOf } from '../../../platform/world.ts'
import { FAILURES_EVERY_MS, type SignInMethod } from '../domain/session.ts'
import { countFailedSignIn, listTenantIds } from '../store/people.ts'

type Needs = Pick<Deps, 'clock' | 'audit'>
export type OwnEvent = Pick<AuditEvent, 'action' | 'details'>

/**
 * Records `events` on the trails of all tenants of the person, and `ofTenant` on single ones. Must be the last step of
 * a transaction, because it locks trails, in the order in which batches lock them.
 */
export async function recordOnTenantsOf(
  deps: Needs,
  tx: Tx,
  personId: string,
  events: readonly OwnEvent[],
  ofTenant: ReadonlyMap<string, readonly OwnEvent[]> = new Map(),
): Promise<void> {
  const now = instantOf(deps.clock.now())
  const actor = events.some(({ action }) => action === 'user.sign_in_failed')
    ? STRANGER
    : ({ type: 'user', id: personId } as const)
  for (const tenantId of await listTenantIds(tx, personId)) {
    const all = [...(ofTenant.get(tenantId) ?? []), ...events].map(
      (event): AuditEvent => ({ ...event, actor, object: { type: 'user', id: personId } }),
    )
    for (const environment of ENVIRONMENTS)
      await deps.audit.recordAll(tx, { tenantId, environment }, { now, events: all })
  }
}

/** The caller has not authenticated. */
const STRANGER = { type: 'system', id: 'sign-in' } as const

/**
 * Only for existing accounts (`vidimus_refusals_total` counts unknown addresses), at most hourly per person, because
 * anyone can cause it. Not awaited: the time would reveal that the account exists.
 */
export function recordFailedSignIns(
  deps: Needs & Pick<Deps, 'db' | 'log'>,
  personIds: readonly string[],
  method: SignInMethod,
): void {
  for (const personId of personIds) {
    recordFailure(deps, personId, method).catch((error: unknown) => {
      deps.log.fault('a failed sign-in was not recorded', error)
    })
  }
}

async function recordFailure(deps: Needs & Pick<Deps, 'db'>, personId: string, method: SignInMethod): Promise<void> {
  const nowMs = deps.clock.now()
  await deps.db.transaction(async (tx) => {
    const now = instantOf(nowMs)
    const counted = await countFailedSignIn(tx, { personId, now, dueBefore: instantOf(nowMs - FAILURES_EVERY_MS) })
    if (counted === null || !counted.isDue) return
    const details = { method, failures: counted.failures }
    await recordOnTenantsOf(deps, tx, personId, [{ action: 'user.sign_in_failed', details }])
  })
}

// Reports a destination that has failed for a day, and disables it after five days.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import { breakerStep } from '../domain/delivery.ts'
import { destinationObject } from '../domain/destination.ts'
import {
  clearFailures,
  countFailures,
  type Destination,
  enableDestination,
  type FailingDestination,
  listFailingDestinations,
  markDestination,
} from '../store/destinations.ts'

export type WatchingNeeds = Pick<Deps, 'db' | 'clock' | 'log' | 'metrics' | 'audit'>

export async function noteDestinations(
  deps: WatchingNeeds,
  ended: { readonly succeeded: readonly Destination[]; readonly failed: readonly Destination[] },
): Promise<void> {
  if (ended.succeeded.length > 0) await clearFailures(deps.db, ended.succeeded)
  if (ended.failed.length === 0) return
  const nowMs = deps.clock.now()
  for (const failing of await countFailures(deps.db, ended.failed, instantOf(nowMs))) await judge(deps, failing, nowMs)
}

async function judge(deps: WatchingNeeds, failing: FailingDestination, nowMs: number): Promise<void> {
  if (failing.disabledAt !== null) return
  const breaker = {
    sinceMs: millisecondsOf(failing.failingSince),
    failures: failing.failures,
    noticed: failing.noticedAt !== null,
  }
  const step = breakerStep(breaker, nowMs)
  if (step === 'none') return
  const now = instantOf(nowMs)
  const marked = await deps.db.transaction(async (tx) => {
    if (!(await markDestination(tx, failing, { step, now }))) return false
    const action = step === 'notice' ? 'destination.failing' : 'destination.disabled'
    const object = destinationObject(failing)
    await deps.audit.record(tx, failing, {
      now,
      action,
      actor: { type: 'system', id: 'webhooks' },
      object,
      details: { origin: failing.origin },
    })
    return true
  })
  if (!marked) return
  deps.metrics.alarms.inc({ alarm: `webhook_destination_${step === 'notice' ? 'failing' : 'disabled'}` })
  deps.log.warn(
    step === 'notice' ? 'a webhook destination has failed for a day' : 'a webhook destination was disabled',
    {
      tenant: failing.tenantId,
      environment: failing.environment,
    },
  )
}

export async function listDestinations(deps: Pick<Deps, 'db'>, realm: Realm): Promise<FailingDestination[]> {
  return listFailingDestinations(deps.db, realm)
}

/** Enables a destination and releases its held deliveries. Returns false if it was not disabled. */
export async function enableWebhookDestination(
  deps: Pick<Deps, 'db' | 'clock' | 'audit'>,
  input: { readonly destination: Destination; readonly actor: AuditActor },
): Promise<boolean> {
  const { destination, actor } = input
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    if (!(await enableDestination(tx, destination, now))) return false
    const object = destinationObject(destination)
    await deps.audit.record(tx, destination, {
      now,
      action: 'destination.enabled',
      actor,
      object,
      details: { origin: destination.origin },
    })
    return true
  })
}

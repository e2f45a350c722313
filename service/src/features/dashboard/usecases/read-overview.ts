// Reads the start page: completed first steps, open verifications, and problems.

import { TTL_SECONDS } from '../../../../../wire/values/verifications.ts'
import type { Usage } from '../../../core/quota/domain/quota.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { readUsage } from '../../../core/verifications/usecases/reading/read-usage.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { listDestinations, readWebhookHealth } from '../../webhooks/index.ts'
import { countWaiting, loadFirstSteps } from '../store/for-staff.ts'

/** Larger numbers are not counted exactly. */
const COUNTED_MAX = 10_000

export interface Overview {
  readonly steps: Awaited<ReturnType<typeof loadFirstSteps>>
  /** Verifications that can still be answered. */
  readonly waiting: number
  readonly usage: Usage
  readonly failingDestinations: number
  /** The attempts of the last day, as the page of webhooks counts them. */
  readonly webhookAttempts: { readonly all: number; readonly accepted: number }
}

export async function readOverview(deps: Pick<Deps, 'db' | 'clock'>, realm: Realm): Promise<Overview> {
  const nowMs = deps.clock.now()
  // Older verifications have expired.
  const since = instantOf(nowMs - TTL_SECONDS.max * 1000)
  const [steps, waiting, usage, failing, hours] = await Promise.all([
    loadFirstSteps(deps.db, realm),
    countWaiting(deps.db, realm, { since, now: instantOf(nowMs), window: COUNTED_MAX }),
    readUsage(deps, realm.tenantId),
    listDestinations(deps, realm),
    readWebhookHealth(deps, realm),
  ])
  const webhookAttempts = {
    all: hours.reduce((sum, { attempts }) => sum + attempts, 0),
    accepted: hours.reduce((sum, { delivered }) => sum + delivered, 0),
  }
  return { steps, waiting, usage, failingDestinations: failing.length, webhookAttempts }
}

// Deletes data past its retention in small complete steps: verifications, keys, responses, evidence.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import { pruneKeysOfAllTenants } from '../../../core/verifications/store/idempotency.ts'
import { eraseFree, eraseVerification } from '../../../core/verifications/usecases/forgetting/erase-verification.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { SINGLY } from '../../../platform/postgres/days.ts'
import { runInSteps } from '../../../platform/steps.ts'
import { StoreUnavailable } from '../../../platform/store-unavailable.ts'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { loadDays } from '../store/day-partitions.ts'
import { destroyKeysOfExpiredAcrossTenants, findOverdueAcrossTenants } from '../store/overdue.ts'
import { dayOfRetention, lapseDays, WRITTEN_MS_MAX } from './lapse-days.ts'

const RETENTION = { type: 'system', id: 'retention' } as const
const STEP_ROWS = 500
/** This many verifications can be erased before the job's lease expires, even one by one. */
const STEPS = { rowsEach: STEP_ROWS, stepsMax: 400 }
/** Per transaction. The tenant's other work waits while these audit entries are written. */
const TOGETHER_MAX = 100
/** A wallet's answer that arrived in time may still be in examination. */
const KEY_GRACE_MS = 60_000
const HOUR_MS = 3_600_000

type Needs = Pick<Deps, 'db' | 'clock' | 'log' | 'metrics' | 'audit' | 'listed' | 'forgetting'>

export interface Forgotten {
  readonly verifications: number
  readonly encryptionKeys: number
  readonly idempotencyKeys: number
  /** From contributions: evidence that was not collected in time, failed fetches of status lists. */
  readonly contributed: number
}

/** For each kept day, the hour in which this process last found nothing more to delete in it. */
type SearchedDays = Map<number, number>

const searchedOn = new WeakMap<Deps['db'], SearchedDays>()

/** Returns the searched days of this store, which the process remembers between runs of the job. */
export function searchedDays(db: Deps['db']): SearchedDays {
  const searched = searchedOn.get(db) ?? new Map()
  searchedOn.set(db, searched)
  return searched
}

export async function applyRetention(
  deps: Needs,
  stopped: AbortSignal = NEVER_STOPPED,
  searched: SearchedDays = new Map(),
): Promise<Forgotten> {
  const { db } = deps
  const inSteps = (step: () => Promise<number>) => runInSteps(step, { ...STEPS, stopped })
  return {
    encryptionKeys: await inSteps(() => destroyKeysOfExpiredAcrossTenants(db, beforeGrace(deps), STEP_ROWS)),
    idempotencyKeys: await inSteps(() => pruneKeysOfAllTenants(db, instantOf(deps.clock.now()), STEP_ROWS)),
    contributed: await forgetOverdue(deps, inSteps),
    verifications: await forgetVerifications(deps, stopped, searched),
  }
}

async function forgetOverdue(
  { db, clock, forgetting }: Needs,
  inSteps: (step: () => Promise<number>) => Promise<number>,
): Promise<number> {
  let count = 0
  for (const { forgetOverdue: forget } of forgetting)
    if (forget !== undefined) count += await inSteps(() => forget(db, instantOf(clock.now()), STEP_ROWS))
  return count
}

const beforeGrace = (deps: Pick<Deps, 'clock'>) => instantOf(deps.clock.now() - KEY_GRACE_MS)

/**
 * Drops whole days first. Then erases single verifications that are outside of such days, or whose day other tenants
 * keep. A kept day is searched once an hour, because the search reads rows of all tenants.
 */
async function forgetVerifications(deps: Needs, stopped: AbortSignal, searched: SearchedDays): Promise<number> {
  const days = await loadDays(deps.db)
  const hour = Math.floor((deps.clock.now() - WRITTEN_MS_MAX) / HOUR_MS)
  for (const day of searched.keys()) if (searched.get(day) !== hour) searched.delete(day)
  const lapsed = await lapseDays(
    deps,
    { ...days, partitioned: days.partitioned.filter((day) => !searched.has(day)) },
    stopped,
  )
  let count = lapsed.verifications + (await eraseOverdue(deps, { day: SINGLY, today: null }, stopped)).erased
  for (const day of days.unplanned) count += (await eraseOverdue(deps, { day, today: null }, stopped)).erased
  const today = dayOfRetention(deps)
  for (const day of lapsed.stuck) count += (await eraseOverdue(deps, { day, today }, stopped)).erased
  for (const day of lapsed.kept) {
    const { found, erased } = await eraseOverdue(deps, { day, today }, stopped)
    if (found === 0) searched.set(day, hour)
    count += erased
  }
  return count
}

interface Partition {
  readonly day: number
  /** null: compares the time of each verification. */
  readonly today: number | null
}

/** If a verification cannot be erased, skips it until the next run, so that it does not block others. */
async function eraseOverdue(
  deps: Needs,
  partition: Partition,
  stopped: AbortSignal,
): Promise<{ readonly found: number; readonly erased: number }> {
  const failed: string[] = []
  const found = await runInSteps(
    async () => {
      const look = { now: instantOf(deps.clock.now()), rowsMax: STEP_ROWS, except: failed, ...partition }
      const overdue = await findOverdueAcrossTenants(deps.db, look)
      for (const { realm, ids } of inBatches(overdue)) {
        stopped.throwIfAborted()
        const erased = await eraseTogether(deps, realm, ids)
        for (const id of ids) if (!erased.has(id) && !(await erase(deps, realm, id))) failed.push(id)
      }
      return overdue.length
    },
    { ...STEPS, stopped },
  )
  return { found, erased: found - failed.length }
}

interface ErasureBatch {
  readonly realm: Realm
  readonly ids: string[]
}

function inBatches(overdue: readonly (Realm & { readonly id: string })[]): ErasureBatch[] {
  const batches: ErasureBatch[] = []
  const open = new Map<string, ErasureBatch>()
  for (const { tenantId, environment, id } of overdue) {
    const realm = { tenantId, environment }
    const batch = open.get(realmName(realm))
    if (batch !== undefined && batch.ids.length < TOGETHER_MAX) batch.ids.push(id)
    else {
      const fresh = { realm, ids: [id] }
      open.set(realmName(realm), fresh)
      batches.push(fresh)
    }
  }
  return batches
}

/** Returns the erased ids. After a failure it returns none; the caller then erases each one alone, to find the cause. */
async function eraseTogether(deps: Needs, realm: Realm, ids: readonly string[]): Promise<ReadonlySet<string>> {
  try {
    return await eraseFree(deps, { realm, ids, actor: RETENTION })
  } catch (error) {
    deps.log.fault('verifications past their retention were not erased together', error, { tenant: realm.tenantId })
    return new Set()
  }
}

async function erase(deps: Needs, realm: Realm, id: string): Promise<boolean> {
  try {
    await eraseVerification(deps, { realm, id, actor: RETENTION })
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    // The merchant has erased it in the meantime.
    if (error instanceof Refusal) return true
    deps.metrics.alarms.inc({ alarm: 'retention_not_applied' })
    deps.log.fault('a verification past its retention was not erased', error, { tenant: realm.tenantId })
    return false
  }
  return true
}

// Drops whole days that are past retention. One transaction detaches the day and records the lost audit details on the
// trails. Later steps delete derived rows page by page and drop the day. The next run continues an interrupted one.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import type { ErasureNeeds } from '../../../core/verifications/usecases/forgetting/erase-verification.ts'
import type { Deps } from '../../../deps.ts'
import { hasSqlState, isStoreGone } from '../../../platform/postgres/connection.ts'
import { DAY_MS, DAYS_KEPT_MAX, dayAt } from '../../../platform/postgres/days.ts'
import { runInSteps } from '../../../platform/steps.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import { LAPSE, lapsesUntil, textOfDay } from '../../audit/index.ts'
import {
  countBlocks,
  countLapsed,
  dropDay,
  dropDetails,
  isDayKept,
  isLocked,
  keepDetails,
  type LapsedRealm,
  lapseDay,
  lapsedTable,
  loadDays,
  moveKept,
  type NamedEntries,
  nameEntries,
  type StoredDays,
} from '../store/day-partitions.ts'

const RETENTION = { type: 'system', id: 'retention' } as const
/** Days lapse at midnight. A day that is still locked this long afterwards is reported and erased row by row. */
const LOCKED_MS_MAX = 6 * 3_600_000

const MOVED = { rowsEach: 500, stepsMax: 2_000 }
/** Rows are usually written within minutes of their id. A later time comes from a trail that was ahead of the clocks. */
export const WRITTEN_MS_MAX = 10 * 60_000
const KEPT_BY_NONE = 3_650

/** 4 MB, about 5,000 verifications: one statement deletes all rows derived from them. */
const PAGE_BLOCKS = 512
/** For tables with derived rows. One statement can look up their rows, some ten thousand at most, in the day. */
const SMALL_BLOCKS = 512

type Needs = ErasureNeeds & Pick<Deps, 'log'>

export interface LapsedDays {
  readonly verifications: number
  /** Days that at least one tenant still keeps. Overdue verifications of other tenants are erased one by one. */
  readonly kept: readonly number[]
  /** Days that should have lapsed as a whole but could not. Their overdue verifications are erased one by one. */
  readonly stuck: readonly number[]
}

/** The current day for retention. It begins a little late, so that a day lapses as a whole after its late rows are written. */
export const dayOfRetention = ({ clock }: Pick<Deps, 'clock'>): number => dayAt(clock.now() - WRITTEN_MS_MAX)

export async function lapseDays(deps: Needs, days: StoredDays, stopped: AbortSignal): Promise<LapsedDays> {
  for (const day of days.lapsed) await finishDay(deps, day, stopped)
  const today = dayOfRetention(deps)
  const [kept, stuck, locked]: [number[], number[], number[]] = [[], [], []]
  let verifications = 0
  for (const day of days.partitioned.filter((one) => one + 1 + (days.shortestRetention ?? 1) <= today)) {
    stopped.throwIfAborted()
    const outcome = await tryToLapse(deps, day, { isLocked: locked.length > 0, stopped })
    if (outcome === 'kept') kept.push(day)
    else if (outcome === 'stuck') stuck.push(day)
    else if (outcome === 'locked') locked.push(day)
    else {
      verifications += outcome
      deps.metrics.erased.inc({ by: RETENTION.type }, outcome)
      await finishDay(deps, day, stopped)
    }
  }
  if (locked.length > 0 && deps.clock.now() - today * DAY_MS > LOCKED_MS_MAX) {
    deps.metrics.alarms.inc({ alarm: 'retention_not_applied' })
    stuck.push(...locked)
  }
  return { verifications, kept, stuck }
}

/** Returns how many verifications lapsed. `isLocked`: a table lock blocks another day, so this day does not wait too. */
async function tryToLapse(
  deps: Needs,
  day: number,
  options: { readonly isLocked: boolean; readonly stopped: AbortSignal },
): Promise<number | 'kept' | 'stuck' | 'locked'> {
  const { db, clock, log, metrics } = deps
  try {
    // After a tenant lengthens its retention, its rows would keep the day, maybe for years. So they are moved out.
    if (day + 1 + DAYS_KEPT_MAX < dayAt(clock.now())) await moveOut(deps, day, { ...options, keptMax: DAYS_KEPT_MAX })
    if (await isDayKept(db, day, instantOf(clock.now()))) return 'kept'
    if (options.isLocked) return 'locked'
    await moveOut(deps, day, { ...options, keptMax: KEPT_BY_NONE })
    const realms = await lapse(deps, day)
    return realms === null ? 'kept' : realms.reduce((sum, realm) => sum + realm.verifications, 0)
  } catch (error) {
    options.stopped.throwIfAborted()
    if (isLocked(error)) {
      log.info('a day past its retention waits, because a table is locked')
      return 'locked'
    }
    if (isStoreGone(error)) throw error
    if (hasSqlState(error, '42P01') && !(await loadDays(db)).partitioned.includes(day)) {
      log.info('a day past its retention was dropped by another run')
      return 0
    }
    metrics.alarms.inc({ alarm: 'retention_not_applied' })
    log.fault('a day past its retention could not be dropped as a whole', error)
    return 'stuck'
  }
}

/** Moves rows that do not lapse with the day. They will be deleted one by one. */
const moveOut = (
  { db }: Needs,
  day: number,
  { keptMax, stopped }: { readonly keptMax: number; readonly stopped: AbortSignal },
) => {
  const createdAfter = instantOf((day + 1) * DAY_MS + WRITTEN_MS_MAX)
  return runInSteps(() => moveKept(db, day, { keptMax, createdAfter, rowsMax: MOVED.rowsEach }), { ...MOVED, stopped })
}

/** Detaches the day and records this on the trails. Returns null if the day is kept. */
function lapse({ db, clock, audit }: Needs, day: number): Promise<readonly LapsedRealm[] | null> {
  const now = instantOf(clock.now())
  return db.transaction(async (tx) => {
    const named = await nameEntries(tx, day)
    if (!(await lapseDay(tx, day, now))) return null
    const realms = await countLapsed(tx, day)
    const entriesOf = requireEntries(realms, named, lapsesUntil(day, now))
    const lapsed = new Set(realms.map(realmName))
    for (const realm of named) if (!lapsed.has(realmName(realm))) await keepDetails(tx, realm, day)
    await dropDetails(tx, day)
    await audit.recordEach(tx, realms, {
      now,
      eventOf: (realm) => ({
        action: LAPSE,
        actor: RETENTION,
        object: { type: 'day', id: textOfDay(day) },
        details: { count: realm.verifications, entries: entriesOf(realm) },
      }),
    })
    return realms
  })
}

/** Throws if the partition got details after its entries were named, because no entry would account for them. */
function requireEntries(
  realms: readonly LapsedRealm[],
  named: readonly NamedEntries[],
  until: Instant,
): (realm: Realm) => string {
  const byRealm = new Map(named.map((one) => [realmName(one), one]))
  for (const realm of realms) {
    const { last = 0, newest = null } = byRealm.get(realmName(realm)) ?? {}
    if ((realm.last ?? 0) > last) throw new Error('the partition of a day got details while it was read')
    if (newest !== null && newest > until) throw new Error('the partition of a day has details of later entries')
  }
  return (realm) => byRealm.get(realmName(realm))?.entries ?? ''
}

/** Errors are reported, not thrown: the next run tries again, and other days and tenants do not wait. */
async function finishDay(deps: Needs, day: number, stopped: AbortSignal): Promise<void> {
  try {
    await forgetDerived(deps, day, stopped)
    await deps.db.transaction((tx) => dropDay(tx, day))
  } catch (error) {
    stopped.throwIfAborted()
    if (isLocked(error)) {
      deps.log.info('a day past its retention is dropped later, because a table is locked')
      if (deps.clock.now() % DAY_MS > LOCKED_MS_MAX) deps.metrics.alarms.inc({ alarm: 'retention_not_applied' })
      return
    }
    if (isStoreGone(error)) throw error
    deps.metrics.alarms.inc({ alarm: 'retention_not_applied' })
    deps.log.fault('a day past its retention was not dropped', error)
  }
}

/** Small tables are searched once for the whole day, larger ones once for each page of the day. */
async function forgetDerived({ db, forgetting }: Needs, day: number, stopped: AbortSignal): Promise<void> {
  const paged: ForgettingContribution[] = []
  for (const one of forgetting) {
    const isSmall = one.derivedTables !== undefined && (await countBlocks(db, one.derivedTables)) <= SMALL_BLOCKS
    if (isSmall) await one.forgetLapsed?.(db, { day, blocks: null })
    else paged.push(one)
  }
  const blocks = await countBlocks(db, [lapsedTable(day)])
  for (let from = 0; from < blocks; from += PAGE_BLOCKS) {
    stopped.throwIfAborted()
    for (const one of paged) await one.forgetLapsed?.(db, { day, blocks: [from, from + PAGE_BLOCKS] })
  }
}

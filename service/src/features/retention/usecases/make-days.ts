// Creates partitions for the days to come. Without one, rows go to the default partition and are deleted one by one.

import type { Deps } from '../../../deps.ts'
import { dayAt } from '../../../platform/postgres/days.ts'
import { NEVER_STOPPED } from '../../../platform/world.ts'
import { isLocked, loadDays, makeDay } from '../store/day-partitions.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'log'>

const AHEAD_DAYS = 14
/** How many days ahead the start of the service creates. The job creates the others. */
const AT_START_DAYS = 1

export const makeDays = (deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<number> =>
  makeUntil(deps, AHEAD_DAYS, stopped)

/** A locked table does not make this reject, because the start does not need the partition. */
export const makeFirstDays = (deps: Needs): Promise<number> => makeUntil(deps, AT_START_DAYS, NEVER_STOPPED)

export interface DayPartitions {
  /** How many days after today have a partition, without a gap. */
  readonly ahead: number
  /** Days with rows and no partition. */
  readonly unplanned: number
}

export async function readDayPartitions({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<DayPartitions> {
  const days = await loadDays(db)
  const existing = new Set(days.partitioned)
  let day = dayAt(clock.now()) + 1
  const first = day
  while (existing.has(day)) day += 1
  return { ahead: day - first, unplanned: days.unplanned.length }
}

/** Returns how many partitions it created. */
async function makeUntil(deps: Needs, ahead: number, stopped: AbortSignal): Promise<number> {
  const known = new Set((await loadDays(deps.db)).partitioned)
  const today = dayAt(deps.clock.now())
  let count = 0
  for (let day = today; day <= today + ahead; day += 1) {
    if (known.has(day)) continue
    stopped.throwIfAborted()
    if (await tryToMake(deps, day)) count += 1
  }
  return count
}

async function tryToMake({ db, log }: Needs, day: number): Promise<boolean> {
  try {
    const isMade = await db.transaction((tx) => makeDay(tx, day))
    if (!isMade) log.warn('a day has rows and no partition: they are deleted one by one')
    return isMade
  } catch (error) {
    if (!isLocked(error)) throw error
    log.info('no partition was made for a day, because the table is locked')
    return false
  }
}

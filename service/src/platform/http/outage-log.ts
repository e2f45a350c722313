// Logs that the store is down and that it is back. One line each and few reminders, even if many requests fail.

import type { Deps } from '../../deps.ts'

const REMIND_EVERY_MS = 60_000
/** The store counts as back after this long without a failure, so that a flapping store is logged only once. */
const QUIET_MS = 5_000

interface OutageLog {
  /** Called when a request failed because the store is down. */
  noteFailure(reason: string): void
}

interface Outage {
  refused: number
  loggedAtMs: number
  failedAtMs: number
}

type Needs = Pick<Deps, 'db' | 'log' | 'clock'>

const known = new WeakMap<Needs['db'], OutageLog>()

/** One log per store of the process. */
export function outageLogOf(deps: Needs): OutageLog {
  const found = known.get(deps.db) ?? createOutageLog(deps)
  known.set(deps.db, found)
  return found
}

function createOutageLog({ db, log, clock }: Needs): OutageLog {
  let outage: Outage | null = null
  db.watch(({ failed }) => {
    if (outage === null || failed || clock.now() - outage.failedAtMs < QUIET_MS) return
    log.info('the store is available again', { count: outage.refused })
    outage = null
  })
  return {
    noteFailure(reason) {
      const now = clock.now()
      const isNew = outage === null
      outage ??= { refused: 0, loggedAtMs: now, failedAtMs: now }
      outage.refused += 1
      outage.failedAtMs = now
      if (!isNew && now - outage.loggedAtMs < REMIND_EVERY_MS) return
      outage.loggedAtMs = now
      log.warn('the store is not available', { count: outage.refused, outcome: reason })
    },
  }
}

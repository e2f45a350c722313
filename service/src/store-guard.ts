// Compares the store with the largest log seen. Refuses a store that was rolled back.

import { setTimeout as delay } from 'node:timers/promises'
import type { Deps } from './deps.ts'
import { createLogMemory, type LogMemory } from './features/transparency/store/log-memory.ts'
import { readSeenLog, writeSeenLog } from './features/transparency/store/seen-file.ts'
import { askWitnesses } from './features/transparency/usecases/ask-witnesses.ts'
import { StoreRefused } from './platform/store-unavailable.ts'

const COMPARE_EVERY_MS = 5_000
/** A witness that is down must not prevent the start. It is asked again every minute. */
const WITNESSES_MS_MAX = 5_000

type Needs = Pick<Deps, 'db' | 'log' | 'config'>

interface StoreGuard {
  stop(): Promise<void>
}

/** Starts with the log that an earlier process of this data directory has seen. */
export const openLogMemory = async (dataDir: string): Promise<LogMemory> => createLogMemory(await readSeenLog(dataDir))

/** Throws a StoreRefused if a witness has seen more than the store holds. */
export async function askWitnessesAtStart(
  deps: Needs & Parameters<typeof askWitnesses>[0],
  memory: Pick<LogMemory, 'check'>,
): Promise<void> {
  if (deps.config.witnesses.length > 0) {
    const answered = askWitnesses(deps).then(
      () => true,
      (error: unknown) => {
        deps.log.fault('the witnesses could not be queried at start', error)
        return true
      },
    )
    const inTime = await Promise.race([answered, delay(WITNESSES_MS_MAX, false, { ref: false })])
    if (!inTime) deps.log.warn('witnesses do not answer: it is not known yet whether the store was rolled back')
  }
  await memory.check(deps.db)
}

export function startStoreGuard(deps: Needs, memory: Pick<LogMemory, 'check' | 'seen'>): StoreGuard {
  const stopping = new AbortController()
  const running = guard(deps, memory, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function guard(deps: Needs, memory: Pick<LogMemory, 'check' | 'seen'>, stopped: AbortSignal): Promise<void> {
  let written = ''
  while (!stopped.aborted) {
    try {
      await memory.check(deps.db.probe)
      written = await keepSeen(deps, memory, written)
    } catch (error) {
      // Other code reports an unavailable store. The next check tries again.
      if (error instanceof StoreRefused && error.refusal === 'set_back') deps.db.refuse(error)
    }
    await delay(COMPARE_EVERY_MS, undefined, { signal: stopped, ref: false }).catch(() => undefined)
  }
}

/** The service also runs with a read-only data directory. */
async function keepSeen({ config, log }: Needs, memory: Pick<LogMemory, 'seen'>, written: string): Promise<string> {
  const seen = memory.seen()
  const text = JSON.stringify(seen)
  if (seen === null || text === written) return written
  await writeSeenLog(config.dataDir, seen).catch((error: unknown) => {
    log.fault('the largest log that was seen could not be written to the data directory', error)
  })
  return text
}

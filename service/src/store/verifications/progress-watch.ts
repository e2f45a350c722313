// Follows verifications for the pages that are open on them: one statement a second for all of a process's pages, whatever
// their number, and nothing written for it. What happens in this very process is known without asking: a request that was
// fetched and an answer that is being checked cost one look into a map where no page is open.

import { OPEN_STEPS, type Step, stepAt } from '../../domain/verification/progress.ts'
import type { Clock } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'
import { loadProgressAcrossTenants } from './progress.ts'

const LOOK_EVERY_MS = 1_000
const IDS_MAX = 500

export interface ProgressWatch {
  /** Calls back with how it stands, and then with every change. Gives how to stop. */
  watch(id: string, onStep: (step: Step) => void): () => void
  /** A wallet has fetched the request here. */
  noteFetched(id: string): void
  /** An answer is being checked here, until what is given back is called. */
  noteChecking(id: string): () => void
  close(): Promise<void>
}

interface Watched {
  readonly listeners: Set<(step: Step) => void>
  /** null: not looked at yet. */
  stored: Step | null
  fetched: boolean
  checking: number
  told: Step | null
}

interface World {
  readonly db: Tx
  readonly clock: Clock
  readonly report: (event: string, error: unknown) => void
}

export function createProgressWatch(world: World): ProgressWatch {
  const watched = new Map<string, Watched>()
  const urgent = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined

  function lookSoon(id: string): void {
    urgent.add(id)
    looking ??= lookWhileUrgent().finally(() => {
      looking = undefined
      if (watched.size > 0) timer ??= setTimeout(lookAtAll, LOOK_EVERY_MS).unref()
    })
  }
  function lookAtAll(): void {
    timer = undefined
    for (const id of watched.keys()) lookSoon(id)
  }
  async function lookWhileUrgent(): Promise<void> {
    // Those that are asked for in the same moment go together.
    await Promise.resolve()
    while (urgent.size > 0) {
      const ids = [...urgent].slice(0, IDS_MAX)
      for (const id of ids) urgent.delete(id)
      try {
        await look(ids)
      } catch (error) {
        // The next look is in a second.
        world.report('open pages were not told how it stands', error)
      }
    }
  }
  async function look(ids: readonly string[]): Promise<void> {
    const found = new Map((await loadProgressAcrossTenants(world.db, ids)).map((one) => [one.id, one]))
    for (const id of ids) {
      const entry = watched.get(id)
      if (entry === undefined) continue
      const stored = found.get(id)
      // Erased in the meantime.
      entry.stored = stored === undefined ? 'expired' : stepAt(stored, world.clock.now())
      tell(entry)
    }
  }
  return {
    watch(id, onStep) {
      const entry = watched.get(id) ?? { listeners: new Set(), stored: null, fetched: false, checking: 0, told: null }
      watched.set(id, entry)
      entry.listeners.add(onStep)
      if (entry.told !== null) onStep(entry.told)
      lookSoon(id)
      return () => {
        entry.listeners.delete(onStep)
        if (entry.listeners.size === 0 && watched.get(id) === entry) watched.delete(id)
      }
    },
    noteFetched(id) {
      const entry = watched.get(id)
      if (entry === undefined) return
      entry.fetched = true
      tell(entry)
    },
    noteChecking(id) {
      const entry = watched.get(id)
      if (entry === undefined) return () => undefined
      entry.checking += 1
      tell(entry)
      return () => {
        entry.checking -= 1
        if (watched.get(id) === entry) lookSoon(id)
      }
    },
    async close() {
      watched.clear()
      urgent.clear()
      clearTimeout(timer)
      await looking
    },
  }
}

/** An end is an end; before it, what this process saw goes further than what is stored. */
function tell(entry: Watched): void {
  const { stored } = entry
  if (stored === null) return
  const isOpen = OPEN_STEPS.has(stored)
  const step = !isOpen ? stored : entry.checking > 0 ? 'checking' : entry.fetched ? 'fetched' : stored
  if (step === entry.told) return
  entry.told = step
  for (const listener of entry.listeners) listener(step)
}

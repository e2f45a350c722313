// Follows verifications for open pages: by announcements, and by polling some of them every second.

import { goInTurn } from '../../../platform/event-loop/in-turn.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { type Clock, millisecondsOf, type Random } from '../../../platform/world.ts'
import { OPEN_STEPS, type Step, stepAt } from '../domain/progress.ts'
import { loadProgressAcrossTenants } from './progress.ts'
import { openProgressAnnouncements } from './progress-announcements.ts'

const POLL_EVERY_MS = 1_000
/** Ids per statement. Up to this many pages are checked every second; beyond that, in rotation. */
const IDS_MAX = 500

export interface ProgressWatch {
  /** Calls back with the current step, and then with every change. Returns a function that stops the watch. */
  watch(id: string, onStep: (step: Step) => void): () => void
  /** A wallet has fetched the request in this process. */
  noteFetched(id: string): void
  /** Notes that this process checks an answer, until the returned function is called. */
  noteChecking(id: string): () => void
  close(): Promise<void>
}

interface Watched {
  readonly listeners: Set<(step: Step) => void>
  /** null: not loaded yet. */
  stored: Step | null
  /** When the verification expires, if nothing else happens. Loaded with `stored`. */
  expiresAtMs: number
  fetched: boolean
  checking: number
  reported: Step | null
}

interface World {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly report: (event: string, error: unknown) => void
}

export async function createProgressWatch(world: World): Promise<ProgressWatch> {
  const watched = new Map<string, Watched>()
  const urgent = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> | undefined
  let round = watched.keys()

  function pollSoon(id: string): void {
    urgent.add(id)
    polling ??= pollWhileUrgent()
  }
  function pollNext(): void {
    timer = undefined
    const now = world.clock.now()
    for (const [id, { expiresAtMs }] of watched) if (expiresAtMs <= now) pollSoon(id)
    for (const id of nextInTurn()) pollSoon(id)
  }
  /** Returns no id twice. Pages that come or go do not disturb the rotation. */
  function nextInTurn(): string[] {
    const ids: string[] = []
    while (ids.length < Math.min(IDS_MAX, watched.size)) {
      const next = round.next()
      if (next.done === true) {
        if (ids.length > 0) break
        round = watched.keys()
      } else ids.push(next.value)
    }
    return ids
  }
  async function pollWhileUrgent(): Promise<void> {
    // Waits, so that ids that are requested in the same tick share a statement.
    await Promise.resolve()
    while (urgent.size > 0) {
      const ids = [...urgent].slice(0, IDS_MAX)
      for (const id of ids) urgent.delete(id)
      try {
        await poll(ids)
      } catch (error) {
        // The rotation checks these ids again.
        world.report('open pages did not get the current step', error)
      }
    }
    // Cleared in the same tick that found nothing urgent, so that the next request starts a new loop.
    polling = undefined
    if (watched.size > 0) timer ??= setTimeout(pollNext, POLL_EVERY_MS).unref()
  }
  async function poll(ids: readonly string[]): Promise<void> {
    const found = new Map((await loadProgressAcrossTenants(world.db, ids)).map((one) => [one.id, one]))
    for (const id of ids) {
      const entry = watched.get(id)
      if (entry === undefined) continue
      const stored = found.get(id)
      // null: the verification was erased in the meantime.
      entry.stored = stored === undefined ? 'expired' : stepAt(stored, world.clock.now())
      entry.expiresAtMs = stored === undefined ? Number.POSITIVE_INFINITY : millisecondsOf(stored.expiresAt)
      notify(id, entry)
    }
  }
  function noteFetched(id: string): void {
    const entry = watched.get(id)
    if (entry === undefined) return
    entry.fetched = true
    notify(id, entry)
  }
  const announcements = await openProgressAnnouncements(world, {
    onProgress(id, progress) {
      if (progress === 'fetched') noteFetched(id)
      else if (watched.has(id)) pollSoon(id)
    },
    onGap() {
      for (const id of watched.keys()) pollSoon(id)
    },
  })
  return {
    watch(id, onStep) {
      const entry = watched.get(id) ?? newlyWatched()
      watched.set(id, entry)
      entry.listeners.add(onStep)
      if (entry.reported !== null) onStep(entry.reported)
      pollSoon(id)
      return () => {
        entry.listeners.delete(onStep)
        if (entry.listeners.size === 0 && watched.get(id) === entry) watched.delete(id)
      }
    },
    noteFetched(id) {
      noteFetched(id)
      announcements.announce(id, 'fetched')
    },
    noteChecking(id) {
      const entry = watched.get(id)
      if (entry !== undefined) {
        entry.checking += 1
        notify(id, entry)
      }
      return () => {
        announcements.announce(id, 'answered')
        if (entry !== undefined) entry.checking -= 1
        if (watched.has(id)) pollSoon(id)
      }
    },
    async close() {
      await announcements.close()
      watched.clear()
      urgent.clear()
      clearTimeout(timer)
      await polling
    },
  }
}

const newlyWatched = (): Watched => ({
  listeners: new Set(),
  stored: null,
  expiresAtMs: Number.POSITIVE_INFINITY,
  fetched: false,
  checking: 0,
  reported: null,
})

/**
 * A final step always counts. Before that, this process may have seen more than the store has. Many pages may follow, of
 * many verifications that end together, so each learns of it in its turn.
 */
function notify(id: string, entry: Watched): void {
  const { stored } = entry
  if (stored === null) return
  const isOpen = OPEN_STEPS.has(stored)
  const step = !isOpen ? stored : entry.checking > 0 ? 'checking' : entry.fetched ? 'fetched' : stored
  if (step === entry.reported) return
  entry.reported = step
  const tell = (listener: (step: Step) => void) => {
    if (entry.listeners.has(listener)) listener(step)
  }
  for (const listener of entry.listeners) goInTurn(id, () => tell(listener))
}

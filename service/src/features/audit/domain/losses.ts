// Entries whose details are gone, until an erasure or a lapse accounts for them.

import { type Instant, instantOf, millisecondsOf } from '../../../platform/world.ts'

export interface Lost {
  readonly seq: number
  readonly at: Instant
  readonly objectId: string
}

/** An entry that names the details that were dropped with a day. */
export interface Lapse {
  readonly seq: number
  readonly at: Instant
  /** Such as `2026-11-18`. */
  readonly day: string
  readonly details: unknown
}

export interface Losses {
  add(lost: Lost): void
  /** All earlier details of this object may be gone. */
  erase(objectId: string): void
  /** The verifications that the entry accounts for; null if it does not name them, or names entries that do not exist. */
  lapse(lapse: Lapse): ReadonlySet<string> | null
  /** The first entry that nothing accounts for; null if there is none. */
  first(): number | null
}

const DAY_MS = 86_400_000
/** A row is written up to ten minutes after its id was created, and can be cancelled for an hour. */
const AFTER_DAY_MS = 70 * 60_000
/** A day lapses a day after its end at the earliest, whatever the tables say. */
const BEFORE_LAPSE_MS = 23 * 3_600_000

/** The last time of an entry that a lapse of this day accounts for. */
export const lapsesUntil = (day: number, now: Instant): Instant =>
  instantOf(Math.min((day + 1) * DAY_MS + AFTER_DAY_MS, millisecondsOf(now) - BEFORE_LAPSE_MS))

export const textOfDay = (day: number): string => instantOf(day * DAY_MS).slice(0, 10)

export function createLosses(): Losses {
  const bySeq = new Map<number, Lost>()
  const byObject = new Map<string, number[]>()
  /** Limits the work, because each entry lapses only once. */
  let named = 0

  return {
    add(lost) {
      bySeq.set(lost.seq, lost)
      const others = byObject.get(lost.objectId)
      if (others === undefined) byObject.set(lost.objectId, [lost.seq])
      else others.push(lost.seq)
    },
    erase(objectId) {
      for (const seq of byObject.get(objectId) ?? []) bySeq.delete(seq)
      byObject.delete(objectId)
    },
    lapse({ seq, at, day, details }) {
      const runs = runsIn(details, seq)
      const dayMs = Date.parse(`${day}T00:00:00Z`)
      if (runs === null || Number.isNaN(dayMs)) return null
      named += runs.reduce((sum, [first, last]) => sum + last - first + 1, 0)
      if (named > seq) return null
      const until = lapsesUntil(dayMs / DAY_MS, at)
      const verifications = new Set<string>()
      for (const [first, last] of runs) {
        for (let number = first; number <= last; number += 1) {
          const lost = bySeq.get(number)
          if (lost === undefined || !lost.objectId.startsWith('ver_') || lost.at > until) continue
          bySeq.delete(number)
          verifications.add(lost.objectId)
        }
      }
      for (const id of verifications) {
        const left = byObject.get(id)?.filter((number) => bySeq.has(number)) ?? []
        if (left.length === 0) byObject.delete(id)
        else byObject.set(id, left)
      }
      return verifications
    },
    first: () => bySeq.keys().next().value ?? null,
  }
}

type Run = readonly [first: number, last: number]

/**
 * `entries` has alternately the number of entries to skip, beginning with entry 1, and the number that lapsed, all
 * before `end`.
 */
function runsIn(details: unknown, end: number): readonly Run[] | null {
  const { entries } = (details ?? {}) as { readonly entries?: unknown }
  if (typeof entries !== 'string') return null
  const counts =
    entries === '' ? [] : entries.split(',').map((text) => (/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN))
  const runs: Run[] = []
  let last = 0
  for (let i = 0; i < counts.length; i += 2) {
    const first = last + (counts[i] ?? Number.NaN) + 1
    last = first + (counts[i + 1] ?? Number.NaN) - 1
    if (!(first <= last && last < end)) return null
    runs.push([first, last])
  }
  return runs
}

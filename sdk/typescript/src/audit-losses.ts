// Entries of an audit chain whose details are gone, until an erasure or a lapse accounts for them.

export interface Lost {
  readonly seq: number
  readonly at: string
  readonly object: { readonly id: string }
}

export interface Losses {
  add(lost: Lost): void
  /** All earlier details of this object may be gone. */
  erase(objectId: string): void
  /** `said.object` is the day, such as `2026-11-18`. False: the entry does not name its lost details, or names more than there are. */
  lapse(said: Lost, details: unknown): boolean
  /** The first entry that nothing accounts for; null: there is none. */
  first(): number | null
  /** How many entries nothing accounts for. */
  count(): number
}

const DAY_MS = 86_400_000
/** An entry of a day is recorded at most this long after the day's end. */
const AFTER_DAY_MS = 70 * 60_000
/** A day lapses a day after its end at the earliest. */
const BEFORE_LAPSE_MS = 23 * 3_600_000

export function createLosses(): Losses {
  const bySeq = new Map<number, Lost>()
  const byObject = new Map<string, number[]>()
  /** Each entry lapses once, so this limits the work. */
  let named = 0

  return {
    add(lost) {
      bySeq.set(lost.seq, lost)
      const others = byObject.get(lost.object.id)
      if (others === undefined) byObject.set(lost.object.id, [lost.seq])
      else others.push(lost.seq)
    },
    erase(objectId) {
      for (const seq of byObject.get(objectId) ?? []) bySeq.delete(seq)
      byObject.delete(objectId)
    },
    lapse({ seq, at, object }, details) {
      const runs = runsIn(details, seq)
      const until = lapsesUntil(object.id, at)
      if (runs === null || until === null) return false
      named += runs.reduce((sum, [first, last]) => sum + last - first + 1, 0)
      if (named > seq) return false
      const verifications = new Set<string>()
      for (const [first, last] of runs) {
        for (let number = first; number <= last; number += 1) {
          const lost = bySeq.get(number)
          if (lost === undefined || !lost.object.id.startsWith('ver_') || lost.at > until) continue
          bySeq.delete(number)
          verifications.add(lost.object.id)
        }
      }
      for (const id of verifications) {
        const left = byObject.get(id)?.filter((number) => bySeq.has(number)) ?? []
        if (left.length === 0) byObject.delete(id)
        else byObject.set(id, left)
      }
      return true
    },
    first: () => bySeq.keys().next().value ?? null,
    count: () => bySeq.size,
  }
}

/** The last time of an entry that a lapse of this day accounts for, with microseconds like all times. */
function lapsesUntil(day: string, at: string): string | null {
  const ms = Math.min(Date.parse(`${day}T00:00:00Z`) + DAY_MS + AFTER_DAY_MS, Date.parse(at) - BEFORE_LAPSE_MS)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString().replace('Z', '000Z')
}

type Run = readonly [first: number, last: number]

/** `entries`: alternately how many entries are left out, from 1 on, and how many follow, all before entry `end`. */
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

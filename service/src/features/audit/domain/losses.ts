// Tracks entries whose details are gone, until a later entry accounts for the loss.

import { type Instant, instantOf, millisecondsOf } from '../../../platform/world.ts'

export interface Lost {
  readonly seq: number
  readonly at: Instant
  readonly action: string
  readonly object: { readonly type: string; readonly id: string }
}

/** An entry that names the entries whose details are gone. */
export interface Naming {
  readonly seq: number
  readonly details: unknown
}

/** An entry that names the details that were dropped with a day. */
export interface Lapse extends Naming {
  readonly at: Instant
  /** Such as `2026-11-18`. */
  readonly day: string
}

export interface Losses {
  add(lost: Lost): void
  /** Accounts for all earlier details of this object. */
  erase(erased: Pick<Lost, 'object'>): void
  /** Accounts for those of the named entries that are meant. False if the entry names none, or too many. */
  forget(naming: Naming, isMeant: (lost: Lost) => boolean): boolean
  /** Returns the verifications that the entry accounts for. null if it names none, or entries that do not exist. */
  lapse(lapse: Lapse): ReadonlySet<string> | null
  /** The first entry that nothing accounts for; null if there is none. */
  first(): number | null
}

const DAY_MS = 86_400_000
/** A day's entries end this much later: a row is written up to ten minutes after its id, and can be cancelled for an hour. */
const AFTER_DAY_MS = 70 * 60_000
/** A lapse accounts for no younger entry: a day lapses a day after its end at the earliest. */
const BEFORE_LAPSE_MS = 23 * 3_600_000

/** A lapse of this day accounts for entries up to this time. */
export const lapsesUntil = (day: number, now: Instant): Instant =>
  instantOf(Math.min((day + 1) * DAY_MS + AFTER_DAY_MS, millisecondsOf(now) - BEFORE_LAPSE_MS))

export const textOfDay = (day: number): string => instantOf(day * DAY_MS).slice(0, 10)

export function createLosses(): Losses {
  const bySeq = new Map<number, Lost>()
  const byObject = new Map<string, number[]>()
  /** Counts the named entries, to limit the work: each entry needs to be named only once. */
  let named = 0

  /** Removes the named entries that are meant. null: the entry names none, or more than there are. */
  function take({ seq, details }: Naming, isMeant: (lost: Lost) => boolean): readonly Lost[] | null {
    const runs = runsIn(details, seq)
    if (runs === null) return null
    named += runs.reduce((sum, [first, last]) => sum + last - first + 1, 0)
    if (named > seq) return null
    const taken: Lost[] = []
    for (const [first, last] of runs) {
      for (let number = first; number <= last; number += 1) {
        const lost = bySeq.get(number)
        if (lost === undefined || !isMeant(lost)) continue
        bySeq.delete(number)
        taken.push(lost)
      }
    }
    for (const name of new Set(taken.map(nameOf))) {
      const left = byObject.get(name)?.filter((number) => bySeq.has(number)) ?? []
      if (left.length === 0) byObject.delete(name)
      else byObject.set(name, left)
    }
    return taken
  }

  return {
    add(lost) {
      bySeq.set(lost.seq, lost)
      const others = byObject.get(nameOf(lost))
      if (others === undefined) byObject.set(nameOf(lost), [lost.seq])
      else others.push(lost.seq)
    },
    erase(erased) {
      for (const seq of byObject.get(nameOf(erased)) ?? []) bySeq.delete(seq)
      byObject.delete(nameOf(erased))
    },
    forget: (naming, isMeant) => take(naming, isMeant) !== null,
    lapse({ day, at, ...naming }) {
      const dayMs = Date.parse(`${day}T00:00:00Z`)
      if (Number.isNaN(dayMs)) return null
      const until = lapsesUntil(dayMs / DAY_MS, at)
      const taken = take(naming, (lost) => lost.object.id.startsWith('ver_') && lost.at <= until)
      return taken && new Set(taken.map(({ object }) => object.id))
    },
    first: () => bySeq.keys().next().value ?? null,
  }
}

const nameOf = ({ object }: Pick<Lost, 'object'>) => `${object.type} ${object.id}`

/** Names entries as `runsIn` reads them. */
export const nameEntries = (ascending: readonly number[]): string =>
  ascending.flatMap((seq, i) => [seq - (ascending[i - 1] ?? 0) - 1, 1]).join(',')

type Run = readonly [first: number, last: number]

/**
 * `entries` alternates: the number of entries to skip, beginning with entry 1, then the number that lapsed, and so on.
 * All are before `end`.
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

// Tracks audit entries whose details were deleted, until a later entry accounts for them.

export interface Lost {
  readonly seq: number
  readonly at: string
  readonly action: string
  readonly object: LostObject
}

interface LostObject {
  readonly type: string
  readonly id: string
}

export interface Losses {
  add(lost: Lost): void
  /** Accounts for all earlier details of this object. */
  erase(object: LostObject): void
  /** Accounts for the details that this entry names, if they are meant. False: it names none, or too many. */
  forget(seq: number, details: unknown, isMeant: (lost: Lost) => boolean): boolean
  /** Accounts for the details of a lapsed day: `entry.object`, such as `2026-11-18`. False: the entry does not name its details, or names too many. */
  lapse(entry: Lost, details: unknown): boolean
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
  /** How many entries were named. Each can be named once, so this limits the work. */
  let namedCount = 0

  /** Removes those of the named entries for which `isMeant` is true. False: the details name none, or too many. */
  function take(details: unknown, end: number, isMeant: (lost: Lost) => boolean): boolean {
    const runs = runsIn(details, end)
    if (runs === null) return false
    namedCount += runs.reduce((sum, [first, last]) => sum + last - first + 1, 0)
    if (namedCount > end) return false
    const objects = new Set<string>()
    for (const [first, last] of runs) {
      for (let number = first; number <= last; number += 1) {
        const lost = bySeq.get(number)
        if (lost === undefined || !isMeant(lost)) continue
        bySeq.delete(number)
        objects.add(nameOf(lost.object))
      }
    }
    for (const name of objects) {
      const remaining = byObject.get(name)?.filter((number) => bySeq.has(number)) ?? []
      if (remaining.length === 0) byObject.delete(name)
      else byObject.set(name, remaining)
    }
    return true
  }

  return {
    add(lost) {
      bySeq.set(lost.seq, lost)
      const others = byObject.get(nameOf(lost.object))
      if (others === undefined) byObject.set(nameOf(lost.object), [lost.seq])
      else others.push(lost.seq)
    },
    erase(object) {
      for (const seq of byObject.get(nameOf(object)) ?? []) bySeq.delete(seq)
      byObject.delete(nameOf(object))
    },
    forget: (seq, details, isMeant) => take(details, seq, isMeant),
    lapse({ seq, at, object }, details) {
      const until = lapsesUntil(object.id, at)
      return until !== null && take(details, seq, (lost) => lost.object.id.startsWith('ver_') && lost.at <= until)
    },
    first: () => bySeq.keys().next().value ?? null,
    count: () => bySeq.size,
  }
}

const nameOf = ({ type, id }: LostObject) => `${type} ${id}`

/** The time of the latest entry that the lapse of this day accounts for, with microseconds like all times. */
function lapsesUntil(day: string, at: string): string | null {
  const ms = Math.min(Date.parse(`${day}T00:00:00Z`) + DAY_MS + AFTER_DAY_MS, Date.parse(at) - BEFORE_LAPSE_MS)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString().replace('Z', '000Z')
}

type Run = readonly [first: number, last: number]

/** `entries` are run lengths from entry 1 on: alternately entries that are left out, and entries that follow. All are before entry `end`. */
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

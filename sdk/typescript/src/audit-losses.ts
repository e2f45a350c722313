// Entries of an audit chain whose details are gone, until a later entry accounts for them.

export interface Lost {
  readonly seq: number
  readonly at: string
  readonly object: LostObject
}

interface LostObject {
  readonly type: string
  readonly id: string
}

export interface Losses {
  add(lost: Lost): void
  /** All earlier details of this object may be gone. */
  erase(object: LostObject): void
  /** The details that this entry names may be gone if they are of the same type of object. False: as of `lapse`. */
  forget(entry: Lost, details: unknown): boolean
  /** `said.object` is the day, such as `2026-11-18`. False: the entry does not name its lost details, or names more than there are. */
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
  /** Each entry is named once, so this limits the work. */
  let named = 0

  /** Removes the named entries that are meant. False: they are not named, or are more than there are. */
  function take(details: unknown, end: number, isMeant: (lost: Lost) => boolean): boolean {
    const runs = runsIn(details, end)
    if (runs === null) return false
    named += runs.reduce((sum, [first, last]) => sum + last - first + 1, 0)
    if (named > end) return false
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
      const left = byObject.get(name)?.filter((number) => bySeq.has(number)) ?? []
      if (left.length === 0) byObject.delete(name)
      else byObject.set(name, left)
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
    forget: ({ seq, object: { type } }, details) => take(details, seq, ({ object }) => object.type === type),
    lapse({ seq, at, object }, details) {
      const until = lapsesUntil(object.id, at)
      return until !== null && take(details, seq, (lost) => lost.object.id.startsWith('ver_') && lost.at <= until)
    },
    first: () => bySeq.keys().next().value ?? null,
    count: () => bySeq.size,
  }
}

const nameOf = ({ type, id }: LostObject) => `${type} ${id}`

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

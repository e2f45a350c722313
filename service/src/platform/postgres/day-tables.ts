// Sends statements of one day to the tables of that day. By the partitioned tables each would cost half as much again: PostgreSQL locks
// all partitions of a plan before it leaves out those that it does not need.

import { SINGLY } from './days.ts'

interface Statement {
  readonly name: string
  readonly text: string
}

const TABLE = /\b(from|join|into|update)\s+(verifications|verification_results|audit_details)\b/g

/** The tables of a day, by their common ending. */
const endingOf = (day: number) => (day === SINGLY ? '_singly' : `_${day}`)

/** Before the newest day that is in use: others are read seldom, and each costs a plan per statement and connection. */
const DAYS_BEFORE = 1

/** Tables that were not there are looked for again. */
const CHECK_AGAIN_MS = 10_000

interface SentToDay {
  readonly preparedAs: string
  readonly text: string
  readonly day: number
}

export interface DayTables {
  /** null: by the partitioned tables. The first of a day are, until it is known that the day has tables. */
  sentTo(statement: Statement, day: number): SentToDay | null
  /** They are gone. False: that cannot be. */
  forget(day: number): boolean
}

export function openDayTables(hasTables: (day: number) => Promise<boolean>): DayTables {
  const known = new Set<number>()
  const checkedAt = new Map<number, number>()
  const texts = new Map<string, Map<number, SentToDay>>()
  let newest = SINGLY

  async function checkTables(day: number): Promise<void> {
    checkedAt.set(day, performance.now())
    // Whatever keeps it from an answer: the statements themselves meet it, too.
    if (!(await hasTables(day).catch(() => false))) return
    known.add(day)
    newest = Math.max(newest, day)
    for (const one of [...known, ...checkedAt.keys()]) if (isOld(one)) forget(one)
  }

  const isOld = (day: number) => day < newest - DAYS_BEFORE

  function forget(day: number): void {
    known.delete(day)
    checkedAt.delete(day)
    for (const ofDays of texts.values()) ofDays.delete(day)
  }

  function isKnown(day: number): boolean {
    if (day === SINGLY || known.has(day)) return true
    const last = checkedAt.get(day)
    if (!isOld(day) && (last === undefined || performance.now() - last > CHECK_AGAIN_MS)) void checkTables(day)
    return false
  }

  function write({ name, text }: Statement, day: number): SentToDay {
    const sent = { preparedAs: `${name}@${day}`, text: text.replace(TABLE, `$1 $2${endingOf(day)}`), day }
    const ofDays = texts.get(name) ?? new Map<number, SentToDay>()
    texts.set(name, ofDays.set(day, sent))
    return sent
  }

  return {
    sentTo: (statement, day) => (isKnown(day) ? (texts.get(statement.name)?.get(day) ?? write(statement, day)) : null),
    forget(day) {
      forget(day)
      checkedAt.set(day, performance.now())
      return day !== SINGLY
    },
  }
}

/** Results of a day are made with its other tables, and go first. */
export const findingDay = (day: number) => ({
  name: 'find_tables_of_day',
  text: `select from pg_class where oid = to_regclass('verification_results_' || $1)`,
  values: [String(day)],
})

/** Statements that are prepared for days long before this one: they will hardly be used again. */
export const outlivedBy = (day: number, prepared: Iterable<string>): string[] =>
  [...prepared].filter((name) => dayIn(name) !== SINGLY && dayIn(name) < day - DAYS_BEFORE)

const dayIn = (preparedAs: string) => Number(/@(\d+)$/.exec(preparedAs)?.[1] ?? SINGLY)

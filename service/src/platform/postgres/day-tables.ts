// Sends statements about one day to the partitions of that day.

import { SINGLY } from './days.ts'

interface Statement {
  readonly name: string
  readonly text: string
}

const TABLE = /\b(from|join|into|update)\s+(verifications|verification_results|audit_details)\b/g

/** The suffix of a day's tables. */
const endingOf = (day: number) => (day === SINGLY ? '_singly' : `_${day}`)

/** For how many days before the newest. Older days are read rarely, and each day needs further plans. */
const DAYS_BEFORE = 1

/** How soon to check again for tables that did not exist at the last check. */
const CHECK_AGAIN_MS = 10_000

interface SentToDay {
  readonly preparedAs: string
  readonly text: string
  readonly day: number
}

/**
 * Statements through the partitioned tables take half as long again. PostgreSQL locks all partitions of a plan before
 * it skips those that it does not need.
 */
export interface DayTables {
  /** null until a check has found the tables of the day: the statement uses the partitioned tables. */
  sentTo(statement: Statement, day: number): SentToDay | null
  /** Forgets a day that was dropped. False: SINGLY, which is never dropped. */
  forget(day: number): boolean
}

export function openDayTables(hasTables: (day: number) => Promise<boolean>): DayTables {
  const known = new Set<number>()
  const checkedAt = new Map<number, number>()
  const texts = new Map<string, Map<number, SentToDay>>()
  let newest = SINGLY

  async function checkTables(day: number): Promise<void> {
    checkedAt.set(day, performance.now())
    // Ignores errors, because the statements themselves will report them.
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

/** Looks only for the results of the day, which are created with its other tables and dropped first. */
export const findingDay = (day: number) => ({
  name: 'find_tables_of_day',
  text: `select from pg_class where oid = to_regclass('verification_results_' || $1)`,
  values: [String(day)],
})

/** Prepared statements for days long before this one, which are rarely used again. */
export const outlivedBy = (day: number, prepared: Iterable<string>): string[] =>
  [...prepared].filter((name) => dayIn(name) !== SINGLY && dayIn(name) < day - DAYS_BEFORE)

const dayIn = (preparedAs: string) => Number(/@(\d+)$/.exec(preparedAs)?.[1] ?? SINGLY)

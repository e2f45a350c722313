// Applies late parts of migrations when no process of a release that cannot read them is connected.

import type pg from 'pg'
import { applyPart, isLocked, type MigrationPart } from './apply-migration.ts'
import type { Queries } from './db.ts'
import { countOlderProcesses } from './sealing/processes.ts'

/** The migrations whose new form statements write; a test compares them with the files. */
export const LATE = { rowsPerBatch: 75 } as const

/**
 * Whether it is in force: for statements that write one form or the other. The statement decides, not what a process
 * remembers. Evaluated once per statement.
 */
export const inForce = (number: number) =>
  `(select m.late_at is not null from schema_migrations m where m.number = ${number})`

/** How long it waits for locks. */
const PATIENCE_MS = 5_000

export interface LatePart extends MigrationPart {
  readonly number: number
  /** The first release that can read the new form: that of the migration with this number. */
  readonly readableFrom: number
}

export interface WaitingPart {
  readonly name: string
  readonly readableFrom: number
  /** Processes of earlier releases, which it waits for. 0: a job applies it within five minutes. */
  readonly olderProcesses: number
}

/** The history's rows may lack the column. */
const FIND_WAITING = {
  name: 'find_waiting_migrations',
  text: `select m.number, m.name, (to_jsonb(m) ->> 'late_from')::int as "readableFrom" from schema_migrations m
         where to_jsonb(m) ->> 'late_from' is not null and to_jsonb(m) ->> 'late_at' is null order by m.number`,
}

/** Late parts that are not in force yet, and why. */
export async function listWaitingParts(tx: Queries): Promise<WaitingPart[]> {
  const waiting: WaitingPart[] = []
  for (const { name, readableFrom } of await tx.query<{ name: string; readableFrom: number }>(FIND_WAITING))
    waiting.push({ name, readableFrom, olderProcesses: await countOlderProcesses(tx, readableFrom) })
  return waiting
}

/** For a session that holds the lock of migrations: applies what waits for no process, and returns its names. */
export async function applyLateParts(client: pg.Client, parts: readonly LatePart[]): Promise<string[]> {
  const queries = queriesOf(client)
  const waiting = new Set((await queries.query<{ number: number }>(FIND_WAITING)).map(({ number }) => number))
  const applied: string[] = []
  for (const part of parts.filter(({ number }) => waiting.has(number))) {
    // In their order: a later one may build on it.
    if ((await countOlderProcesses(queries, part.readableFrom)) > 0) break
    if (!(await apply(client, part))) break
    applied.push(part.name)
  }
  return applied
}

/** False: a backup or a long transaction holds what it needs. Nothing depends on it, so no start waits for that: a job tries again. */
async function apply(client: pg.Client, part: LatePart): Promise<boolean> {
  try {
    await applyPart(client, { part, record: () => record(client, part), patienceMs: PATIENCE_MS })
    return true
  } catch (error) {
    if (error instanceof Error && isLocked(error)) return false
    throw error
  }
}

/** An earlier release that starts from now on reads `compatible_from` and ends with the reason. */
async function record(client: pg.Client, { number, readableFrom }: LatePart): Promise<void> {
  // null stays: then only releases that have the file work beside it.
  const text = `update schema_migrations set late_at = now(),
                  compatible_from = case when compatible_from is not null then greatest(compatible_from, $2) end
                where number = $1`
  await client.query(text, [number, readableFrom])
}

/** A session of its own as the statements' caller. */
export const queriesOf = (client: pg.Client): Queries => ({
  query: async <R extends object>({ text }: { readonly text: string }, values: readonly unknown[] = []) =>
    (await client.query<R>(text, [...values])).rows,
})

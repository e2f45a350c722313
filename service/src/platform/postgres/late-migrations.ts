// Applies late parts of migrations when no process of a release that cannot read them is connected.

import type pg from 'pg'
import { applyPart, isLocked, type MigrationPart } from './apply-migration.ts'
import type { Queries } from './db.ts'
import { countOlderProcesses } from './sealing/processes.ts'

/** The migrations whose new form statements write; a test compares them with the files. */
export const LATE = { rowsPerBatch: 75 } as const

/**
 * SQL for whether a late part is in force, for statements that write the old or the new form. Evaluated once per
 * statement: what a process remembers may be outdated.
 */
export const inForce = (number: number) =>
  `(select m.late_at is not null from schema_migrations m where m.number = ${number})`

/** How long a late part waits for locks. */
const PATIENCE_MS = 5_000

export interface LatePart extends MigrationPart {
  readonly number: number
  /** The first release that can read the new form: that of the migration with this number. */
  readonly readableFrom: number
}

export interface WaitingPart {
  readonly name: string
  readonly readableFrom: number
  /** How many processes of earlier releases it waits for. 0: a job applies it within five minutes. */
  readonly olderProcesses: number
}

/** Reads through JSON, because the table may not have these columns yet. */
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

/** Applies the late parts that wait for no process; returns their names. The session must have the migration lock. */
export async function applyLateParts(client: pg.Client, parts: readonly LatePart[]): Promise<string[]> {
  const queries = queriesOf(client)
  const waiting = new Set((await queries.query<{ number: number }>(FIND_WAITING)).map(({ number }) => number))
  const applied: string[] = []
  for (const part of parts.filter(({ number }) => waiting.has(number))) {
    // Stops at the first that must wait: a later one may build on it.
    if ((await countOlderProcesses(queries, part.readableFrom)) > 0) break
    if (!(await apply(client, part))) break
    applied.push(part.name)
  }
  return applied
}

/** False: a backup or a long transaction has locked what it needs. No start waits for that; a job tries again. */
async function apply(client: pg.Client, part: LatePart): Promise<boolean> {
  try {
    await applyPart(client, { part, record: () => record(client, part), patienceMs: PATIENCE_MS })
    return true
  } catch (error) {
    if (error instanceof Error && isLocked(error)) return false
    throw error
  }
}

/** Raises `compatible_from`, so that an older release refuses to start from now on. */
async function record(client: pg.Client, { number, readableFrom }: LatePart): Promise<void> {
  // null stays null: then only releases that have the file can run.
  const text = `update schema_migrations set late_at = now(),
                  compatible_from = case when compatible_from is not null then greatest(compatible_from, $2) end
                where number = $1`
  await client.query(text, [number, readableFrom])
}

/** Runs statements on a single session, outside of the pool. */
export const queriesOf = (client: pg.Client): Queries => ({
  query: async <R extends object>({ text }: { readonly text: string }, values: readonly unknown[] = []) =>
    (await client.query<R>(text, [...values])).rows,
})

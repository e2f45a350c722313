// Applies late parts of migrations when no process of a release that cannot read the new form is connected.

import type pg from 'pg'
import { applyPart, isLocked, type MigrationPart } from './apply-migration.ts'
import type { Queries } from './db.ts'
import { countOlderProcesses } from './sealing/processes.ts'

/** The migrations with a late part. A test compares these numbers with the files. */
export const LATE = { rowsPerBatch: 75, sealedRequests: 86, subjectsPerType: 92 } as const

/**
 * SQL for whether a late part is in force. Statements use it to choose between the old and the new form. Evaluated once
 * per statement, because the memory of a process may be outdated.
 */
export const inForce = (number: number) =>
  `(select m.late_at is not null from schema_migrations m where m.number = ${number})`

/** How long a late part waits for locks. */
const PATIENCE_MS = 5_000

export interface LatePart extends MigrationPart {
  readonly number: number
  /** The number of the migration whose release is the first that can read the new form. */
  readonly readableFrom: number
}

export interface WaitingPart {
  readonly name: string
  readonly readableFrom: number
  /** How many processes of earlier releases the part waits for. 0: a job applies it within five minutes. */
  readonly olderProcesses: number
}

/** Reads through JSON, because the table may lack these columns. */
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

/** Applies late parts that wait for no process, and returns their names. The session holds the migration lock. */
export async function applyLateParts(client: pg.Client, parts: readonly LatePart[]): Promise<string[]> {
  const queries = queriesOf(client)
  const waiting = new Set((await queries.query<{ number: number }>(FIND_WAITING)).map(({ number }) => number))
  const applied: string[] = []
  for (const part of parts.filter(({ number }) => waiting.has(number))) {
    // Stops at the first part that must wait, because a later part may build on it.
    if ((await countOlderProcesses(queries, part.readableFrom)) > 0) break
    if (!(await apply(client, part))) break
    applied.push(part.name)
  }
  return applied
}

/** False if a backup or a long transaction has locked what the part needs. No start waits; a job tries again. */
async function apply(client: pg.Client, part: LatePart): Promise<boolean> {
  try {
    await applyPart(client, { part, record: () => record(client, part), patienceMs: PATIENCE_MS })
    return true
  } catch (error) {
    if (error instanceof Error && isLocked(error)) return false
    throw error
  }
}

/** Raises `compatible_from`, so that older releases refuse to start from now on. */
async function record(client: pg.Client, { number, readableFrom }: LatePart): Promise<void> {
  // null stays null, which allows only releases that have the file.
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

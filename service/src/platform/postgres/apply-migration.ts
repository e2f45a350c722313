// Applies one part of a migration: its steps one by one, then its statements in one transaction.

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StoreUnavailable, StoreUnfit } from '../store-unavailable.ts'
import { classifyError } from './connection.ts'

export interface MigrationPart {
  readonly name: string
  /** Statements that run one by one before the transaction. Repeatable, because an interrupted part starts over. */
  readonly steps: readonly string[]
  readonly sql: string
}

/** How long to wait for another replica's migrations. */
export const LOCK_WAIT_MS = 300_000
/**
 * Other statements queue behind a waiting table lock, so the migration waits only briefly, lets them pass and tries
 * again. A backup (pg_dump) locks every table until it is done.
 */
const TABLE_LOCK = { waitMs: 500, pauseMs: 1_000 }

interface Applying {
  readonly part: MigrationPart
  /** Called in the transaction, after its statements. */
  readonly record: () => Promise<void>
  /** How long to wait for locks of other sessions. */
  readonly patienceMs?: number
}

export async function applyPart(
  client: pg.Client,
  { part, record, patienceMs = LOCK_WAIT_MS }: Applying,
): Promise<void> {
  for (const step of part.steps) await inTurns(client, patienceMs, () => applyStep(client, part, step, patienceMs))
  await inTurns(client, patienceMs, () => applyTransaction(client, part, record))
}

/** lock_not_available, deadlock_detected */
const LOCKED = ['55P03', '40P01']

/** Whether a lock of another session caused the failure: a timeout or a deadlock. */
export function isLocked({ cause }: Error): boolean {
  return cause instanceof pg.DatabaseError && LOCKED.includes(cause.code ?? '')
}

async function inTurns(client: pg.Client, patienceMs: number, work: () => Promise<void>): Promise<void> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isLocked(error as Error) || performance.now() > until) throw error
      await client.query('rollback')
      await delay(TABLE_LOCK.pauseMs)
    }
  }
}

/** Builds an index concurrently, which blocks no other statement and so may wait longer for locks. */
async function applyStep(client: pg.Client, part: MigrationPart, step: string, patienceMs: number): Promise<void> {
  const [, index] = /\bindex concurrently if not exists (\w+)/.exec(step) ?? []
  const isConcurrent = /\bconcurrently\b/.test(step)
  try {
    await client.query(`set lock_timeout = ${isConcurrent ? patienceMs : TABLE_LOCK.waitMs}`)
    // An interrupted step leaves an invalid index, which must be dropped first.
    if (index !== undefined && (await client.query(INVALID_INDEX, [index])).rowCount === 1)
      await client.query(`drop index concurrently ${index}`)
    await client.query(step)
  } catch (cause) {
    throw failureOf(part, cause, 'run it again: it continues where it stopped')
  } finally {
    await client.query(`set lock_timeout = ${LOCK_WAIT_MS}`).catch(() => undefined)
  }
}

const INVALID_INDEX = 'select from pg_index where indexrelid = to_regclass($1) and not indisvalid'

async function applyTransaction(client: pg.Client, part: MigrationPart, record: Applying['record']): Promise<void> {
  try {
    await client.query('begin')
    await client.query(`set local lock_timeout = ${TABLE_LOCK.waitMs}`)
    await client.query(part.sql)
    await record()
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('it was rolled back')
  } catch (cause) {
    // The error ends the session, which rolls back the transaction.
    throw failureOf(part, cause, 'nothing of it was applied')
  }
}

function failureOf({ name }: MigrationPart, cause: unknown, then: string): Error {
  const { error } = classifyError(cause)
  if (error instanceof StoreUnavailable) return error
  const code = cause instanceof pg.DatabaseError ? ` (${cause.code})` : ''
  return new StoreUnfit(`migration ${name} failed${code}; ${then}`, remedyFor(cause), { cause })
}

function remedyFor(cause: unknown): string {
  const isDenied = cause instanceof pg.DatabaseError && cause.code === '42501'
  if (isDenied) return 'let the user of DATABASE_URL own the database: alter database … owner to …'
  return "read PostgreSQL's own log, fix the cause, and run `vidimus migrate` again"
}

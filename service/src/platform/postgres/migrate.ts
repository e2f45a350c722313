// Migrates a database to this release's schema: numbered SQL files, forward only, each in a transaction of its own, some with
// steps before it.
// Replicas may start together; a history that does not match the files is refused, never repaired.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { StoreUnavailable, StoreUnfit } from '../store-unavailable.ts'
import { type Connection, judge, judged } from './connection.ts'
import type { Queries } from './db.ts'
import { openHosts } from './hosts.ts'

interface Migration {
  readonly number: number
  readonly name: string
  readonly checksum: string
  /** Statements before the transaction, each by itself and repeatable: a migration that was interrupted begins with the first. */
  readonly steps: readonly string[]
  readonly sql: string
  /**
   * Releases that know this migration, or a later one, can run with the schema; null: only releases that have the file.
   */
  readonly compatibleFrom: number | null
}

interface MigrateOptions {
  readonly connection: Connection
  readonly directory?: string
  readonly onApplied?: (name: string) => void
}

/** The history in the database does not match the files of the release. */
export class MigrationRefused extends StoreUnfit {
  override readonly name = 'MigrationRefused'

  constructor(message: string, remedy = 'restore the migration files of this release') {
    super(message, remedy)
  }
}

export type MigrationState =
  | { readonly state: 'current' | 'behind' | 'ahead'; readonly applied: number; readonly known: number }
  | { readonly state: 'refused'; readonly reason: string }

interface AppliedRow {
  number: number
  name: string
  checksum: string
  compatibleFrom: number | null
}

export interface MigrationPlan {
  readonly missing: readonly Pick<Migration, 'name' | 'compatibleFrom'>[]
  /** The newest migration in the database, if a newer release applied it. */
  readonly ahead: string | null
}

export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('migrations/', import.meta.url))
/** One lock per database; we use this number for nothing else. */
const LOCK = 7_310_010
/** How long to wait for another replica's migrations. */
const LOCK_WAIT_MS = 300_000
/**
 * Statements of others queue behind a waiting table lock, so the migration waits briefly, lets them pass, and tries
 * again. Backups (pg_dump) hold every table for as long as they take.
 */
const TABLE_LOCK = { waitMs: 500, pauseMs: 1_000 }

/** Applies the missing migrations and returns their names. */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(options.directory)
  return withClient(options, async (client) => {
    // A session lock, so it is released even if we are killed.
    await judged(client.query('select pg_advisory_lock($1)', [LOCK]))
    const missing = missingMigrations(migrations, await judged(readHistory(client)))
    for (const migration of missing) {
      await applyInTurns(client, migration)
      options.onApplied?.(migration.name)
    }
    return missing.map(({ name }) => name)
  })
}

/** What `migrate` would do, without changing anything. */
export async function planMigration(options: Omit<MigrateOptions, 'onApplied'>): Promise<MigrationPlan> {
  const migrations = await readMigrations(options.directory)
  return withClient(options, async (client) => {
    const history = await judged(readHistory(client))
    const missing = missingMigrations(migrations, history)
    return { missing, ahead: history.length > migrations.length ? (history.at(-1)?.name ?? null) : null }
  })
}

async function withClient<T>(options: MigrateOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const limits = {
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 0,
    lockTimeoutMs: LOCK_WAIT_MS,
    idleInTransactionTimeoutMs: 0,
  }
  const hosts = openHosts(options.connection, { limits, applicationName: 'vidimus migrate' })
  await hosts.find()
  const client = new pg.Client(hosts.current())
  client.on('error', () => undefined) // the call in progress rejects with it
  try {
    await judged(client.connect())
    await judged(hosts.prepare(client))
    return await work(client)
  } finally {
    await client.end()
    await hosts.close()
  }
}

/** For readiness: an older release with a migrated database is `ahead` and keeps working during a rollout. */
export async function migrationState(tx: Queries, directory?: string): Promise<MigrationState> {
  const migrations = await readMigrations(directory)
  const known = migrations.length
  const [table] = await tx.query<{ present: boolean }>(TABLE_PRESENT)
  if (table?.present !== true) return { state: 'behind', applied: 0, known }
  const history = await tx.query<AppliedRow>(HISTORY)
  try {
    const missing = missingMigrations(migrations, history)
    const state = missing.length > 0 ? 'behind' : history.length > known ? 'ahead' : 'current'
    return { state, applied: history.length, known }
  } catch (error) {
    if (error instanceof MigrationRefused) return { state: 'refused', reason: error.message }
    throw error
  }
}

const TABLE_PRESENT = {
  name: 'migrations_table_present',
  text: `select to_regclass('schema_migrations') is not null as present`,
}
const HISTORY = {
  name: 'migrations_history',
  // A history table from before this column lacks it: then the compatibility is unknown.
  text: `select number, name, checksum, (to_jsonb(m) ->> 'compatible_from')::int as "compatibleFrom"
         from schema_migrations m order by number`,
}
/** The table is older than the column; if the column exists, this needs no lock. */
const COMPATIBILITY_KEPT = {
  name: 'migrations_compatibility_kept',
  text: `select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'compatible_from'`,
}

/** All files of the release, in order, numbered 0000, 0001, ... without a gap. */
export async function readMigrations(directory = MIGRATIONS_DIRECTORY): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort()
  const migrations: Migration[] = []
  for (const file of files) {
    const [, digits] = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(file) ?? []
    if (digits === undefined) throw new MigrationRefused(`${file} is not named NNNN_name.sql`)
    const number = Number(digits)
    if (number !== migrations.length) {
      const expected = String(migrations.length).padStart(4, '0')
      throw new MigrationRefused(`the migrations have a gap or a double number: ${file} where ${expected} should be`)
    }
    // Line endings may differ between checkouts.
    const sql = (await readFile(join(directory, file), 'utf8')).replaceAll('\r\n', '\n')
    const checksum = createHash('sha256').update(sql).digest('hex')
    migrations.push({
      number,
      name: file.slice(0, -'.sql'.length),
      checksum,
      ...partsOf(sql),
      compatibleFrom: compatibilityOf(sql),
    })
  }
  if (migrations.length === 0) throw new MigrationRefused(`there are no migrations in ${directory}`)
  return migrations
}

/** What is before the line `-- then, in one transaction:` are steps, with a blank line between two of them. */
function partsOf(text: string): Pick<Migration, 'steps' | 'sql'> {
  const [before = '', sql] = text.split(/^-- then, in one transaction:$/m)
  if (sql === undefined) return { steps: [], sql: text }
  const isStatement = (part: string) => part.split('\n').some((line) => line !== '' && !line.startsWith('--'))
  return { steps: before.split(/\n{2,}/).filter(isStatement), sql }
}

/** From the first line: `-- compatible_from: 0036`. */
function compatibilityOf(sql: string): number | null {
  const [, digits] = /^-- compatible_from: (\d{4})\n/.exec(sql) ?? []
  return digits === undefined ? null : Number(digits)
}

async function readHistory(client: pg.Client): Promise<AppliedRow[]> {
  const table = await client.query<{ present: boolean }>(TABLE_PRESENT)
  return table.rows[0]?.present === true ? (await client.query<AppliedRow>(HISTORY)).rows : []
}

function missingMigrations(migrations: readonly Migration[], history: readonly AppliedRow[]): Migration[] {
  for (const [index, row] of history.entries()) {
    const migration = migrations[index]
    if (row.number !== index) throw new MigrationRefused(`migration ${index} is missing from the database's history`)
    if (migration === undefined) {
      refuseIncompatible(row, migrations.length - 1)
      continue
    }
    if (row.name !== migration.name || row.checksum !== migration.checksum) {
      throw new MigrationRefused(
        `${migration.name} differs from ${row.name} as it was applied: restore the file and put the change into a new migration`,
      )
    }
  }
  return migrations.slice(history.length)
}

/**
 * A newer release migrated this database: its schema says which older releases may run, in a rollout or after a
 * rollback.
 */
function refuseIncompatible({ name, compatibleFrom }: AppliedRow, newestKnown: number): void {
  if (compatibleFrom !== null && compatibleFrom <= newestKnown) return
  const from = compatibleFrom === null ? 'releases that bring it' : `releases from migration ${compatibleFrom} on`
  throw new MigrationRefused(
    `the database is at ${name}, which this release does not know and which works with ${from} alone`,
    'run a newer release, or restore a backup from before',
  )
}

async function applyInTurns(client: pg.Client, migration: Migration): Promise<void> {
  for (const step of migration.steps) await inTurns(client, () => applyStep(client, migration, step))
  await inTurns(client, () => apply(client, migration))
}

async function inTurns(client: pg.Client, work: () => Promise<void>): Promise<void> {
  const until = performance.now() + LOCK_WAIT_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const { cause } = error as Error
      const isLocked = cause instanceof pg.DatabaseError && cause.code === '55P03'
      if (!isLocked || performance.now() > until) throw error
      await client.query('rollback')
      await delay(TABLE_LOCK.pauseMs)
    }
  }
}

/** Building an index concurrently blocks no other statement, so it may wait longer for them. */
async function applyStep(client: pg.Client, migration: Migration, step: string): Promise<void> {
  const [, index] = /\bindex concurrently if not exists (\w+)/.exec(step) ?? []
  const isConcurrent = /\bconcurrently\b/.test(step)
  try {
    await client.query(`set lock_timeout = ${isConcurrent ? LOCK_WAIT_MS : TABLE_LOCK.waitMs}`)
    // One that was interrupted has left an index that is not valid.
    if (index !== undefined && (await client.query(INVALID_INDEX, [index])).rowCount === 1)
      await client.query(`drop index concurrently ${index}`)
    await client.query(step)
  } catch (cause) {
    throw failureOf(migration, cause, 'run it again: it goes on where it ended')
  } finally {
    await client.query(`set lock_timeout = ${LOCK_WAIT_MS}`).catch(() => undefined)
  }
}

const INVALID_INDEX = 'select from pg_index where indexrelid = to_regclass($1) and not indisvalid'

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query('begin')
    await client.query(`set local lock_timeout = ${TABLE_LOCK.waitMs}`)
    await client.query(migration.sql)
    const { rowCount } = await client.query(COMPATIBILITY_KEPT)
    if (rowCount === 0) await client.query('alter table schema_migrations add column compatible_from integer')
    const row = [migration.number, migration.name, migration.checksum, migration.compatibleFrom]
    const insert = 'insert into schema_migrations (number, name, checksum, compatible_from) values ($1, $2, $3, $4)'
    await client.query(insert, row)
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('it was rolled back')
  } catch (cause) {
    // The error ends the session, and the transaction with it.
    throw failureOf(migration, cause, 'nothing of it was applied')
  }
}

function failureOf({ name }: Migration, cause: unknown, then: string): Error {
  const { error } = judge(cause)
  if (error instanceof StoreUnavailable) return error
  const code = cause instanceof pg.DatabaseError ? ` (${cause.code})` : ''
  return new StoreUnfit(`migration ${name} failed${code}; ${then}`, remedyFor(cause), { cause })
}

function remedyFor(cause: unknown): string {
  const isDenied = cause instanceof pg.DatabaseError && cause.code === '42501'
  if (isDenied) return 'let the user of DATABASE_URL own the database: alter database … owner to …'
  return "see PostgreSQL's own log, remedy what it names, and run `vidimus migrate` again"
}

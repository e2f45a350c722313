// Migrates a database to this release's schema by numbered SQL files. Never migrates back.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { StoreUnavailable, StoreUnfit } from '../store-unavailable.ts'
import { applyPart, LOCK_WAIT_MS, type MigrationPart } from './apply-migration.ts'
import { type Connection, withClassifiedErrors } from './connection.ts'
import type { Queries } from './db.ts'
import { openHosts } from './hosts.ts'
import { applyLateParts, type LatePart, listWaitingParts, queriesOf, type WaitingPart } from './late-migrations.ts'

interface Migration extends MigrationPart {
  readonly number: number
  readonly checksum: string
  /** The first migration whose release can run with the schema. null: only releases that have the file can. */
  readonly compatibleFrom: number | null
  /** Its late part (late-migrations.ts); null if it has none. */
  readonly late: LatePart | null
}

interface MigrateOptions {
  readonly connection: Connection
  readonly directory?: string
  readonly onApplied?: (name: string) => void
}

/** The history in the database does not match the files of the release. The service never repairs this. */
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
  readonly missing: readonly Pick<Migration, 'name' | 'compatibleFrom' | 'late'>[]
  /** The late parts of applied migrations that are not in force yet. */
  readonly waiting: readonly WaitingPart[]
  /** The newest migration in the database, if it came with a newer release. */
  readonly ahead: string | null
}

export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('migrations/', import.meta.url))
/** One lock per database. Nothing else uses this number. */
const LOCK = 7_310_010
const LOCK_PAUSE_MS = 100

/** Applies missing migrations, and late parts that wait for no process. Returns the names of both. */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(options.directory)
  return withClient(options, async (client) => {
    await takeLock(client)
    const missing = missingMigrations(migrations, await withClassifiedErrors(readHistory(client)))
    for (const migration of missing) {
      await applyPart(client, { part: migration, record: () => record(client, migration) })
      options.onApplied?.(migration.name)
    }
    const lateParts = migrations.flatMap((one) => one.late ?? [])
    return [...missing.map(({ name }) => name), ...(await applyLateParts(client, lateParts))]
  })
}

/**
 * Takes a session lock, which is released even if this process is killed. Polls, because a waiting statement would hold
 * a snapshot, and a concurrent build of an index waits for snapshots.
 */
async function takeLock(client: pg.Client): Promise<void> {
  const until = performance.now() + LOCK_WAIT_MS
  for (;;) {
    const { rows } = await withClassifiedErrors(
      client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK]),
    )
    if (rows[0]?.taken === true) return
    if (performance.now() > until) throw new StoreUnavailable('another process has been migrating for five minutes')
    await delay(LOCK_PAUSE_MS)
  }
}

/** What `migrate` would do, without changing anything. */
export async function planMigration(options: Omit<MigrateOptions, 'onApplied'>): Promise<MigrationPlan> {
  const migrations = await readMigrations(options.directory)
  return withClient(options, async (client) => {
    const history = await withClassifiedErrors(readHistory(client))
    const missing = missingMigrations(migrations, history)
    const ahead = history.length > migrations.length ? (history.at(-1)?.name ?? null) : null
    const waiting = history.length === 0 ? [] : await withClassifiedErrors(listWaitingParts(queriesOf(client)))
    return { missing, waiting, ahead }
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
    await withClassifiedErrors(client.connect())
    await withClassifiedErrors(hosts.prepare(client))
    return await work(client)
  } finally {
    await client.end()
    await hosts.close()
  }
}

/** For readiness. `ahead`: a newer release migrated the database; this release keeps working during a rollout. */
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
  // An old history table lacks this column. Then the compatibility is unknown.
  text: `select number, name, checksum, (to_jsonb(m) ->> 'compatible_from')::int as "compatibleFrom"
         from schema_migrations m order by number`,
}

/** The number of this release's newest migration. */
export async function newestMigration(): Promise<number> {
  return (await readMigrations()).length - 1
}

/** All files of the release in order, numbered 0000, 0001, ... without a gap. */
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
    const name = file.slice(0, -'.sql'.length)
    const [now = '', from, then = ''] = sql.split(LATER)
    const late =
      from === undefined ? null : { number, name: `${name} (late part)`, readableFrom: Number(from), ...partsOf(then) }
    migrations.push({ number, name, checksum, ...partsOf(now), compatibleFrom: compatibilityOf(sql), late })
  }
  if (migrations.length === 0) throw new MigrationRefused(`there are no migrations in ${directory}`)
  return migrations
}

/** The late part of a migration begins after this line. */
const LATER = /^-- later, when no process of a release before (\d{4}) is connected:$/m

/** Steps come before the line `-- then, in one transaction:`, separated by blank lines. */
function partsOf(text: string): Pick<Migration, 'steps' | 'sql'> {
  const [before = '', sql] = text.split(/^-- then, in one transaction:$/m)
  if (sql === undefined) return { steps: [], sql: text }
  const isStatement = (part: string) => part.split('\n').some((line) => line !== '' && !line.startsWith('--'))
  return { steps: before.split(/\n{2,}/).filter(isStatement), sql }
}

/** Records the migration in its own transaction. */
async function record(client: pg.Client, migration: Migration): Promise<void> {
  const { number, name, checksum, compatibleFrom, late } = migration
  await keepColumn(client, 'compatible_from', 'integer')
  const insert = 'insert into schema_migrations (number, name, checksum, compatible_from) values ($1, $2, $3, $4)'
  await client.query(insert, [number, name, checksum, compatibleFrom])
  if (late === null) return
  await keepColumn(client, 'late_from', 'integer')
  await keepColumn(client, 'late_at', 'timestamptz')
  await client.query('update schema_migrations set late_from = $2 where number = $1', [number, late.readableFrom])
}

/** Adds a column that old history tables lack. Takes no lock if it exists. */
async function keepColumn(client: pg.Client, name: string, type: string): Promise<void> {
  const { rowCount } = await client.query(
    `select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = $1`,
    [name],
  )
  if (rowCount === 0) await client.query(`alter table schema_migrations add column ${name} ${type}`)
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
 * A newer release migrated this database. Its schema says which older releases may run, in a rollout or after a
 * rollback.
 */
function refuseIncompatible({ name, compatibleFrom }: AppliedRow, newestKnown: number): void {
  if (compatibleFrom !== null && compatibleFrom <= newestKnown) return
  const from = compatibleFrom === null ? 'releases that contain it' : `releases from migration ${compatibleFrom} on`
  throw new MigrationRefused(
    `the database is at ${name}, which this release does not know and which works only with ${from}`,
    'run a newer release, or restore a backup from before',
  )
}

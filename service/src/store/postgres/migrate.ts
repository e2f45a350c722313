// Brings a database to this release's schema: numbered SQL files, forward only, each in a transaction of its own.
// Replicas may start together; a history that does not fit the files is refused, never repaired.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { StoreUnavailable, StoreUnfit } from '../../domain/store-unavailable.ts'
import { type Connection, judge, judged, prepareSession } from './connection.ts'
import type { Tx } from './db.ts'
import { openHosts } from './hosts.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  readonly checksum: string
  readonly sql: string
}

export interface MigrateOptions {
  readonly connection: Connection
  readonly directory?: string
  readonly onApplied?: (name: string) => void
}

/** The history in the database and the files in the release do not fit. */
export class MigrationRefused extends StoreUnfit {
  override readonly name = 'MigrationRefused'

  constructor(message: string, mend = 'restore the migration files of this release') {
    super(message, mend)
  }
}

export type MigrationState =
  | { readonly state: 'current' | 'behind' | 'ahead'; readonly applied: number; readonly known: number }
  | { readonly state: 'refused'; readonly reason: string }

interface AppliedRow {
  number: number
  name: string
  checksum: string
}

export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('migrations/', import.meta.url))
/** One lock a database; the number is ours alone by agreement. */
const LOCK = 7_310_010
/** Another replica's migrations are waited for, not for ever. */
const LOCK_WAIT_MS = 300_000

/** Applies what is missing; the names of what was applied now. */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(options.directory)
  const limits = {
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 0,
    lockTimeoutMs: LOCK_WAIT_MS,
    idleInTransactionTimeoutMs: 0,
  }
  const hosts = openHosts(options.connection, limits, 'vidimus migrate')
  await hosts.find()
  const client = new pg.Client(hosts.current())
  client.on('error', () => undefined) // the call in progress rejects with it
  try {
    await judged(client.connect())
    await judged(prepareSession(client))
    // Held by the session, so it goes with us even if we are killed.
    await judged(client.query('select pg_advisory_lock($1)', [LOCK]))
    const missing = missingMigrations(migrations, await judged(readHistory(client)))
    for (const migration of missing) {
      await apply(client, migration)
      options.onApplied?.(migration.name)
    }
    return missing.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/** For readiness: an older release next to a migrated database is `ahead` and works on, as deploys roll. */
export async function migrationState(tx: Tx, directory?: string): Promise<MigrationState> {
  const migrations = await readMigrations(directory)
  const known = migrations.length
  const [table] = await tx.query<{ present: boolean }>(TABLE_PRESENT)
  if (table?.present !== true) return { state: 'behind', applied: 0, known }
  const history = await tx.query<AppliedRow>(HISTORY)
  try {
    const missing = missingMigrations(migrations, history.slice(0, known))
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
  text: 'select number, name, checksum from schema_migrations order by number',
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
    // Line ends may differ between checkouts; the statements do not.
    const sql = (await readFile(join(directory, file), 'utf8')).replaceAll('\r\n', '\n')
    const checksum = createHash('sha256').update(sql).digest('hex')
    migrations.push({ number, name: file.slice(0, -'.sql'.length), checksum, sql })
  }
  if (migrations.length === 0) throw new MigrationRefused(`there are no migrations in ${directory}`)
  return migrations
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
      const newest = history.at(-1)?.name
      throw new MigrationRefused(
        `the database is at ${newest}, which this release does not know`,
        'run a newer release, or restore a backup from before',
      )
    }
    if (row.name !== migration.name || row.checksum !== migration.checksum) {
      throw new MigrationRefused(
        `${migration.name} differs from ${row.name} as it was applied: restore the file and put the change into a new migration`,
      )
    }
  }
  return migrations.slice(history.length)
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query('begin')
    await client.query(migration.sql)
    await client.query('insert into schema_migrations (number, name, checksum) values ($1, $2, $3)', [
      migration.number,
      migration.name,
      migration.checksum,
    ])
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('it was rolled back')
  } catch (cause) {
    // The session ends with this error, and the transaction with it.
    const { error } = judge(cause)
    if (error instanceof StoreUnavailable) throw error
    const code = cause instanceof pg.DatabaseError ? ` (${cause.code})` : ''
    throw new StoreUnfit(`migration ${migration.name} failed${code}; nothing of it was applied`, mendOf(cause), {
      cause,
    })
  }
}

function mendOf(cause: unknown): string {
  const isDenied = cause instanceof pg.DatabaseError && cause.code === '42501'
  if (isDenied) return 'let the user of DATABASE_URL own the database: alter database … owner to …'
  return "see PostgreSQL's own log, mend what it names, and run `vidimus migrate` again"
}

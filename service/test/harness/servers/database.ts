// Clones a migrated database for each test file, and fails a file that leaves connections behind.

import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Connection } from '../../../src/platform/postgres/connection.ts'
import { type Db, openDb } from '../../../src/platform/postgres/db.ts'
import type { EmbeddedPostgres } from '../../../src/platform/postgres/embedded/server.ts'
import { migrate, readMigrations } from '../../../src/platform/postgres/migrate.ts'
import { testCluster } from './cluster.ts'
import { testSealer } from './master-key.ts'
import { noteStatements } from './statements.ts'

export interface TestDatabase {
  /** The harness closes it. A test that needs more connections opens them with `connection`. */
  readonly db: Db
  readonly connection: Connection
  /** The connection as a URL for DATABASE_URL. */
  readonly url: string
  /** Writes everything in memory to the files; returns the folder of the whole cluster and that of this database. */
  flushed(): Promise<{ readonly cluster: string; readonly database: string }>
}

export interface TestDatabaseOptions {
  /** False: an empty database, for tests of the migrations themselves. */
  readonly migrated?: boolean
  readonly poolMax?: number
  /** A version of the server; absent: that of the environment variables. */
  readonly postgres?: string
  /** Absent: that of every test service. */
  readonly masterKey?: Uint8Array
}

/** Runs work when the test ends: `t`, or the file itself. */
interface Ends {
  after(work: () => Promise<void>): void
}

/** The advisory lock of the process that builds a template. */
const BUILDING = 7_310_020
const CONNECTIONS_GONE_MS = 30_000
/** The speed of the machine is not tested; tests of the limits themselves open their own store. */
const PATIENT = {
  acquireTimeoutMs: 30_000,
  lockTimeoutMs: 30_000,
  statementTimeoutMs: 60_000,
  idleInTransactionTimeoutMs: 60_000,
}

export async function testDatabase(ends: Ends = { after }, options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const cluster = await testCluster(options.postgres)
  const name = `t_${process.pid}_${randomBytes(4).toString('hex')}`
  await createFromTemplate(cluster, name, options.migrated !== false)
  const connection = databaseOf(cluster, name)
  const db = await openDb({
    connection,
    sealer: testSealer(options.masterKey),
    poolMax: options.poolMax ?? 5,
    // Names no release, so that the session delays no late part of a migration.
    applicationName: 'vidimus test ~9999',
    ...PATIENT,
  })
  noteStatements(db)
  ends.after(async () => {
    await db.close()
    const leaked = await asAdmin(cluster, (admin) => dropDatabase(admin, name))
    await cluster.stop()
    if (leaked > 0) throw new Error(`${leaked} connections to the test database were left open`)
  })
  const flushed = () =>
    asAdmin(cluster, async (admin) => {
      await admin.query('checkpoint')
      const { rows } = await admin.query<{ folder: string; oid: string }>(
        `select current_setting('data_directory') as folder, oid::text from pg_database where datname = $1`,
        [name],
      )
      const [found] = rows
      if (found === undefined) throw new Error('bug: the test database is gone')
      return { cluster: found.folder, database: join(found.folder, 'base', found.oid) }
    })
  return { db, connection, url: urlOf(cluster, name), flushed }
}

const CREATIONS_MAX = 5
/** invalid_catalog_name */
const NO_SUCH_DATABASE = '3D000'

/** A test with its own migrations, in another process, may drop this template as an outdated one: then try again. */
async function createFromTemplate(cluster: EmbeddedPostgres, name: string, migrated: boolean): Promise<void> {
  // bounded: CREATIONS_MAX tries.
  for (let tries = 1; ; tries += 1) {
    const template = migrated ? await migratedTemplate(cluster) : 'template0'
    const text = `create database ${name} owner vidimus template ${template} strategy file_copy`
    try {
      await asAdmin(cluster, (admin) => admin.query(text))
      return
    } catch (error) {
      const isGone = error instanceof pg.DatabaseError && error.code === NO_SUCH_DATABASE
      if (!isGone || tries === CREATIONS_MAX) throw error
    }
  }
}

/** Built once for each state of the migrations, by the first caller, under another name until it is complete. */
async function migratedTemplate(cluster: EmbeddedPostgres): Promise<string> {
  const migrations = await readMigrations()
  const state = createHash('sha256')
    .update(migrations.map(({ checksum }) => checksum).join())
    .digest('hex')
  const name = `template_${state.slice(0, 16)}`
  await asAdmin(cluster, async (admin) => {
    const present = () => admin.query('select from pg_database where datname = $1', [name])
    if ((await present()).rowCount === 1) return
    await admin.query('select pg_advisory_lock($1)', [BUILDING])
    if ((await present()).rowCount === 1) return
    await dropAbandoned(admin)
    await admin.query(`drop database if exists building with (force)`)
    await admin.query('create database building owner vidimus template template0')
    await migrate({ connection: databaseOf(cluster, 'building') })
    await admin.query(`alter database building rename to ${name}`)
  })
  return name
}

/** Drops databases of killed runs and templates of earlier migrations, unless they are in use. */
async function dropAbandoned(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    `select datname as name from pg_database d where (datname ~ '^t_\\d+_' or datname ~ '^template_')
     and not exists (select from pg_stat_activity a where a.datid = d.oid)`,
  )
  for (const { name } of rows) {
    const [, pid] = /^t_(\d+)_/.exec(name) ?? []
    if (pid !== undefined && isAlive(Number(pid))) continue
    await admin.query(`drop database if exists ${name}`).catch((error) => {
      if (!(error instanceof pg.DatabaseError && error.code === '55006')) throw error
    })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Returns the number of connections that were still open. */
async function dropDatabase(admin: pg.Client, name: string): Promise<number> {
  const until = performance.now() + CONNECTIONS_GONE_MS
  let open: number
  // bounded: by CONNECTIONS_GONE_MS.
  do {
    const { rows } = await admin.query(
      `select from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
      [name],
    )
    open = rows.length
    // A closed connection stays in the table until its backend notices.
    if (open > 0) await delay(10)
  } while (open > 0 && performance.now() < until)
  await admin.query(`drop database ${name} with (force)`)
  return open
}

async function asAdmin<T>(cluster: EmbeddedPostgres, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client(adminConfig(cluster))
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}

function adminConfig(cluster: EmbeddedPostgres): pg.ClientConfig {
  if (!('socketDir' in cluster.admin)) throw new Error('bug: the test cluster has a socket')
  const { socketDir, user, database } = cluster.admin
  return { host: socketDir, port: 5432, user, database, password: '', ssl: false }
}

function databaseOf(cluster: EmbeddedPostgres, database: string): Connection {
  return { ...cluster.connection, database }
}

function urlOf(cluster: EmbeddedPostgres, database: string): string {
  if (!('socketDir' in cluster.connection)) throw new Error('bug: the test cluster has a socket')
  const { socketDir, user } = cluster.connection
  return `postgres://${user}@/${database}?host=${encodeURIComponent(socketDir)}`
}

// Configures sessions of PostgreSQL, refuses unsuitable servers, and classifies errors of the driver.

import pg from 'pg'
import { StoreUnavailable, StoreUnfit } from '../store-unavailable.ts'
import { readIdentity, type ServerIdentity } from './identity.ts'
import { HOLD_OWN_PROCESS } from './owner.ts'
import { valueTypes } from './values.ts'

/** The URL of the operator's server, or the socket of the embedded server. */
export type Connection =
  | { readonly url: string }
  | { readonly socketDir: string; readonly user: string; readonly database: string }

export interface SessionLimits {
  readonly connectTimeoutMs: number
  /** 0: no limit. */
  readonly statementTimeoutMs: number
  readonly lockTimeoutMs: number
  readonly idleInTransactionTimeoutMs: number
}

/** The oldest release that migrations and queries are tested on is PostgreSQL 15. */
const OLDEST_SERVER = 150000
/** If a read lasts this much longer than the server's own statement timeout, the connection is dead. */
export const READ_GRACE_MS = 5_000

export function clientConfig(connection: Connection, limits: SessionLimits, name: string): pg.ClientConfig {
  return {
    ...address(connection),
    application_name: name,
    types: valueTypes,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: limits.connectTimeoutMs,
    statement_timeout: limits.statementTimeoutMs,
    lock_timeout: limits.lockTimeoutMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionTimeoutMs,
    ...(limits.statementTimeoutMs > 0 ? { query_timeout: limits.statementTimeoutMs + READ_GRACE_MS } : {}),
  }
}

function address(connection: Connection): pg.ClientConfig {
  if ('url' in connection) return { connectionString: connection.url }
  const { socketDir, user, database } = connection
  // Every option is explicit, so that PGPORT, PGSSLMODE and other variables of our environment have no effect.
  return { host: socketDir, port: 5432, user, database, password: '', ssl: false }
}

/**
 * Host and port of a URL, for messages. null if there are none, or if they cannot be separated from the password: an
 * unescaped password may contain `@ : / ? #`. The host begins after the last @, and no @ may follow a ? or #.
 */
export function shownHost(url: string): string | null {
  return /^[a-z]+:\/\/(?:[^?#]*@)?([^/?#@]+)(?:[/?#][^@]*)?$/.exec(url)?.[1] ?? null
}

export const TAKES_NO_WRITES =
  'the PostgreSQL server takes no writes (a standby, or read-only): Vidimus needs the primary'

/** Prepares a fresh session and returns its server. Refuses a standby, because its reads lag and every write fails. */
export async function prepareSession(client: pg.ClientBase): Promise<ServerIdentity> {
  // synchronous_commit: what we acknowledge must be on disk. A stricter default of the server (remote_apply) is kept.
  // enable_seqscan: cached plans outlive the growth of tables, so they must use an index if one fits.
  // jit: before PostgreSQL 18, `enable_seqscan = off` makes scans look so expensive that jit would compile them, at a high cost.
  await client.query(`
    set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'iso_8601'; set client_min_messages = 'warning'; set enable_seqscan = off; set jit = off; set vidimus.days = on;
    select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local');
    ${HOLD_OWN_PROCESS}`)
  const identity = await readIdentity(client)
  if (identity.readOnly) throw new StoreUnavailable(TAKES_NO_WRITES)
  return identity
}

export interface ServerFacts {
  readonly version: string
  readonly versionNumber: number
  readonly encoding: string
  readonly fsync: boolean
  readonly connectionsMax: number
}

export async function serverFacts(client: pg.ClientBase): Promise<ServerFacts> {
  const { rows } = await client.query<ServerFacts>(`
    select current_setting('server_version') as "version", current_setting('server_version_num')::int as "versionNumber",
           current_setting('server_encoding') as "encoding",
           current_setting('fsync')::bool as "fsync", current_setting('max_connections')::int as "connectionsMax"`)
  const facts = rows[0]
  if (facts === undefined) throw new Error('bug: a select without from returned no row')
  return facts
}

export function refuseUnfitServer(facts: ServerFacts): void {
  if (facts.versionNumber < OLDEST_SERVER)
    throw new StoreUnfit(`PostgreSQL ${facts.version} is too old`, 'use PostgreSQL 15 or newer')
  if (facts.encoding !== 'UTF8')
    throw new StoreUnfit(
      `the database has encoding ${facts.encoding}`,
      "create one with UTF8: create database … encoding 'UTF8' template template0",
    )
}

interface Unavailability {
  readonly reason: string
  /** Whether the connection ends with the error. */
  readonly fatal: boolean
  /** Whether every existing connection has the same error. */
  readonly forAll?: boolean
}

// SQLSTATE classes and codes of temporary errors.
const UNAVAILABLE = new Map<string, Unavailability>([
  ['08', { reason: 'the connection failed', fatal: true }],
  ['53', { reason: 'the server lacks resources', fatal: false }],
  ['53100', { reason: 'the disk of the server is full', fatal: false }],
  [
    '53300',
    { reason: 'the server has no connection left: see VIDIMUS_DATABASE_POOL and max_connections', fatal: true },
  ],
  ['57P01', { reason: 'the server is stopping', fatal: true }],
  ['57P02', { reason: 'the server crashed', fatal: true }],
  ['57P03', { reason: 'the server is starting or stopping', fatal: true }],
  ['57P05', { reason: 'the session was idle too long', fatal: true }],
  ['25P03', { reason: 'the transaction was idle too long', fatal: true }],
  ['57014', { reason: 'the statement took too long', fatal: false }],
  // The primary has become a standby, and its connections are still open.
  ['25006', { reason: 'the server takes no writes', fatal: true, forAll: true }],
  // A write on a standby, or a cached plan from before a migration of the columns.
  ['0A000', { reason: 'the connection is older than a failover or a migration', fatal: true, forAll: true }],
  ['55P03', { reason: 'a lock was not available in time', fatal: false }],
  // Another transaction moved the row to another partition while the statement waited for it.
  ['40001', { reason: 'the row was moved meanwhile', fatal: false }],
  // PostgreSQL ended one of two statements that waited for each other.
  ['40P01', { reason: 'it would have waited for ever', fatal: false }],
])

// Errors about prepared statements. They show that other clients share our connection.
const OF_A_POOLER = new Set(['42P05', '26000'])

/** The error for a connection pooler, such as PgBouncer in transaction mode. */
export function sharedSession(sign: string): StoreUnfit {
  return new StoreUnfit(
    `a connection pooler shares the connections of DATABASE_URL among several clients (${sign})`,
    'set its pool_mode to session, or connect to PostgreSQL directly: prepared statements, LISTEN and session settings need dedicated connections',
  )
}

export interface ClassifiedError {
  readonly error: unknown
  readonly connectionLost: boolean
  /** Whether all existing connections are lost too. */
  readonly allLost: boolean
}

/** What the error of a driver call means, and whether its connection is still usable. Only for errors of such calls. */
export function classifyError(error: unknown): ClassifiedError {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? ''
    if (OF_A_POOLER.has(code)) return { error: sharedSession(code), connectionLost: true, allLost: false }
    const known = UNAVAILABLE.get(code) ?? UNAVAILABLE.get(code.slice(0, 2))
    if (known === undefined) return { error, connectionLost: false, allLost: false }
    const unavailable = new StoreUnavailable(`${known.reason} (${code})`, { cause: error })
    return { error: unavailable, connectionLost: known.fatal, allLost: known.forAll === true }
  }
  // Our own parsers and the driver's encoders throw these errors. The connection is still in sync.
  if (error instanceof RangeError || error instanceof TypeError) return { error, connectionLost: false, allLost: false }
  if (error instanceof StoreUnavailable) return { error, connectionLost: true, allLost: false }
  // Any other error is the network, a dead server or a missing answer, so the outcome is unknown.
  const lost = new StoreUnavailable('the connection to the store was lost', { cause: error })
  return { error: lost, connectionLost: true, allLost: false }
}

/** Rejects with the classified error. For driver calls outside of the pool. */
export async function withClassifiedErrors<T>(call: Promise<T>): Promise<T> {
  return call.catch((error) => {
    throw classifyError(error).error
  })
}

/** Whether an insert or update violated the named unique, check or foreign key constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && (error.code ?? '').startsWith('23') && error.constraint === constraint
}

/** Whether the server, or one of our functions in it, raised this SQLSTATE. */
export function hasSqlState(error: unknown, state: string): boolean {
  return error instanceof pg.DatabaseError && error.code === state
}

/** Whether the store is unavailable, so that other work would fail as well. Excludes a statement that only took too long. */
export const isStoreGone = (error: unknown): boolean =>
  error instanceof StoreUnavailable && !hasSqlState(error.cause, '57014')

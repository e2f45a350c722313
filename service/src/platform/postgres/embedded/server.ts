// Runs the embedded PostgreSQL. The first process starts it, later processes adopt it, and the last one stops it.

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StoreUnfit } from '../../store-unavailable.ts'
import type { Connection } from '../connection.ts'
import { type Cluster, openCluster, readLockFile, SUPERUSER } from './cluster-files.ts'
import { type Location, locate } from './location.ts'
import { lastLogLine, type Postmaster, type Settings, spawnPostmaster, stopPostmaster } from './postmaster.ts'
import { isPrivateFolder } from './reach.ts'
import type { SystemUsers } from './system-user.ts'

export interface EmbeddedPostgres {
  /** Connects as the role of the service, which has no rights on the machine. */
  readonly connection: Connection
  readonly admin: Connection
  /** The folder of cluster, socket and log. */
  readonly home: string
  /** Whether the server was already running. */
  readonly adopted: boolean
  /** Whether the server runs as the account "nobody", which other processes of the machine may use too. */
  readonly shared: boolean
  /** Leaves the server. The last process stops it, within about eight seconds. Close pools first. */
  stop(): Promise<void>
}

interface ClusterOptions {
  readonly settings?: Settings
  readonly initArgs?: readonly string[]
  /** Whether to refuse to run as "nobody". */
  readonly refuseShared?: boolean
  readonly users?: SystemUsers
  readonly report?: (event: string, error: unknown) => void
}

/** The role and database of the service. */
const SERVICE = 'vidimus'
// Advisory locks of the database "postgres". Every user of the server holds IN_USE as a shared lock.
const IN_USE = 7_310_001
const PREPARING = 7_310_002
/** How long to wait, because recovery after a crash may take long. Repeated failures to start end the wait sooner. */
const READY_MS = 300_000
const START_FAILURES_MAX = 20
const REVIVE_PAUSE_MS = 2_000

export async function startEmbeddedPostgres(dataDir: string, options: ClusterOptions = {}): Promise<EmbeddedPostgres> {
  return startCluster(await locate(dataDir, options.users === undefined ? {} : { users: options.users }), options)
}

export async function startCluster(location: Location, options: ClusterOptions = {}): Promise<EmbeddedPostgres> {
  const localeArgs = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
  const cluster = await openCluster(location, options.initArgs ?? localeArgs, options.users)
  if (cluster.shared && options.refuseShared === true) throw new SharedAccount()
  const { client, started } = await joinServer(cluster, options)
  const joined = stayJoined(cluster, client, options)
  await prepare(client)
  return {
    connection: { socketDir: cluster.socketDir, user: SERVICE, database: SERVICE },
    admin: { socketDir: cluster.socketDir, user: SUPERUSER, database: 'postgres' },
    home: cluster.home,
    adopted: !started,
    shared: cluster.shared,
    stop: joined.leave,
  }
}

/** The server would run as "nobody", where every process of that account can reach it. */
export class SharedAccount extends Error {
  override readonly name = 'SharedAccount'

  constructor() {
    super('the embedded PostgreSQL would run as the user "nobody"')
  }
}

/** Connects to the cluster's server and marks it as in use. Starts the server if none runs. */
async function joinServer(
  cluster: Cluster,
  options: ClusterOptions,
  signal?: AbortSignal,
): Promise<{ client: pg.Client; started: boolean }> {
  const until = performance.now() + READY_MS
  let child: Postmaster | undefined
  for (let failures = 0; ; ) {
    signal?.throwIfAborted()
    const found = await tryToJoin(cluster)
    // Only the pid shows who started the server, because another process may have been faster.
    if (typeof found !== 'string') return { client: found.client, started: found.pid === child?.pid }
    const ended = child?.exited() ?? null
    if (found === 'absent' && (child === undefined || ended !== null)) {
      if (ended !== null) failures += 1
      if (failures > START_FAILURES_MAX || performance.now() > until) {
        throw await startFailure(cluster, `PostgreSQL does not start (${ended})`)
      }
      // A start mostly fails because another process was faster, or because backends of a killed server still run.
      if (failures > 0) await delay(Math.min(10 * 2 ** failures, 500))
      child = await spawnPostmaster(cluster, options.settings ?? {})
    }
    if (performance.now() > until) throw await startFailure(cluster, 'PostgreSQL does not get ready')
    await delay(10)
  }
}

/** Adds the reason from the end of the server's log. */
async function startFailure(cluster: Cluster, what: string): Promise<StoreUnfit> {
  const remedy = `see ${cluster.log}; a full disk, a wrong owner of the folder and a lack of memory are the usual reasons`
  return new StoreUnfit(`${what}: ${await lastLogLine(cluster)}`, remedy)
}

async function tryToJoin(cluster: Cluster): Promise<{ client: pg.Client; pid: number } | 'absent' | 'busy'> {
  const running = await readLockFile(cluster.pgdata)
  if (running === null) return 'absent'
  // The file may be stale. Its socket folder may be in a temporary place and now belong to another account.
  if (running.socketDir !== cluster.socketDir || !(await isPrivateFolder(running.socketDir, cluster.uid)))
    return 'absent'
  const client = new pg.Client({
    host: running.socketDir,
    port: 5432,
    user: SUPERUSER,
    database: 'postgres',
    password: '',
    ssl: false,
    application_name: 'vidimus lease',
    connectionTimeoutMillis: 2_000,
  })
  client.on('error', () => undefined) // seen by the call in progress, or by stayJoined
  try {
    await client.connect()
    const { rows } = await client.query<{ ours: boolean; joined: boolean }>(
      `select current_setting('data_directory') = $1 as ours, pg_try_advisory_lock_shared($2) as joined`,
      [cluster.pgdata, IN_USE],
    )
    if (rows[0]?.ours === true && rows[0].joined) return { client, pid: running.pid }
    await client.end()
    // Busy: the last user is stopping the server. Absent: a copied data folder still names the server of the original.
    return rows[0]?.ours === true ? 'busy' : 'absent'
  } catch (error) {
    await client.end()
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'absent'
    // 57P: starting, stopping or crashing. Errors of the driver itself mean a broken connection.
    if (!(error instanceof pg.DatabaseError) || code?.toString().startsWith('57P') === true) return 'busy'
    throw error
  }
}

/** Keeps the connection open for the life of this process, and restarts the server if it dies. */
function stayJoined(cluster: Cluster, first: pg.Client, options: ClusterOptions) {
  const report = options.report ?? (() => undefined)
  const leaving = new AbortController()
  let current: Promise<pg.Client | null> = Promise.resolve(hold(first))

  function hold(client: pg.Client): pg.Client {
    client.once('end', () => {
      if (!leaving.signal.aborted) current = revive()
    })
    return client
  }

  /** null while this process ends. The next process adopts a server that still runs. */
  async function revive(): Promise<pg.Client | null> {
    report('the embedded PostgreSQL stopped; restarting it', undefined)
    while (!leaving.signal.aborted) {
      try {
        return hold((await joinServer(cluster, options, leaving.signal)).client)
      } catch (error) {
        if (leaving.signal.aborted) break
        report('the embedded PostgreSQL could not be restarted', error)
        await delay(REVIVE_PAUSE_MS, undefined, { signal: leaving.signal }).catch(() => undefined) // leaving ends the pause
      }
    }
    return null
  }

  return {
    async leave(): Promise<void> {
      if (leaving.signal.aborted) return
      leaving.abort()
      const client = await current
      if (client !== null) await leaveServer(cluster, client)
    },
  }
}

async function leaveServer(cluster: Cluster, client: pg.Client): Promise<void> {
  try {
    // Succeeds only if no other process uses the server. New processes then wait and start the server again.
    const { rows } = await client.query<{ last: boolean }>(
      `select pg_advisory_unlock_shared($1), pg_try_advisory_lock($1) as last`,
      [IN_USE],
    )
    if (rows[0]?.last !== true) return
    const running = await readLockFile(cluster.pgdata)
    if (running !== null) await stopPostmaster(cluster, running.pid)
  } catch (error) {
    // The server stopped in the meantime, so there is nothing left to do.
    if (error instanceof pg.DatabaseError && error.code?.startsWith('57P') !== true) throw error
  } finally {
    await client.end()
  }
}

/**
 * Creates the role and database of the service once. The role is not a superuser, so that a flaw in a query cannot
 * affect more than the database.
 */
async function prepare(client: pg.Client): Promise<void> {
  const ready = `select exists (select from pg_database where datname = '${SERVICE}') as ready`
  const { rows } = await client.query<{ ready: boolean }>(ready)
  if (rows[0]?.ready === true) return
  await client.query('select pg_advisory_lock($1)', [PREPARING])
  try {
    const role = await client.query(`select from pg_roles where rolname = '${SERVICE}'`)
    if (role.rowCount === 0) await client.query(`create role ${SERVICE} login`)
    const again = await client.query<{ ready: boolean }>(ready)
    if (again.rows[0]?.ready !== true) {
      await client.query(`create database ${SERVICE} owner ${SERVICE}`)
      await client.query(`revoke connect on database ${SERVICE} from public`)
    }
  } finally {
    await client.query('select pg_advisory_unlock($1)', [PREPARING])
  }
}

// Puts the world together: store, clock, keys, budgets. Only main.ts and the tests' harness use it.

import { randomBytes } from 'node:crypto'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { createSealer } from './domain/seal.ts'
import type { Random } from './domain/world.ts'
import { createLog, type Log } from './log.ts'
import { loadMasterKey } from './master-key.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { type Budgets, createLocalBudgets } from './store/budgets.ts'
import { followDatabaseClock } from './store/clock.ts'
import type { Connection } from './store/connection.ts'
import { openDb } from './store/db.ts'
import { startEmbeddedPostgres } from './store/embedded-postgres.ts'
import { createKeyMemory } from './store/key-memory.ts'
import { migrate } from './store/migrate.ts'
import { createRedisBudgets } from './store/redis-budgets.ts'

export interface World {
  readonly deps: Deps
  readonly store: StoreFacts
  readonly migrated: readonly string[]
  close(): Promise<void>
}

export interface StoreFacts {
  readonly embedded: boolean
  readonly description: string
}

const random: Random = (size) => new Uint8Array(randomBytes(size))

/** Opens everything, bottom up; what was opened is closed again when a later step fails. */
export async function openWorld(config: Config, write: (line: string) => void): Promise<World> {
  const log = createLog(config.logLevel, write)
  const metrics = createMetrics()
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    const report = (event: string, error: unknown) => log.fault(event, error)
    const store = await openStore(config, report)
    closers.push(store.stop)
    const migrated = await migrate({ connection: store.connection })
    const db = await openDb({ connection: store.connection, poolMax: config.databasePoolMax, report })
    closers.push(() => db.close())
    const clock = await followDatabaseClock(db, { report })
    closers.push(async () => clock.stop())
    const keys = await createKeyMemory(db)
    closers.push(() => keys.close())
    const budgets = await openBudgets(config, metrics, log)
    closers.push(() => budgets.close())
    const sealer = createSealer(await loadMasterKey(config, random), random)
    watchPool(metrics, db)
    const deps: Deps = { config, clock, clockOffsetMs: clock.offsetMs, random, db, sealer, budgets, keys, log, metrics }
    return { deps, store, migrated, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openStore(
  config: Config,
  report: (event: string, error: unknown) => void,
): Promise<StoreFacts & { connection: Connection; stop(): Promise<void> }> {
  if (config.databaseUrl !== null) {
    const { host } = new URL(config.databaseUrl)
    return {
      embedded: false,
      description: `PostgreSQL at ${host || 'DATABASE_URL'}`,
      connection: { url: config.databaseUrl },
      stop: async () => undefined,
    }
  }
  const postgres = await startEmbeddedPostgres(config.dataDir, { report })
  return {
    embedded: true,
    description: `embedded PostgreSQL in ${postgres.home}`,
    connection: postgres.connection,
    stop: postgres.stop,
  }
}

async function openBudgets(config: Config, metrics: Metrics, log: Log): Promise<Budgets> {
  if (config.redisUrl === null) return createLocalBudgets()
  return createRedisBudgets(config.redisUrl, (error) => {
    metrics.alarms.inc({ alarm: 'budget_store_unavailable' })
    log.fault('budget store connection', error)
  })
}

function watchPool(metrics: Metrics, db: Pick<Deps['db'], 'stats'>): void {
  metrics.gauge('vidimus_store_connections', 'Connections to the store', () => db.stats().total)
  metrics.gauge('vidimus_store_connections_idle', 'Idle connections to the store', () => db.stats().idle)
  metrics.gauge('vidimus_store_waiting', 'Callers waiting for a connection', () => db.stats().waiting)
}

// Puts the world together: store, clock, keys, budgets. Only main.ts and the tests' harness use it.

import { randomBytes } from 'node:crypto'
import { createChainCache } from '@vidimus/engine'
import { type Config, ConfigError } from './config.ts'
import type { Deps } from './deps.ts'
import { createHeadSeal, headKey } from './domain/audit/head-seal.ts'
import { createLanes } from './domain/lanes.ts'
import { createSealer } from './domain/seal/seal.ts'
import { createResponseQueue } from './domain/verification/response-queue.ts'
import { type Environment, instantOf, millisecondsOf, type Random } from './domain/world.ts'
import { createLog, type Log } from './log.ts'
import { loadMasterKeys } from './master-key.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { makeEgress } from './outbound/egress/client.ts'
import { makePolicy } from './outbound/egress/policy.ts'
import type { OidcProvider, OidcWorld } from './outbound/oidc/provider.ts'
import { createStatusLists } from './outbound/trust/status-lists.ts'
import { type Budgets, createLocalBudgets } from './store/budgets/local.ts'
import { loadLogHead } from './store/log/log.ts'
import { createReceiptSigners } from './store/log/receipt-keys.ts'
import { createClientMemory } from './store/oidc/client-memory.ts'
import { followDatabaseClock } from './store/postgres/clock.ts'
import { type Connection, shownHost } from './store/postgres/connection.ts'
import { openDb } from './store/postgres/db.ts'
import { SharedAccount, startEmbeddedPostgres } from './store/postgres/embedded/server.ts'
import { machineUsers, type SystemUsers } from './store/postgres/embedded/system-user.ts'
import { migrate } from './store/postgres/migrate.ts'
import { createRegistrationMemory } from './store/registration/registration-memory.ts'
import { sessionNameFor } from './store/sealing/processes.ts'
import { createKeyMemory } from './store/tenants/api-key-memory.ts'
import { createAnchorMemory } from './store/trust/anchor-memory.ts'
import { createCertificateMemory } from './store/trust/certificate-memory.ts'
import { noteRequestsFetched } from './store/verifications/asked.ts'
import { noteFirstReads } from './store/verifications/first-reads.ts'
import { createGatheredNotes } from './store/verifications/gathered-notes.ts'
import { createProgressWatch } from './store/verifications/progress-watch.ts'
import { measureQueueAcrossTenants } from './store/webhooks/deliveries.ts'
import { countUnguarded } from './usecases/audit/keep-checkpoints.ts'
import { readWitnesses } from './usecases/log/diagnose-log.ts'
import { keepReceiptKey } from './usecases/log/manage-receipt-keys.ts'
import { keepDerivedKeys } from './usecases/operator/keep-derived-keys.ts'
import { countLooks } from './usecases/registration/look-at-register.ts'
import { secondsToFirstEnds } from './usecases/registration/watch-registrations.ts'
import { listCertificates } from './usecases/trust/manage-certificates.ts'

export interface World {
  readonly deps: Deps
  readonly store: StoreFacts
  readonly migrated: readonly string[]
  close(): Promise<void>
}

export interface StoreFacts {
  readonly embedded: boolean
  readonly description: string
  /** The embedded PostgreSQL runs as "nobody", which other processes of the machine may be too. */
  readonly shared: boolean
}

/** Issuers are few; whoever makes chains up gets none of them remembered. */
const CHAINS_REMEMBERED_MAX = 5_000

const random = createRandom()

/** Drawn from the system in larger portions: one request needs a dozen small ones. Nothing is handed out twice. */
function createRandom(): Random {
  const portion = 4096
  let pool = Buffer.alloc(0)
  let used = 0
  return (size) => {
    if (size > portion / 8) return new Uint8Array(randomBytes(size))
    if (used + size > pool.length) {
      pool = randomBytes(portion)
      used = 0
    }
    const taken = Uint8Array.prototype.slice.call(pool, used, used + size)
    pool.fill(0, used, used + size)
    used += size
    return taken
  }
}

/** Opens everything, bottom up; what was opened is closed again when a later step fails. */
export async function openWorld(
  config: Config,
  write: (line: string) => void,
  users: SystemUsers = machineUsers,
): Promise<World> {
  const log = createLog(config.logLevel, write)
  const report = (event: string, error: unknown) => log.fault(event, error)
  const closing = createClosing()
  try {
    const store = await openStore(config, report, users)
    closing.add(store.stop)
    if (store.shared) log.warn(OWN_USER)
    const migrated = await migrate({ connection: store.connection })
    const keys = await loadMasterKeys(config, random)
    const { keyIds } = createSealer(keys.masterKey, random, keys.readableMasterKeys)
    const applicationName = sessionNameFor(keyIds, Buffer.from(random(3)).toString('hex'))
    const db = await openDb({ connection: store.connection, poolMax: config.databasePoolMax, report, applicationName })
    closing.add(() => db.close())
    const clock = await followDatabaseClock(db, { report })
    closing.add(async () => clock.stop())
    const given = { config, db, clock, clockOffsetMs: clock.offsetMs, random, log, ...keys }
    const assembled = await assembleDeps({ ...given, storeShared: store.shared })
    closing.add(assembled.close)
    return { deps: assembled.deps, store, migrated, close: closing.run }
  } catch (error) {
    await closing.run()
    throw error
  }
}

/** The parts of the world that differ between a process and a test; everything else is made from them. */
export interface DepsInput extends Pick<Deps, 'config' | 'db' | 'clock' | 'clockOffsetMs' | 'random' | 'log'> {
  readonly masterKey: Uint8Array
  /** Further ones that open and never seal; absent: none. */
  readonly readableMasterKeys?: readonly Uint8Array[]
  /** Absent: no. */
  readonly storeShared?: boolean
  /** Absent: the name servers of the system. */
  readonly dnsServers?: readonly string[]
  /** PEM certificates that outbound TLS trusts beside the public ones. */
  readonly extraCa?: readonly string[]
}

export async function assembleDeps(input: DepsInput): Promise<{ deps: Deps; close(): Promise<void> }> {
  const { config, db, clock, clockOffsetMs, random, log, masterKey } = input
  const given = { config, db, clock, clockOffsetMs, random, log, storeShared: input.storeShared === true }
  const closing = createClosing()
  const metrics = createMetrics()
  const keys = await createKeyMemory(input.db, (error) => log.fault('uses of a key were not noted', error))
  closing.add(() => keys.close())
  const clients = await createClientMemory(input.db)
  closing.add(() => clients.close())
  const budgets = await openBudgets(input.config, metrics, input.log)
  closing.add(() => budgets.close())
  watchPool(metrics, input.db)
  watchCertificates(metrics, input)
  watchDeliveries(metrics, input)
  watchTrails(metrics, input)
  watchLog(metrics, input)
  const opener = createSealer(masterKey, input.random, input.readableMasterKeys)
  const sealer = await keepDerivedKeys({ db, clock, sealer: opener })
  const auditSeal = createHeadSeal(headKey(sealer))
  await keepReceiptKey({ db, clock, sealer })
  const receiptSigners = createReceiptSigners(db, sealer)
  const certificates = await createCertificateMemory(input.db, sealer)
  closing.add(() => certificates.close())
  const registrations = await createRegistrationMemory(input.db)
  closing.add(() => registrations.close())
  watchRegistrationEnds(metrics, input)
  watchRegisterLooks(metrics, input)
  const egress = openEgress(input)
  const wallet = await openWalletSide({ ...given, sealer, egress }, closing.add)
  const oidc = await openOidc(config, { egress: egress.live, clock })
  const memory = {
    lanes: createLanes(),
    responseQueue: createResponseQueue(),
    chainCache: createChainCache(CHAINS_REMEMBERED_MAX),
  }
  return {
    deps: {
      ...given,
      sealer,
      auditSeal,
      receiptSigners,
      budgets,
      keys,
      clients,
      certificates,
      registrations,
      metrics,
      egress,
      oidc,
      ...memory,
      ...wallet,
    },
    close: closing.run,
  }
}

/** What judging a presentation rests on: anchors, status lists, and the sandbox issuer where it is on (test alone). */
async function openWalletSide(
  given: Pick<Deps, 'config' | 'db' | 'clock' | 'log' | 'sealer' | 'egress'>,
  onClose: (closer: () => Promise<void>) => void,
): Promise<Pick<Deps, 'anchors' | 'statusLists' | 'fetchNotes' | 'readNotes' | 'progress' | 'sandbox'>> {
  const sandbox = given.config.sandbox ? await (await import('./sandbox/open.ts')).openSandbox(given) : null
  const inSandbox = (environment: Environment) => (environment === 'test' ? sandbox : null)
  const anchors = await createAnchorMemory(given.db, (environment) => inSandbox(environment)?.anchors ?? [])
  onClose(() => anchors.close())
  const lost = (what: string) => (error: unknown) => given.log.fault(`${what} were not noted`, error)
  const fetchNotes = createGatheredNotes(given.db, noteRequestsFetched, lost('fetched requests'))
  onClose(() => fetchNotes.close())
  const readNotes = createGatheredNotes(given.db, noteFirstReads, lost('first reads'))
  onClose(() => readNotes.close())
  const progress = createProgressWatch({ ...given, report: (event, error) => given.log.fault(event, error) })
  onClose(() => progress.close())
  const statusLists = createStatusLists(
    given.egress,
    async ({ uri }, environment, nowMs) => (await inSandbox(environment)?.documentAt(uri, nowMs)) ?? null,
  )
  return { anchors, statusLists, fetchNotes, readNotes, progress, sandbox }
}

async function openOidc({ oidc }: Config, world: OidcWorld): Promise<OidcProvider | null> {
  return oidc === null ? null : (await import('./outbound/oidc/provider.ts')).createOidcProvider(oidc, world)
}

function openEgress(input: DepsInput): Deps['egress'] {
  const { egressAllow, egressPorts, baseUrl } = input.config
  const settings = {
    allow: egressAllow,
    ownHosts: [new URL(baseUrl).hostname],
    ...(egressPorts === null ? {} : { ports: egressPorts }),
  }
  const open = (environment: Environment) =>
    makeEgress({
      policy: makePolicy({ environment, ...settings }),
      ...(input.dnsServers === undefined ? {} : { dnsServers: input.dnsServers }),
      ...(input.extraCa === undefined ? {} : { extraCa: input.extraCa }),
    })
  return { test: open('test'), live: open('live') }
}

/** What was opened last is closed first. */
function createClosing(): { add(closer: () => Promise<void>): void; run(): Promise<void> } {
  const closers: (() => Promise<void>)[] = []
  return {
    add: (closer) => void closers.push(closer),
    async run() {
      for (const closer of closers.splice(0).reverse()) await closer()
    },
  }
}

const OWN_USER =
  'started as root, the embedded PostgreSQL runs as "nobody", which other processes may be too: create a user for it (useradd --system vidimus), start as another user, or set DATABASE_URL'

export async function openStore(
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'production'>,
  report: (event: string, error: unknown) => void,
  users: SystemUsers = machineUsers,
): Promise<StoreFacts & { connection: Connection; stop(): Promise<void> }> {
  if (config.databaseUrl !== null) {
    return {
      embedded: false,
      description: `PostgreSQL at ${shownHost(config.databaseUrl) ?? 'DATABASE_URL'}`,
      shared: false,
      connection: { url: config.databaseUrl },
      stop: async () => undefined,
    }
  }
  const refuseShared = config.production
  const postgres = await startEmbeddedPostgres(config.dataDir, { report, refuseShared, users }).catch(
    (error: unknown) => {
      throw error instanceof SharedAccount ? new ConfigError([{ variable: 'DATABASE_URL', problem: OWN_USER }]) : error
    },
  )
  return {
    embedded: true,
    description: `embedded PostgreSQL in ${postgres.home}`,
    shared: postgres.shared,
    connection: postgres.connection,
    stop: postgres.stop,
  }
}

async function openBudgets(config: Config, metrics: Metrics, log: Log): Promise<Budgets> {
  if (config.redisUrl === null) return createLocalBudgets()
  const { createRedisBudgets } = await import('./store/budgets/redis.ts')
  let isUp = true
  metrics.gauge('vidimus_redis_up', 'Whether replicas share their rate budgets: 0 while Redis is away', () =>
    isUp ? 1 : 0,
  )
  return createRedisBudgets({
    url: config.redisUrl,
    onChange(reason) {
      isUp = reason === null
      if (isUp) return log.info('Redis is back: replicas share their rate budgets again')
      metrics.alarms.inc({ alarm: 'budget_store_unavailable' })
      log.fault('Redis is away: rate budgets are kept in this process until it is back; see REDIS_URL', reason)
    },
  })
}

/** Below zero it has ended. The least of all that are in use for a purpose, tenants' own included. */
function watchCertificates(metrics: Metrics, { db, clock }: Pick<Deps, 'db' | 'clock'>): void {
  metrics.gaugeBy(
    'purpose',
    'vidimus_access_certificate_seconds_left',
    'Until the first certificate in use for a purpose ends',
    async () => {
      const left = new Map<string, number>()
      // While the store is away the other metrics still count.
      for (const { state, purpose, validUntil } of await listCertificates({ db }).catch(() => [])) {
        if (state !== 'current' || validUntil === null) continue
        const seconds = Math.floor((millisecondsOf(validUntil) - clock.now()) / 1000)
        left.set(purpose, Math.min(seconds, left.get(purpose) ?? seconds))
      }
      return left
    },
  )
}

function watchRegistrationEnds(metrics: Metrics, input: Pick<Deps, 'db' | 'clock'>): void {
  const help = 'Until the first registration certificate in use in an environment ends'
  const name = 'vidimus_registration_certificate_seconds_left'
  metrics.gaugeBy('environment', name, help, () => secondsToFirstEnds(input))
}

function watchRegisterLooks(metrics: Metrics, input: Pick<Deps, 'db'>): void {
  const help = 'Live entries of national registers by how the last look at them ended: same, drift, failed'
  metrics.gaugeBy('outcome', 'vidimus_register_looks', help, () => countLooks(input))
}

function watchDeliveries(metrics: Metrics, { db, clock }: Pick<DepsInput, 'db' | 'clock'>): void {
  // While the store is away the other metrics are needed most.
  const unknown = { pending: Number.NaN, oldestDueSeconds: Number.NaN }
  const measure = () => measureQueueAcrossTenants(db, instantOf(clock.now())).catch(() => unknown)
  metrics.gauge('vidimus_webhooks_pending', 'Webhooks still to be delivered', async () => (await measure()).pending)
  metrics.gauge(
    'vidimus_webhooks_oldest_due_seconds',
    'How long the oldest due webhook has waited for a worker',
    async () => (await measure()).oldestDueSeconds,
  )
}

function watchTrails(metrics: Metrics, input: Pick<DepsInput, 'db' | 'clock'>): void {
  const unknown = { withoutCheckpoint: Number.NaN, withoutSeal: Number.NaN }
  const count = () => countUnguarded(input).catch(() => unknown)
  metrics.gauge(
    'vidimus_audit_chains_without_checkpoint',
    'Audit chains that have entries and should have a checkpoint, but have none',
    async () => (await count()).withoutCheckpoint,
  )
  metrics.gauge(
    'vidimus_audit_chains_without_seal',
    'Audit chains whose head has no seal of this service',
    async () => (await count()).withoutSeal,
  )
}

function watchLog(metrics: Metrics, { db, config }: Pick<DepsInput, 'db' | 'config'>): void {
  // While the store is away the other metrics still count.
  const head = () => loadLogHead(db).catch(() => null)
  metrics.gauge('vidimus_log_leaves', 'Leaves of the public log', async () => (await head())?.size ?? Number.NaN)
  metrics.gauge('vidimus_log_halted', 'Whether the public log has stopped: 1 it has', async () => {
    const known = await head()
    return known === null ? Number.NaN : Number(known.halted !== null)
  })
  metrics.gaugeBy(
    'witness',
    'vidimus_log_witness_cosigned',
    'Whether a witness stands behind the newest checkpoint',
    async () => {
      const said = await readWitnesses({ db, config }).catch(() => [])
      return new Map(said.map(({ name, state }) => [name, Number(state === 'cosigned')]))
    },
  )
}

function watchPool(metrics: Metrics, db: Pick<Deps['db'], 'stats'>): void {
  metrics.gauge('vidimus_store_connections', 'Connections to the store', () => db.stats().total)
  metrics.gauge('vidimus_store_connections_idle', 'Idle connections to the store', () => db.stats().idle)
  metrics.gauge('vidimus_store_waiting', 'Callers waiting for a connection', () => db.stats().waiting)
}

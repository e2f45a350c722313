// Assembles the dependencies: store, clock, keys, budgets. Only main.ts and the test harness use it.

import { randomBytes } from 'node:crypto'
import { createChainCache, LIMITS, prepareAnchors, ZK_CIRCUITS, ZK_SYSTEM } from '@vidimus/engine'
import type { ZkVerifier } from './core/ports/zk-verifier.ts'
import { createRegistrationCache } from './core/registrations/store/registration-cache.ts'
import { createTemplateCache } from './core/templates/store/template-cache.ts'
import { createKeyCache } from './core/tenants/store/api-key-cache.ts'
import { createCostlyAgreements } from './core/verifications/domain/costly-agreements.ts'
import { prepareSoleTypes } from './core/verifications/domain/provable.ts'
import { prepareNaming } from './core/verifications/domain/trust-list.ts'
import { noteFirstReads } from './core/verifications/store/first-reads.ts'
import { createListedCache } from './core/verifications/store/listed-cache.ts'
import { createProgressWatch } from './core/verifications/store/progress-watch.ts'
import { joinFetches, noteRequestsFetched } from './core/verifications/store/wallet-verifications.ts'
import { createResponseQueue } from './core/verifications/usecases/answering/conclude-response.ts'
import { createEndings } from './core/verifications/usecases/answering/end-verifications.ts'
import { createExamine } from './core/verifications/usecases/answering/examine.ts'
import { createCreations } from './core/verifications/usecases/asking/commit-creations.ts'
import type { Deps } from './deps.ts'
import { createAudit } from './features/audit/usecases/audit.ts'
import { authenticateDevice } from './features/devices/usecases/authenticate-device.ts'
import { requireActiveDevice } from './features/devices/usecases/end-pending.ts'
import { createBundleWriter } from './features/evidence/outbound/bundle-writer.ts'
import { createClientCache } from './features/oidc/store/client-cache.ts'
import { followKeptKeys, keepDerivedKeys } from './features/operator/usecases/keep-derived-keys.ts'
import { createReceiptSigners } from './features/transparency/store/receipt-keys.ts'
import { keepReceiptKey } from './features/transparency/usecases/manage-receipt-keys.ts'
import { createListReader } from './features/trust/outbound/list-reader.ts'
import { createStatusLists } from './features/trust/outbound/status-lists.ts'
import { createTrustListReader } from './features/trust/outbound/trust-list-reader.ts'
import { createZkVerifier, helpersFor, zkBounds } from './features/trust/outbound/zk/verifier.ts'
import { warmUpOf } from './features/trust/outbound/zk/warm-up.ts'
import { createAnchorCache } from './features/trust/store/anchor-cache.ts'
import { createCertificateCache } from './features/trust/store/certificate-cache.ts'
import { saveListFailures } from './features/trust/store/list-failures.ts'
import { createListFailureReports, type ListFailureNote } from './features/trust/usecases/report-list-failures.ts'
import { createSigning } from './features/trust/usecases/signing.ts'
import { checkWebhookUrl } from './features/webhooks/usecases/check-webhook-url.ts'
import { reportStep } from './features/webhooks/usecases/report-step.ts'
import { creationContributions, endingContributions, FORGETTING } from './features.ts'
import { addGauges } from './gauges.ts'
import { countAnswers, openTracing } from './instrumentation.ts'
import { loadMasterKeys } from './master-key.ts'
import {
  createClosing,
  type OutboundOptions,
  openBudgets,
  openEgress,
  openMail,
  openOidc,
  openRemoteKeys,
  withRemoteKeys,
} from './open-parts.ts'
import { OWN_USER, openExistingStore, openStore, type StoreFacts } from './open-store.ts'
import type { Config } from './platform/config/config.ts'
import { createRequestThread, sendFromThread } from './platform/egress/request-thread.ts'
import { createBatcher } from './platform/event-loop/batch.ts'
import { inSlices } from './platform/event-loop/slices.ts'
import type { RemoteKeyOptions } from './platform/keys/remote-keys.ts'
import { createLog, type Log } from './platform/log/log.ts'
import { createMetrics } from './platform/metrics/metrics.ts'
import { followDatabaseClock } from './platform/postgres/clock.ts'
import { type DbOptions, openDb } from './platform/postgres/db.ts'
import { machineUsers, type SystemUsers } from './platform/postgres/embedded/system-user.ts'
import { createGatheredNotes } from './platform/postgres/gathered-notes.ts'
import { migrate, newestMigration, planMigration } from './platform/postgres/migrate.ts'
import { sessionNameFor, TAG_BYTES } from './platform/postgres/sealing/processes.ts'
import { createSealer } from './platform/seal/seal.ts'
import { StoreUnfit } from './platform/store-unavailable.ts'
import type { Environment, Random } from './platform/world.ts'

export interface World {
  readonly deps: Deps
  readonly store: StoreFacts
  readonly migrated: readonly string[]
  close(): Promise<void>
}

/** There are few real issuers, and the cache stores no chains that an attacker makes up. */
const CERTIFICATE_CHAINS_MAX = 5_000

const random = createRandom()

/** Reads from the system in larger portions, because a request needs a dozen small ones. Uses no byte twice. */
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

interface OpenOptions {
  readonly users?: SystemUsers
  /** Called for every fresh connection to the store; throws if the store must not be used. */
  readonly admit?: NonNullable<DbOptions['admit']>
}

/** Opens everything in the order of dependencies. If a step fails, closes what is already open. */
export async function openWorld(
  config: Config,
  write: (line: string) => void,
  { users = machineUsers, admit }: OpenOptions = {},
): Promise<World> {
  const log = createLog(config.logLevel, write)
  const report = (event: string, error: unknown) => log.fault(event, error)
  const closing = createClosing()
  try {
    const store = await openStore(config, report, users)
    closing.add(store.stop)
    if (store.shared) log.warn(OWN_USER)
    const migrated = await migrate({ connection: store.connection })
    const keys = await withRemoteKeys(config, (remoteKeys) => loadMasterKeys(config, random, remoteKeys))
    const sealer = createSealer(keys.masterKey, random, keys.readableMasterKeys)
    const applicationName = sessionNameFor({
      keyIds: sealer.keyIds,
      tag: random(TAG_BYTES),
      release: await newestMigration(),
    })
    const { connection } = store
    const poolMax = config.databasePoolMax
    const db = await openDb({ connection, sealer, poolMax, report, applicationName, ...(admit && { admit }) })
    closing.add(() => db.close())
    const clock = await followDatabaseClock(db, { report })
    closing.add(async () => clock.stop())
    const basics = { config, db, clock, clockOffsetMs: clock.offsetMs, random, log }
    const assembled = await assembleDeps({ ...basics, storeShared: store.shared })
    closing.add(assembled.close)
    return { deps: assembled.deps, store, migrated, close: closing.run }
  } catch (error) {
    await closing.run()
    throw error
  }
}

/** For an installation that may belong to another release. Throws instead of migrating. */
export async function openMigratedWorld(config: Config, write: (line: string) => void): Promise<World> {
  const store = await openExistingStore(config)
  try {
    const { missing, ahead } = await planMigration({ connection: store.connection })
    if (missing.length > 0 || ahead !== null)
      throw new StoreUnfit('the other installation has a different schema', 'bring both to the same release')
  } finally {
    await store.stop()
  }
  return openWorld(config, write)
}

/** The dependencies that differ between a process and a test. All others are created from these. */
interface DepsInput
  extends Pick<Deps, 'config' | 'db' | 'clock' | 'clockOffsetMs' | 'random' | 'log'>,
    OutboundOptions {
  /** Default: false. */
  readonly storeShared?: boolean
  /** How long a signature of a key outside may take. */
  readonly keyDeadlineMs?: number
  /** Absent: the key services of the configuration. */
  readonly remoteKeyOptions?: Partial<RemoteKeyOptions>
}

export async function assembleDeps(input: DepsInput): Promise<{ deps: Deps; close(): Promise<void> }> {
  const { config, db, clock, clockOffsetMs, random, log } = input
  const basics = { config, db, clock, clockOffsetMs, random, log, storeShared: input.storeShared === true }
  const closing = createClosing()
  const metrics = createMetrics()
  db.watch(({ name, tookMs }) => metrics.noteStatement(name, tookMs / 1000))
  const traces = await openTracing(config, metrics, log)
  if (traces !== null) db.watch((ended) => traces.note({ kind: 'statement', ...ended }))
  closing.add(async () => traces?.close())
  const keys = await createKeyCache(input.db, (error) => log.fault('uses of a key were not noted', error))
  closing.add(() => keys.close())
  const clients = await createClientCache(input.db)
  closing.add(() => clients.close())
  const templates = await createTemplateCache(input.db)
  closing.add(() => templates.close())
  addGauges(metrics, input)
  const { dnsServers, extraCa, keyDeadlineMs } = input
  const remoteKeys = openRemoteKeys(
    config,
    { metrics, log, dnsServers, extraCa, deadlineMs: keyDeadlineMs },
    input.remoteKeyOptions,
  )
  closing.add(() => remoteKeys.close())
  const derivedKeys = await keepDerivedKeys({ db, clock, remoteKeys })
  closing.add(await followKeptKeys({ db }, (error) => log.fault('kept keys were not read again', error)))
  const budgets = await openBudgets(input.config, db.sealer, metrics, input.log)
  closing.add(() => budgets.close())
  const audit = createAudit({ random, derivedKeys })
  await keepReceiptKey({ db, clock })
  const receiptSigners = createReceiptSigners(db, remoteKeys.open)
  const certificates = await createCertificateCache(input.db, remoteKeys.open)
  closing.add(() => certificates.close())
  const signing = createSigning({ db, clock, random, config, certificates, metrics, remoteKeys })
  const registrations = await createRegistrationCache(input.db)
  closing.add(() => registrations.close())
  const direct = openEgress(input, traces)
  const sender = createRequestThread(direct, {
    report: (problem) => log.warn(`requests were not answered: the thread that sends them was lost: ${problem}`),
  })
  closing.add(() => sender.close())
  const egress = sendFromThread(direct, sender)
  const certificateChainCache = createChainCache(CERTIFICATE_CHAINS_MAX)
  const wallet = await openWalletSide({ ...basics, egress, metrics, certificateChainCache }, closing.add)
  const oidc = await openOidc(config, { egress: egress.live, clock })
  const mail = await openMail(config, egress.live)
  const zkVerifier = openZkVerifier(config, log)
  closing.add(async () => zkVerifier?.close())
  const bundleWriter = createBundleWriter({
    report: (problem) => log.warn(`an evidence bundle was not written: ${problem}`),
  })
  closing.add(() => bundleWriter.close())
  const trustListReader = createTrustListReader({
    report: (problem) => log.warn(`a trust list was not parsed: ${problem}`),
  })
  closing.add(() => trustListReader.close())
  const listed = createListedCache(() => performance.now())
  closing.add(async () => listed.close())
  const memory = {
    listed,
    batcher: createBatcher(traces?.remember),
    responseQueue: createResponseQueue((id) => wallet.progress.noteChecking(id)),
    costlyAgreements: createCostlyAgreements(clock.now),
    certificateChainCache,
  }
  const world = { ...basics, ...wallet, ...memory, audit, registrations, metrics, zkVerifier, signing, bundleWriter }
  return {
    deps: {
      ...basics,
      derivedKeys,
      remoteKeys,
      audit,
      budgets,
      keys,
      clients,
      templates,
      certificates,
      signing,
      authenticateDevice: (token) => authenticateDevice({ db, clock, log }, token),
      requireActiveDevice: (device) => requireActiveDevice({ db, clock, audit }, device),
      registrations,
      metrics,
      traces,
      egress,
      mail,
      oidc,
      zkVerifier,
      bundleWriter,
      trustListReader,
      ...memory,
      ...wallet,
      checkWebhookUrl: (realm, url) => checkWebhookUrl({ db, clock, egress }, realm, url),
      reportStep: (realm, reached) => reportStep({ db, clock, random, log }, realm, reached),
      forgetting: FORGETTING,
      examine: createExamine(world),
      creations: createCreations({ ...world, derivedKeys, composed: creationContributions(world) }),
      endings: createEndings({ ...world, composed: endingContributions({ ...world, receiptSigners }) }),
    },
    close: closing.run,
  }
}

/** Opens what examining needs: anchors, status lists, and the sandbox issuer if it is on (test only). */
async function openWalletSide(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'random' | 'log' | 'egress' | 'metrics' | 'certificateChainCache'>,
  onClose: (closer: () => Promise<void>) => void,
): Promise<Pick<Deps, 'anchors' | 'statusLists' | 'fetchNotes' | 'readNotes' | 'progress' | 'sandbox'>> {
  const sandbox = deps.config.sandbox ? await (await import('./features/sandbox/open.ts')).openSandbox(deps) : null
  const inSandbox = (environment: Environment) => (environment === 'test' ? sandbox : null)
  const anchors = await createAnchorCache(
    deps.db,
    (environment) => inSandbox(environment)?.anchors ?? [],
    async (all) => {
      const { memory } = await inSlices(prepareAnchors(all, deps.certificateChainCache.anchorSets))
      await inSlices(prepareNaming(all))
      await inSlices(prepareSoleTypes(all))
      return memory
    },
  )
  onClose(() => anchors.close())
  const lost = (what: string) => (error: unknown) => deps.log.fault(`${what} were not noted`, error)
  const fetchNotes = createGatheredNotes(deps.db, noteRequestsFetched, lost('fetched requests'), joinFetches)
  onClose(() => fetchNotes.close())
  const readNotes = createGatheredNotes(deps.db, noteFirstReads, lost('first reads'))
  onClose(() => readNotes.close())
  const progress = await createProgressWatch({ ...deps, report: (event, error) => deps.log.fault(event, error) })
  onClose(() => progress.close())
  const reader = createListReader({ report: (problem) => deps.log.warn(`a status list was not read: ${problem}`) })
  onClose(() => reader.close())
  const requests = createRequestThread(deps.egress, {
    report: (problem) =>
      deps.log.warn(`status lists were not fetched: the thread that fetches them was lost: ${problem}`),
  })
  onClose(() => requests.close())
  const failureNotes = createGatheredNotes<ListFailureNote>(deps.db, saveListFailures, lost('failed status lists'))
  onClose(() => failureNotes.close())
  const statusLists = createStatusLists({
    requests,
    reportFailure: createListFailureReports({ log: deps.log, notes: failureNotes }),
    own: async ({ uri }, environment, nowMs) => (await inSandbox(environment)?.documentAt(uri, nowMs)) ?? null,
    reader,
    bytesMax: LIMITS.oneListBytes,
  })
  return { anchors, statusLists: countAnswers(statusLists, deps.metrics), fetchNotes, readNotes, progress, sandbox }
}

function openZkVerifier({ zkVerifier: address }: Config, log: Log): ZkVerifier | null {
  if (address === null) return null
  const bounds = zkBounds(helpersFor(address))
  return createZkVerifier(
    address,
    (problem) => log.warn(`a proof was not checked: ${problem}`),
    bounds,
    warmUpOf(ZK_SYSTEM, ZK_CIRCUITS),
  )
}

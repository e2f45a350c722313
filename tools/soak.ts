// Runs whole verifications for a long time, on two replicas and with faults (`npm run soak -- --minutes 20`).

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createDeviceClient, memoryStorage, Vidimus } from '../sdk/typescript/src/index.ts'
import { openWorld } from '../service/src/assemble.ts'
import type { Realm } from '../service/src/core/tenants/domain/realm.ts'
import { createKey, revokeKey } from '../service/src/core/tenants/usecases/manage-keys.ts'
import { createTenant } from '../service/src/core/tenants/usecases/manage-tenants.ts'
import type { Deps } from '../service/src/deps.ts'
import {
  endOldSecrets,
  rotateSecret,
  showWebhookSecret,
} from '../service/src/features/webhooks/usecases/manage-webhook-secret.ts'
import { readConfig } from '../service/src/platform/config/config.ts'
import { SCOPES } from '../wire/values/keys.ts'
import {
  compareWithLedger,
  describeExcess,
  describeGrowth,
  listMissingWebhooks,
  median,
  verifyChains,
} from './soak/conclude.ts'
import { FAULTS, type Fault, type Faults, prepareFaults } from './soak/faults.ts'
import { type Merchant, pick, runFlow, type Stage } from './soak/flows.ts'
import { createLedger, type Ledger } from './soak/ledger.ts'
import { type Receiver, startReceiver } from './soak/receiver.ts'
import { openRecord, type RunRecord } from './soak/record.ts'
import { type Service, startService } from './soak/services.ts'
import { watchedFetch } from './soak/watched-fetch.ts'

const ACTOR = { type: 'system', id: 'soak' } as const
const TENANTS = 3
const SAMPLE_MS = 5_000
const ROTATE_MS = 20_000
/** The pool of each process. A process has two more connections: to listen, and to probe the store. */
const POOL = 6
/** The connections of two replicas and this process. */
const CONNECTIONS_MAX = 3 * (POOL + 2)
/** Webhook secrets that may sign at the same time. */
const SIGNING_MAX = 5
/** A failed first attempt is retried after half a minute, plus or minus a tenth. */
const DRAIN_MS = 90_000

const USAGE = `npm run soak -- [options]

Whole verifications on two replicas for a long time, with failing receivers, retries, rotations and erasures.
Ends with 0 only if nothing was lost and nothing grew.

  --minutes NUMBER   how long (20)
  --flows NUMBER     verifications at once (8)
  --faults LIST      take these away meanwhile, with commas: ${FAULTS.join(', ')}
  --record FOLDER    where a failed run leaves what it printed (${join('data', 'soak')})
  --help             this text`

const OPTIONS = {
  help: { type: 'boolean', default: false },
  minutes: { type: 'string', default: '20' },
  flows: { type: 'string', default: '8' },
  faults: { type: 'string', default: '' },
  record: { type: 'string', default: join('data', 'soak') },
} as const
const values = readOptions()
if (values?.help) console.log(USAGE)
else if (values === null) process.exitCode = 2
else
  process.exitCode = await soak({
    minutes: Number(values.minutes),
    atOnce: Number(values.flows),
    wanted: values.faults.split(',').filter((name) => name !== ''),
    folder: join(values.record, new Date().toISOString().replaceAll(':', '-')),
  })

/** Returns null after it reported an unknown option. */
function readOptions() {
  try {
    return parseArgs({ options: OPTIONS }).values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
    return null
  }
}

interface Terms {
  readonly minutes: number
  readonly atOnce: number
  readonly wanted: readonly string[]
  readonly folder: string
}

function isFault(name: string): name is Fault {
  return FAULTS.some((known) => known === name)
}

async function soak({ minutes, atOnce, wanted, folder }: Terms): Promise<number> {
  if (!(minutes > 0) || !(atOnce >= 1) || !wanted.every(isFault)) {
    console.error(`--minutes and --flows take numbers above 0, --faults some of ${FAULTS.join(',')}`)
    return 2
  }
  const record = await openRecord(folder)
  const pauseMs = Math.min(90_000, minutes * 10_000)
  const ledger = createLedger(record.note)
  try {
    await soakWith({ minutes, atOnce, faults: await prepareFaults(wanted, ledger, pauseMs), ledger, record })
  } finally {
    await record.close(ledger.problems.length > 0)
  }
  if (ledger.problems.length === 0) return 0
  console.log(`What the processes printed, and when what happened: ${folder}`)
  return 1
}

interface Run {
  readonly minutes: number
  readonly atOnce: number
  readonly faults: Faults
  readonly ledger: Ledger
  readonly record: RunRecord
}

async function soakWith({ minutes, atOnce, faults, ledger, record }: Run): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidimus-soak-'))
  const receiver = await startReceiver(ledger)
  const env = { ...environment(dataDir), ...faults.env }
  const world = await openWorld(readConfig({ ...env, PORT: '8080' }), () => undefined)
  const services: Service[] = []
  const fetch = watchedFetch(ledger, faults)
  const start = (name: string) =>
    startService(env, {
      log: record.file(`${name}.log`),
      onDeath: (how) => ledger.problem(`${name} ended unexpectedly (${how})`),
    })
  try {
    services.push(await start('process-1'), await start('process-2'))
    const { sandbox } = world.deps
    if (sandbox === null) throw new Error('bug: the sandbox is off')
    const merchants = await Promise.all(
      Array.from({ length: TENANTS }, () => openMerchant(world.deps, { services, fetch }, receiver)),
    )
    const stage: Stage = { merchants, ledger, receiver, sandbox, now: () => world.deps.clock.now(), fetch, faults }
    const endAt = performance.now() + minutes * 60_000
    const samples = await live(world.deps, { stage, services, faults, endAt, atOnce })
    await drain(stage)
    for (const merchant of merchants) await compareWithLedger(merchant, ledger)
    await verifyChains(
      world.deps,
      merchants.map(({ tenant }) => tenant),
      ledger,
    )
    report(ledger, samples)
  } finally {
    for (const service of services) await service.stop()
    await world.close()
    receiver.close()
    await faults.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

function environment(dataDir: string): Record<string, string> {
  const generous = '1000000/1000000'
  return {
    PATH: process.env.PATH ?? '',
    VIDIMUS_DATA_DIR: dataDir,
    VIDIMUS_DATABASE_POOL: String(POOL),
    VIDIMUS_MASTER_KEY: randomBytes(32).toString('hex'),
    VIDIMUS_EGRESS_ALLOW: '127.0.0.1/32',
    VIDIMUS_LOG_LEVEL: 'info',
    VIDIMUS_RATE_KEY: generous,
    VIDIMUS_RATE_ADDRESS: generous,
    VIDIMUS_RATE_IP: generous,
    VIDIMUS_RATE_VERIFICATION: generous,
    VIDIMUS_RATE_ENROLL: generous,
    PORT: '0',
  }
}

interface Ways {
  readonly services: readonly Service[]
  readonly fetch: typeof globalThis.fetch
}

async function openMerchant(deps: Deps, ways: Ways, receiver: Receiver): Promise<Merchant> {
  const { id } = await createTenant(deps, { name: 'Soak', plan: 'enterprise', dailyQuota: null, actor: ACTOR })
  const key = await newKey(deps, ways, id)
  const realm = { tenantId: id, environment: 'test' } as const
  receiver.secrets.set(id, [(await showWebhookSecret(deps, { realm, actor: ACTOR })).secret])
  const till = createDeviceClient({
    baseUrl: ways.services[0]?.url ?? '',
    storage: memoryStorage(),
    fetch: ways.fetch,
  })
  const registered = await key.clients[0]?.devices.register({ name: 'Till', allowed_templates: ['age_over_18'] })
  await till.enroll(registered?.pairing_code ?? '')
  return { tenant: id, clients: key.clients, keyIds: [key.id], till }
}

interface NewKey {
  readonly id: string
  readonly clients: readonly Vidimus[]
}

async function newKey(deps: Deps, { services, fetch }: Ways, tenantId: string): Promise<NewKey> {
  const terms = { environment: 'test', name: 'soak', scopes: SCOPES, expiresInDays: null, actor: ACTOR } as const
  const tenant = await createKey(deps, { ...terms, tenantId })
  if (tenant === null) throw new Error('bug: no tenant')
  return {
    id: tenant.apiKey.id,
    clients: services.map(({ url }) => new Vidimus({ baseUrl: url, apiKey: tenant.key, fetch })),
  }
}

interface Sampled {
  readonly memory: readonly number[][]
  readonly connections: readonly number[]
}

interface Life {
  readonly stage: Stage
  readonly services: readonly Service[]
  readonly faults: Faults
  readonly endAt: number
  readonly atOnce: number
}

/** Runs concurrent flows, with rotations and samples, until the time is over. */
async function live(deps: Deps, { stage, services, faults, endAt, atOnce }: Life): Promise<Sampled> {
  const memory: number[][] = services.map(() => [])
  const connections: number[] = []
  const until = async (pause: number, work: () => Promise<void>) => {
    while (performance.now() < endAt) {
      await guarded(stage, work)
      await delay(Math.max(0, Math.min(pause, endAt - performance.now())))
    }
  }
  const over = AbortSignal.timeout(Math.max(0, Math.round(endAt - performance.now())))
  await Promise.all([
    ...Array.from({ length: atOnce }, () => until(0, () => runFlow(stage))),
    until(ROTATE_MS, () => rotate(deps, stage, { services, fetch: stage.fetch })),
    until(SAMPLE_MS, async () => {
      services.forEach((service, i) => void memory[i]?.push(service.memory()))
      connections.push(await connectionsOf(deps))
    }),
    faults.run(services, over),
  ])
  return { memory, connections }
}

async function guarded({ ledger, faults }: Stage, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    if (faults.isExcused()) {
      ledger.count('work cut off by a fault on purpose')
      ledger.note(what)
    } else ledger.problem(what)
    await delay(1_000)
  }
}

/** Creates a webhook secret and an API key, and revokes the oldest key. Recent keys stay valid, because flows in progress use them. */
async function rotate(deps: Deps, { merchants, receiver, ledger }: Stage, ways: Ways): Promise<void> {
  const merchant = pick(merchants)
  const tenantId = merchant.tenant
  const realm = { tenantId, environment: 'test' } as const
  if ((receiver.secrets.get(tenantId)?.length ?? 0) >= SIGNING_MAX) await endOld(deps, realm, receiver)
  const { secret } = await rotateSecret(deps, { realm, actor: ACTOR, endPrevious: false })
  receiver.secrets.set(tenantId, [secret, ...(receiver.secrets.get(tenantId) ?? [])])
  const { id, clients } = await newKey(deps, ways, tenantId)
  merchant.clients = clients
  merchant.keyIds.push(id)
  const old = merchant.keyIds.length > 3 ? merchant.keyIds.shift() : undefined
  if (old !== undefined) await revokeKey(deps, { tenantId, keyId: old, actor: ACTOR })
  ledger.note(`${tenantId}: key ${id} is new, ${old ?? 'none'} is revoked`)
  ledger.count('rotations of secret and key')
}

/** Ends old secrets before a rotation would be refused. Reads the newest first: an interrupted rotation may have created it without an answer. */
async function endOld(deps: Deps, realm: Realm, { secrets }: Receiver): Promise<void> {
  const { tenantId } = realm
  const { secret } = await showWebhookSecret(deps, { realm, actor: ACTOR })
  secrets.set(tenantId, [secret, ...(secrets.get(tenantId) ?? [])])
  await endOldSecrets(deps, { realm, actor: ACTOR })
  secrets.set(tenantId, [secret])
}

async function connectionsOf({ db }: Deps): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: 'soak_connections',
    text: `select count(*)::int as count from pg_stat_activity where backend_type = 'client backend'`,
  })
  return row?.count ?? Number.NaN
}

async function drain({ ledger, receiver }: Stage): Promise<void> {
  const end = performance.now() + DRAIN_MS
  while (listMissingWebhooks(ledger, receiver).length > 0 && performance.now() < end) await delay(500)
  for (const id of listMissingWebhooks(ledger, receiver)) ledger.problem(`the webhook of ${id} never came`)
}

function report(ledger: Ledger, { memory, connections }: Sampled): void {
  const samples = [...memory.map((values, i) => ({ name: `memory of process ${i + 1} (MiB)`, values, slack: 40 }))]
  const poolUse = { name: 'connections to the store', values: connections, most: CONNECTIONS_MAX }
  for (const [what, count] of Object.entries(ledger.counts).sort()) console.log(`${String(count).padStart(8)}  ${what}`)
  for (const { name, values } of [...samples, poolUse]) {
    console.log(`${median(values).toFixed(0).padStart(8)}  ${name}, median (last ${values.at(-1)?.toFixed(0)})`)
  }
  for (const problem of [...samples.map(describeGrowth), describeExcess(poolUse)])
    if (problem !== null) ledger.problem(problem)
  console.log(ledger.problems.length === 0 ? 'All assertions hold.' : `${ledger.problems.length} problems.`)
}

// Measures the CPU, WAL, commits and disk bytes of one verification, for docs/capacity.md.

import { generateKey, issue } from '@vidimus/wallet'
import type { Db } from '../../../service/src/platform/postgres/db.ts'
import { answerAll } from '../holder.ts'
import { readStoreMicros } from '../store-cpu.ts'
import { fire } from '../volley.ts'
import { type BenchWorld, formRequest, httpRequest, openBench, sandboxIssuerOf } from '../world.ts'

const FLOWS = 2_000
const WARM_UP = 400
const CONNECTIONS = 64
const QUERY = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['given_name'] }, { path: ['family_name'] }, { path: ['birthdate'] }],
    },
  ],
}
const BODY = JSON.stringify({ query: QUERY, purpose: 'Sale of wine', metadata: { order: '4711' } })

interface Footprint {
  /** CPU time of the serving thread per flow. */
  readonly serviceMs: number
  readonly storeMs: number
  readonly walBytes: number
  readonly commits: number
  /** Bytes of tables and indexes per kept verification. */
  readonly diskBytes: number
}

async function benchFootprint(flows = FLOWS): Promise<Footprint> {
  const world = await openBench(async () => undefined)
  try {
    const { db } = world.deps
    await flow(world, WARM_UP)
    await db.query({ name: 'bench_checkpoint', text: 'checkpoint' }).catch(() => [])
    const before = await counters(db)
    const storeBefore = readStoreMicros(world.store)
    const serviceMs = await flow(world, flows)
    const after = await counters(db)
    const each = (total: number) => total / flows
    return {
      serviceMs: each(serviceMs),
      storeMs: each((readStoreMicros(world.store) - storeBefore) / 1000),
      walBytes: each(after.wal - before.wal),
      commits: each(after.commits - before.commits),
      diskBytes: each(after.disk - before.disk),
    }
  } finally {
    await world.close()
  }
}

/** Runs flows. Returns the milliseconds of CPU that the serving thread used. Clients and wallets have threads of their own. */
async function flow(world: BenchWorld, flows: number): Promise<number> {
  const { servicePort: port, key, deps } = world
  let cpuMs = 0
  const send = async (requests: readonly string[]) => {
    const before = process.threadCpuUsage()
    const { bodies } = await fire({ port, connections: CONNECTIONS, requests })
    const { user, system } = process.threadCpuUsage(before)
    cpuMs += (user + system) / 1000
    return bodies
  }
  const now = Math.floor(deps.clock.now() / 1000)
  const holder = {
    now,
    credential: issue(await sandboxIssuerOf(deps), 'pid_sd_jwt', { holderKey: generateKey(), now }),
  }
  const headers = [`Authorization: Bearer ${key}`]
  const creations = Array.from({ length: flows }, () =>
    httpRequest('POST', '/v1/verifications', {
      headers: [...headers, `Idempotency-Key: ${crypto.randomUUID()}`],
      body: BODY,
    }),
  )
  const created = (await send(creations)).map((text) => JSON.parse(text) as { id: string; wallet_uri: string })
  const objects = await send(created.map(({ id }) => httpRequest('GET', `/wallet/request/${id}`, {})))
  const forms = await answerAll(
    holder,
    objects.map((object, i) => ({ object, walletUri: created[i]?.wallet_uri ?? '' })),
  )
  await send(forms.map((form, i) => formRequest(`/wallet/response/${created[i]?.id}`, form)))
  const read = await send(created.map(({ id }) => httpRequest('GET', `/v1/verifications/${id}`, { headers })))
  const completed = read.filter((text) => text.includes('"status":"completed"')).length
  if (completed !== flows) throw new Error(`only ${completed} of ${flows} were completed`)
  await deps.fetchNotes.flush()
  await deps.readNotes.flush()
  return cpuMs
}

async function counters(db: Pick<Db, 'query'>): Promise<{ wal: number; commits: number; disk: number }> {
  const [row] = await db.query<{ wal: number; commits: number; disk: number }>({
    name: 'bench_counters',
    text: `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal,
             (select xact_commit::float8 from pg_stat_database where datname = current_database()) as commits,
             (select sum(pg_total_relation_size(relid))::float8 from pg_stat_user_tables) as disk`,
  })
  if (row === undefined) throw new Error('no counters')
  return row
}

if (import.meta.main) {
  const { serviceMs, storeMs, walBytes, commits, diskBytes } = await benchFootprint(Number(process.argv[2] ?? FLOWS))
  console.log(
    `a flow: service ${serviceMs.toFixed(2)} ms, store ${storeMs.toFixed(2)} ms, WAL ${walBytes.toFixed(0)} bytes, ${commits.toFixed(3)} commits, disk ${diskBytes.toFixed(0)} bytes`,
  )
}

// Measures how throughput changes with processes, tenants and rows, on one machine.

import { fork, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fire } from './volley.ts'
import { type BenchWorld, httpRequest, newKey, openBench } from './world.ts'

export interface Point {
  readonly at: string
  readonly perSecond: number
  /** Throughput over that of the first point of the curve. */
  readonly ratio: number
}

export interface Curve {
  readonly name: string
  readonly points: readonly Point[]
}

const CONNECTIONS = 32
const CREATIONS = 1_500
const READS = 2_000
const ROUNDS = 2
const TENANT_ROUNDS = 5
const BODY = JSON.stringify({ template: 'age_over_18', purpose: 'Sale of wine' })

export async function benchScaling(): Promise<Curve[]> {
  const world = await openBench(async () => undefined)
  try {
    return [...(await overRows(world)), await overProcesses()]
  } finally {
    await world.close()
  }
}

/** Measures one curve by the number of tenants, in alternating rounds. Each tenant already has usage on this day. */
export async function benchTenants(): Promise<Curve[]> {
  const world = await openBench(async () => undefined)
  try {
    const keys: string[] = []
    for (let i = 0; i < 1_000; i += 1) keys.push(await newKey(world.deps))
    for (const key of keys) await create(world.servicePort, key)
    const bests = new Map<number, number>([1, 100, 1_000].map((count) => [count, 0]))
    for (let round = 0; round < TENANT_ROUNDS; round += 1) {
      for (const [count, before] of bests) {
        const requests = creations(keys.slice(0, count))
        bests.set(count, Math.max(before, await perSecond([world.servicePort], requests())))
      }
    }
    const points = [...bests].map(([count, perSecond]) => [`${count.toLocaleString('en')} tenants`, perSecond] as const)
    return [curve('creation, by tenants', points)]
  } finally {
    await world.close()
  }
}

async function overRows(world: BenchWorld): Promise<Curve[]> {
  const key = await newKey(world.deps)
  const created = await create(world.servicePort, key)
  const reads: [string, number][] = []
  const lists: [string, number][] = []
  const creates: [string, number][] = []
  const get = (path: string) => new Array<string>(READS).fill(httpRequest('GET', path, { headers: [bearer(key)] }))
  let rows = 0
  for (const wanted of [1_000, 10_000, 100_000, 1_000_000]) {
    await copyRows(world, { id: created.id, from: rows + 1, to: wanted })
    rows = wanted
    const middle = encodeURIComponent(new Date(Date.parse(created.created_at) - (wanted / 2) * 1000).toISOString())
    const at = `${wanted.toLocaleString('en')} rows`
    const requests = creations([key])
    reads.push([at, await best(() => perSecond([world.servicePort], get(`/v1/verifications/${created.id}`)))])
    lists.push([at, await best(() => perSecond([world.servicePort], get(`/v1/verifications?before=${middle}`)))])
    creates.push([at, await best(() => perSecond([world.servicePort], requests()))])
  }
  return [
    curve('read one, by rows of the tenant', reads),
    curve('page of 20 from the middle, by rows', lists),
    curve('creation, by rows', creates),
  ]
}

/** Starts several processes on one store, like replicas. */
async function overProcesses(): Promise<Curve> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidimus-bench-'))
  const env = {
    PATH: process.env.PATH,
    VIDIMUS_DATA_DIR: dataDir,
    VIDIMUS_LOG_LEVEL: 'error',
    VIDIMUS_RATE_KEY: '1000000/1000000',
    VIDIMUS_RATE_ADDRESS: '1000000/1000000',
    VIDIMUS_RATE_IP: '1000000/1000000',
    PORT: '0',
  }
  const started: Started[] = []
  try {
    // The first start of a store prints the key of its demo tenant, whose quota is the plan's.
    started.push(await startService(env))
    const key = await roomyKey(env)
    const requests = creations([key])
    const alone = await best(() => perSecond([started[0]?.port ?? 0], requests()))
    started.push(await startService(env))
    const both = await best(() =>
      perSecond(
        started.map(({ port }) => port),
        requests(),
      ),
    )
    return curve('creation, by processes', [
      ['1 process', alone],
      ['2 processes', both],
    ])
  } finally {
    for (const { stop } of started.reverse()) await stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

export interface Started {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

const MAIN = new URL('../../service/src/main.ts', import.meta.url)

export async function startService(env: NodeJS.ProcessEnv): Promise<Started> {
  const child = fork(MAIN, ['serve'], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  let printed = ''
  child.stdout?.setEncoding('utf8')
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service exited with ${code}`)))
    child.stdout?.on('data', (chunk: string) => {
      printed += chunk
      const [, found] = /running at http:\/\/localhost:(\d+)/.exec(printed) ?? []
      if (found !== undefined) resolve(Number(found))
    })
  })
  return {
    port,
    pid: child.pid ?? 0,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}

export async function roomyKey(env: NodeJS.ProcessEnv): Promise<string> {
  const plan = ['--plan', 'enterprise', '--daily-quota', '100000000']
  const { id } = await command(env, ['tenant', 'create', '--name', 'Bench', ...plan])
  return (await command(env, ['key', 'create', '--tenant', id ?? ''])).key ?? ''
}

async function command(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<Record<string, string | undefined>> {
  const child = spawn(process.execPath, [MAIN.pathname, ...args, '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) printed += chunk
  return JSON.parse(printed)
}

/** Builds new requests at each call, because an idempotency key counts only once. */
function creations(keys: readonly string[]): () => string[] {
  return () =>
    Array.from({ length: CREATIONS }, (_, i) => {
      const headers = [bearer(keys[i % keys.length] ?? ''), `Idempotency-Key: ${crypto.randomUUID()}`]
      return httpRequest('POST', '/v1/verifications', { headers, body: BODY })
    })
}

async function perSecond(ports: readonly number[], requests: readonly string[]): Promise<number> {
  const share = Math.ceil(requests.length / ports.length)
  const volleys = ports.map((port, i) =>
    fire({ port, connections: CONNECTIONS / ports.length, requests: requests.slice(i * share, (i + 1) * share) }),
  )
  const took = (await Promise.all(volleys)).map(({ milliseconds }) => milliseconds)
  return (requests.length / Math.max(...took)) * 1000
}

/** Returns the best of some rounds, because other load only ever slows them. */
async function best(measure: () => Promise<number>): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure())
  return Math.max(...rounds)
}

function curve(name: string, points: readonly (readonly [at: string, perSecond: number])[]): Curve {
  const first = points[0]?.[1] ?? Number.NaN
  return { name, points: points.map(([at, perSecond]) => ({ at, perSecond, ratio: perSecond / first })) }
}

async function create(port: number, key: string): Promise<{ id: string; created_at: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/verifications`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: BODY,
  })
  return (await response.json()) as { id: string; created_at: string }
}

/** Inserts rows in steps that stay within the store's time limit for a statement. */
const STEP_ROWS = 25_000

/** Inserts copies of one verification, each a second older than the last. */
async function copyRows(
  { deps }: BenchWorld,
  { id, from, to }: { id: string; from: number; to: number },
): Promise<void> {
  const columns = `tenant_id, environment, expires_at, template, purpose, actor_type, actor_id, nonce, state, client_id,
    response_mode`
  const copy = {
    name: 'bench_copies',
    text: `insert into verifications (id, created_at, metadata, ${columns})
           select 'ver_' || lpad(n::text, 32, '0'), created_at - n * interval '1 second', '{"order":"4711"}', ${columns}
           from verifications, generate_series($2::int, $3::int) n where id = $1`,
  }
  for (let first = from; first <= to; first += STEP_ROWS) {
    await deps.db.query(copy, [id, first, Math.min(to, first + STEP_ROWS - 1)])
  }
  await deps.db.query({ name: 'bench_analyze', text: 'analyze verifications' })
}

const bearer = (key: string) => `Authorization: Bearer ${key}`

if (import.meta.main) {
  for (const { name, points } of await benchScaling()) {
    console.log(name)
    for (const { at, perSecond, ratio } of points)
      console.log(`  ${at.padEnd(16)} ${perSecond.toFixed(0).padStart(7)}/s  ${ratio.toFixed(2)}`)
  }
}

// Measures reads by 32 callers, next to one prepared SELECT in the same framework and store.

import { sealPlainSensitiveFields } from '../../service/src/core/verifications/usecases/forgetting/seal-plain-sensitive-fields.ts'
import type { Deps } from '../../service/src/deps.ts'
import { compare, describe, type Ratio } from './ratio.ts'
import { type BenchWorld, httpRequest, openBench } from './world.ts'

/** Enough rows that a list would be noticeably slower if it counted or skipped rows. */
const ROWS = 100_000

export const NEWEST_PAGE = 'newest page of 20'

export async function benchReading(): Promise<Ratio[]> {
  const world = await openBench(async (floor, { db }) => {
    await db.query({ name: 'bench_table', text: 'create table bench_floor (id text primary key, body json not null)' })
    await db.query({
      name: 'bench_fill',
      text: `insert into bench_floor select n::text, json_build_object('id', n, 'status', 'pending', 'text', repeat('x', 500))
             from generate_series(1, ${ROWS}) n`,
    })
    const select = { name: 'bench_select', text: 'select id, body from bench_floor where id = $1' }
    floor.get('/', async () => (await db.query<{ body: object }>(select, ['4711']))[0]?.body)
  })
  try {
    return await measure(world)
  } finally {
    await world.close()
  }
}

async function measure(world: BenchWorld): Promise<Ratio[]> {
  const id = await createOne(world)
  const newest = await fill(world.deps)
  const common = { connections: 32, milliseconds: 2_000, expectedStatus: 200 }
  const floor = { ...common, port: world.floorPort, request: httpRequest('GET', '/', {}) }
  const headers = [`Authorization: Bearer ${world.key}`]
  const ours = (...paths: string[]) => ({
    ...common,
    port: world.servicePort,
    request: paths.map((path) => httpRequest('GET', path, { headers })),
  })
  return [
    await compare('read one', { floor, ours: ours(`/v1/verifications/${id}`) }),
    await compare('public poll', { floor, ours: ours(`/v1/verifications/${id}/status`) }),
    await compare(NEWEST_PAGE, { floor, ours: ours(...pagesBefore(END_OF_YEAR_3000, 1)) }),
    await compare(`page of 20, anywhere in ${ROWS} rows`, { floor, ours: ours(...pagesBefore(newest, -PAGE_MS)) }),
  ]
}

/** Rows are a second apart. */
const PAGE_MS = 20_000
const END_OF_YEAR_3000 = '3000-12-31T00:00:00Z'

/** Addresses of different pages, so that no two requests share a result. */
function pagesBefore(instant: string, stepMs: number): string[] {
  const from = Date.parse(instant)
  return Array.from(
    { length: ROWS / 20 },
    (_, page) => `/v1/verifications?before=${new Date(from + page * stepMs).toISOString()}`,
  )
}

async function createOne(world: BenchWorld): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${world.servicePort}/v1/verifications`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ template: 'age_over_18', purpose: 'Sale of wine', metadata: { order: '4711' } }),
  })
  return ((await response.json()) as { id: string }).id
}

/** Inserts copies of the verification, each a second older than the last. Returns the time of the newest. */
async function fill(deps: Pick<Deps, 'db'>): Promise<string> {
  const { db } = deps
  const columns = `tenant_id, environment, expires_at, template, purpose, actor_type, actor_id, nonce, state, client_id,
    response_mode`
  await db.query({
    name: 'bench_copies',
    text: `insert into verifications (id, created_at, metadata, ${columns})
           select 'ver_' || lpad(n::text, 32, '0'), created_at - n * interval '1 second', '{"order":"4711"}', ${columns}
           from verifications, generate_series(1, ${ROWS}) n`,
  })
  await sealPlainSensitiveFields(deps)
  await db.query({ name: 'bench_analyze', text: 'analyze verifications' })
  const [row] = await db.query<{ at: string }>({
    name: 'bench_newest',
    text: 'select max(created_at) as at from verifications',
  })
  if (row === undefined) throw new Error('nothing was filled in')
  return row.at
}

if (import.meta.main) for (const ratio of await benchReading()) console.log(describe(ratio))

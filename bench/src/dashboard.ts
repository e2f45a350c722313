// Measures list pages of the dashboard over a million verifications. The limit is 100 ms, with any filter.

import { listTenants } from '../../service/src/core/tenants/usecases/manage-tenants.ts'
import { replacePlainSensitiveFields } from '../../service/src/core/verifications/store/sensitive-fields.ts'
import type { Deps } from '../../service/src/deps.ts'
import { invite } from '../../service/src/features/staff/usecases/manage-team.ts'
import { type BenchWorld, openBench } from './world.ts'

const ROWS = 1_000_000
/** The rows of one statement, few enough for the store's time limit. */
const CHUNK = 25_000
const ROUNDS = 15
const REFERENCES = 1_000
const LIMIT_MS = 100

interface PageTime {
  readonly page: string
  readonly medianMs: number
  readonly worstMs: number
}

async function benchDashboard(rows = ROWS): Promise<PageTime[]> {
  const world = await openBench(async () => undefined)
  try {
    const [tenant] = await listTenants(world.deps)
    if (tenant === undefined) throw new Error('no tenant')
    await fill(world.deps, tenant.id, rows)
    await fillReferences(world.deps, tenant.id, rows)
    const cookie = await signIn(world, tenant.id)
    const times: PageTime[] = []
    for (const page of PAGES) times.push(await time(world, { page, tenantId: tenant.id, cookie }))
    return times
  } finally {
    await world.close()
  }
}

/** Filters with few and with no matches: one verification in a thousand failed, and none asks for a portrait. */
const PAGES = [
  '/overview',
  '/figures?span=day',
  '/figures?span=month',
  '/verifications',
  '/verifications?status=failed',
  '/verifications?status=expired',
  '/verifications?template=portrait',
  '/verifications?reason=credential_expired',
  '/verifications?channel=dc_api',
  '/verifications?actor=nobody',
  '/verifications?status=completed&template=age_over_18&reason=credential_expired&channel=qr&actor=key_bench&text=nothing',
  '/verifications?text=nothing',
  '/verifications?status=completed&before=2020-01-01T00:00:00Z',
  '/deliveries',
  '/deliveries?before=2020-01-01T00:00:00Z',
  '/audit',
  '/audit?before=500000',
  '/keys',
  '/devices',
  '/team',
  '/usage',
  '/usage/alerts',
]

async function time(world: BenchWorld, request: { page: string; tenantId: string; cookie: string }): Promise<PageTime> {
  const url = `http://127.0.0.1:${world.servicePort}/dashboard/api/tenants/${request.tenantId}/test${request.page}`
  const taken: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now()
    const answer = await fetch(url, { headers: { cookie: request.cookie } })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${request.page}: ${answer.status} ${text}`)
    taken.push(performance.now() - began)
  }
  taken.sort((a, b) => a - b)
  return {
    page: request.page,
    medianMs: taken[Math.floor(ROUNDS / 2)] ?? Number.NaN,
    worstMs: taken.at(-1) ?? Number.NaN,
  }
}

async function signIn(world: BenchWorld, tenantId: string): Promise<string> {
  const actor = { type: 'system', id: 'bench' } as const
  const invitation = await invite(world.deps, {
    tenantId,
    email: 'bench@example.com',
    role: 'owner',
    actor,
    byOperator: true,
  })
  const answer = await fetch(`http://127.0.0.1:${world.servicePort}/dashboard/api/links/use`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'vidimus-dashboard': '1', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token: invitation?.url.split('#')[1] }),
  })
  const [cookie] = (answer.headers.get('set-cookie') ?? '').split(';')
  if (answer.status !== 200 || cookie === undefined) throw new Error(`no sign-in: ${answer.status}`)
  return cookie
}

/** Fills the store with verifications from the year 2000 on, ten minutes apart. Every tenth has a delivery. */
async function fill({ db }: Pick<Deps, 'db'>, tenantId: string, rows: number): Promise<void> {
  const at = `timestamptz '2000-01-01' + n * interval '10 minutes'`
  const status = `case when n % 1000 = 0 then 'failed' when n % 3 = 0 then 'completed' else 'pending' end`
  const id = `'ver_' || lpad(n::text, 32, '0')`
  const texts = [
    `insert into verifications (id, tenant_id, environment, created_at, expires_at, status, template, actor_type, actor_id,
       nonce, state, client_id, response_mode, responded_at)
     select ${id}, $1, 'test', ${at}, ${at} + interval '5 minutes', ${status}, 'age_over_18', 'api_key', 'key_bench', 'n', 's', 'c',
       'direct_post.jwt', case when ${status} = 'pending' then null else ${at} end from generate_series($2::int, $3::int) n`,
    `insert into verification_results (verification_id, tenant_id, environment, sealed, error_code)
     select ${id}, $1, 'test', '\\x00', case when n % 1000 = 0 then 'wallet_declined' end
     from generate_series($2::int, $3::int) n where n % 3 = 0 or n % 1000 = 0`,
    `insert into webhook_deliveries (id, tenant_id, environment, verification_id, state, created_at, next_at)
     select 'dlv_' || n, $1, 'test', ${id}, 'delivered', ${at}, ${at} from generate_series($2::int, $3::int) n where n % 10 = 0`,
    `insert into audit_entries (tenant_id, environment, seq, object_id, bytes, hash)
     select $1, 'test', 1000 + n, ${id}, convert_to('{"at":"2000-01-01T00:00:00.000000Z","action":"verification.created","actor":{"type":"api_key","id":"key_bench"},"object":{"type":"verification","id":"' || ${id} || '"}}', 'UTF8'), '\\x00'
     from generate_series($2::int, $3::int) n`,
  ]
  for (let from = 1; from <= rows; from += CHUNK) {
    for (const [index, text] of texts.entries()) {
      await db.query({ name: `bench_fill_${index}`, text }, [tenantId, from, Math.min(rows, from + CHUNK - 1)])
    }
  }
  await fillCounts({ db }, tenantId)
  for (const table of [
    'verification_counts',
    'verifications',
    'verification_results',
    'webhook_deliveries',
    'audit_entries',
  ]) {
    await db.transaction(async (tx) => {
      // A tenth of the usual sample stays within the store's time limit on a busy machine, too.
      await tx.query({ name: 'bench_sample', text: 'set local default_statistics_target = 10' })
      await tx.query({ name: `bench_analyze_${table}`, text: `analyze ${table}` })
    })
  }
}

/** Gives each of the newest verifications a reference, because a page decrypts references one by one. */
async function fillReferences(deps: Pick<Deps, 'db'>, tenantId: string, rows: number): Promise<void> {
  const nothing = { redirectUrl: null, webhookUrl: null, origin: null, universal: null }
  const realm = { tenantId, environment: 'test' } as const
  const sensitiveFields = Array.from({ length: Math.min(rows, REFERENCES) }, (_, index) => {
    const id = `ver_${String(rows - index).padStart(32, '0')}`
    const metadata = { reference: `Order ${rows - index}` }
    return { ...realm, id, ...nothing, metadata }
  })
  await deps.db.transaction((tx) => replacePlainSensitiveFields(tx, sensitiveFields))
}

/** Fills in the counts of all hours and days that are kept, for a shop with fifty tills and ten templates. */
async function fillCounts({ db }: Pick<Deps, 'db'>, tenantId: string): Promise<void> {
  const kinds = [
    ['all', 1],
    ['template', 10],
    ['reason', 8],
    ['channel', 4],
    ['device', 50],
    ['key', 5],
    ['wait', 20],
  ] as const
  const names = `case when $2 = 'device' then lpad(n::text, 32, '0')::uuid::text else n::text end`
  for (const [step, steps] of [
    ['hour', 96],
    ['day', 400],
  ] as const) {
    for (const [kind, many] of kinds) {
      const start = `date_trunc('${step}', now() at time zone 'UTC') at time zone 'UTC' - s * interval '1 ${step}'`
      const text = `insert into verification_counts (tenant_id, environment, step, kind, start, name, outcome, count)
        select $1, 'test', '${step}', $2, ${start}, ${names}, outcome, 1 + s % 7
        from generate_series(0, ${steps - 1}) s, generate_series(1, $3::int) n, unnest(array['completed', 'failed', 'expired']) outcome`
      await db.query({ name: `bench_fill_counts_${step}`, text }, [tenantId, kind, many])
    }
  }
}

if (import.meta.main) {
  const times = await benchDashboard()
  for (const { page, medianMs, worstMs } of times) {
    console.log(
      `${page.padEnd(64)} median ${medianMs.toFixed(1).padStart(6)} ms, worst ${worstMs.toFixed(1).padStart(6)} ms`,
    )
  }
  process.exitCode = times.some(({ medianMs }) => medianMs > LIMIT_MS) ? 1 : 0
}

// Measures what it costs the store to drop a day of many verifications, and how much of it is left on the disk.

import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import type { Deps } from '../../../service/src/deps.ts'
import { applyRetention } from '../../../service/src/features/retention/usecases/apply-retention.ts'
import { makeDays } from '../../../service/src/features/retention/usecases/make-days.ts'
import { buildApp } from '../../../service/src/http-server.ts'
import { DAY_MS, dayAt } from '../../../service/src/platform/postgres/days.ts'
import { SUPERUSER } from '../../../service/src/platform/postgres/embedded/cluster-files.ts'
import { readStoreMicros } from '../store-cpu.ts'
import { fire } from '../volley.ts'
import { formRequest, httpRequest, openBench } from '../world.ts'

const ROWS = 1_000_000
const RETENTION_DAYS = 30
/** Rows that one statement copies. */
const EACH = 20_000

export interface Lapse {
  readonly rows: number
  /** PostgreSQL's CPU time for the whole run of the retention job. */
  readonly storeMs: number
  readonly seconds: number
  /** Bytes of tables and indexes when they are full. */
  readonly bytesFull: number
  /** Bytes more than before the rows were written. */
  readonly bytesLeft: number
}

export async function benchLapse(rows = ROWS, options: { readonly webhooks?: boolean } = {}): Promise<Lapse> {
  const world = await openBench(async () => undefined)
  let passedMs = 0
  const deps: Deps = { ...world.deps, clock: { now: () => world.deps.clock.now() + passedMs } }
  const app = buildApp(deps)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  try {
    await makeDays(deps)
    const before = await sizeOf(deps)
    await endOne(deps, { port, key: world.key })
    await copyRows(deps, rows - 1)
    if (options.webhooks === true) await addDeliveries(deps)
    const full = await sizeOf(deps)
    // Expiring the verifications and writing them to disk happens before the day is dropped, so it must not be measured.
    passedMs = 2 * 3_600_000
    await applyRetention(deps)
    await writeAll(world.store)
    passedMs = (RETENTION_DAYS + 2) * DAY_MS
    const [micros, began] = [readStoreMicros(world.store), performance.now()]
    const { verifications } = await applyRetention(deps)
    const seconds = (performance.now() - began) / 1000
    const storeMs = (readStoreMicros(world.store) - micros) / 1000
    if (verifications !== rows) throw new Error(`${verifications} of ${rows} lapsed`)
    return { rows, storeMs, seconds, bytesFull: full - before, bytesLeft: (await sizeOf(deps)) - before }
  } finally {
    await app.close()
    await world.close()
  }
}

/** Requests a checkpoint, which only the superuser may do. */
async function writeAll(store: number): Promise<void> {
  const [, , , port, host] = readFileSync(`/proc/${store}/cwd/postmaster.pid`, 'utf8').split('\n')
  const client = new pg.Client({ host, port: Number(port), user: SUPERUSER, database: 'postgres' })
  await client.connect()
  await client.query('checkpoint')
  await client.end()
}

async function endOne({ db }: Deps, { port, key }: { readonly port: number; readonly key: string }): Promise<void> {
  const body = JSON.stringify({ template: 'age_over_18', purpose: 'Sale of wine', metadata: { order: '4711' } })
  const creation = httpRequest('POST', '/v1/verifications', { headers: [`Authorization: Bearer ${key}`], body })
  await fire({ port, connections: 1, requests: [creation] })
  const [pending] = await db.query<{ id: string; state: string }>({
    name: 'bench_made',
    text: 'select id, state from verifications',
  })
  if (pending === undefined) throw new Error('nothing was created')
  const answer = formRequest(`/wallet/response/${pending.id}`, `error=access_denied&state=${pending.state}`)
  await fire({ port, connections: 1, requests: [answer] })
}

/** Copies the one verification, its result and the details of its creation under other ids. Vacuums as autovacuum would. */
async function copyRows({ db, clock }: Deps, count: number): Promise<void> {
  const day = dayAt(clock.now())
  const id = (n: string) => `'ver_' || lpad(to_hex(${n}), 32, 'x')`
  const changes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    verifications: { id: id('n'), created_at: `t.created_at + n * interval '1 us'` },
    verification_results: { verification_id: id('n') },
    audit_details: { seq: '1000 + n', object_id: id('n') },
  }
  for (const [table, changed] of Object.entries(changes)) {
    const columns = await db.query<{ name: string }>(
      {
        name: 'bench_columns',
        text: `select attname::text as name from pg_attribute where attrelid = $1::text::regclass and attnum > 0 and not attisdropped`,
      },
      [`${table}_${day}`],
    )
    const names = columns.map(({ name }) => name)
    const values = names.map((name) => changed[name] ?? `t.${name}`)
    for (let from = 1; from <= count; from += EACH) {
      await db.query(
        {
          name: `bench_copy_${table}`,
          text: `insert into ${table}_${day} (${names.join()}) select ${values.join()}
                 from (select * from ${table}_${day} order by ctid limit 1) t, generate_series($1::int, $2::int) n`,
        },
        [from, Math.min(from + EACH - 1, count)],
      )
      await db.query({ name: `bench_vacuum_${table}`, text: `vacuum ${table}_${day}` })
    }
    await db.query({ name: `bench_analyze_${table}`, text: `analyze ${table}_${day}` })
  }
}

/** Adds a delivered webhook for each verification. Deliveries are deleted, not dropped with the day. */
async function addDeliveries({ db, clock }: Deps): Promise<void> {
  let after: string | null = '-infinity'
  while (after !== null) {
    const [row]: { last: string | null }[] = await db.query(
      {
        name: 'bench_deliveries',
        text: `with inserted as (
                 insert into webhook_deliveries (id, tenant_id, environment, verification_id, type, state, attempts, created_at, next_at)
                 select 'dlv_' || substr(v.id, 13), v.tenant_id, v.environment, v.id, 'verification.failed', 'delivered', 1, v.created_at, v.created_at
                 from verifications_${dayAt(clock.now())} v
                 where v.created_at > $2 order by v.created_at limit $1 returning *
               ), tried as (
                 insert into webhook_attempts (delivery_id, tenant_id, environment, trigger, started_at, finished_at, outcome, http_status, took_ms)
                 select id, tenant_id, environment, 'schedule', created_at, created_at, 'delivered', 200, 10 from inserted)
               select max(created_at) as last from inserted`,
      },
      [EACH, after],
    )
    after = row?.last ?? null
  }
  for (const table of ['webhook_deliveries', 'webhook_attempts'])
    await db.query({ name: `bench_analyze_${table}`, text: `vacuum (analyze) ${table}` })
}

async function sizeOf({ db }: Deps): Promise<number> {
  const [row] = await db.query<{ bytes: number }>({
    name: 'bench_size',
    text: `select sum(pg_total_relation_size(relid))::float8 as bytes from pg_stat_user_tables where relname !~ '^(audit_entries|audit_heads|log_|receipts)'`,
  })
  return row?.bytes ?? Number.NaN
}

if (import.meta.main) {
  const webhooks = process.argv.includes('--webhooks')
  const { rows, storeMs, seconds, bytesFull, bytesLeft } = await benchLapse(Number(process.argv[2] ?? ROWS), {
    webhooks,
  })
  const show = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`
  console.log(
    `${rows} verifications of a day dropped: ${storeMs.toFixed(0)} ms of the store's CPU, ${seconds.toFixed(1)} s; ${show(bytesFull)} before, ${show(bytesLeft)} after`,
  )
}

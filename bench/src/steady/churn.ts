// Simulates two months of equal days. Once retention erases data, tables must not grow. Vacuums daily, by autovacuum's rule.

import type { AddressInfo } from 'node:net'
import type { Deps } from '../../../service/src/deps.ts'
import { countEndings } from '../../../service/src/features/figures/usecases/count-endings.ts'
import { applyRetention } from '../../../service/src/features/retention/usecases/apply-retention.ts'
import { makeDays } from '../../../service/src/features/retention/usecases/make-days.ts'
import { maintainLog } from '../../../service/src/features/transparency/usecases/maintain-log.ts'
import { buildApp } from '../../../service/src/http-server.ts'
import { fire } from '../volley.ts'
import { formRequest, httpRequest, openBench } from '../world.ts'

const DAYS = 60
const RETENTION_DAYS = 30
const PER_DAY = 400
const DAY_MS = 86_400_000
const CONNECTIONS = 32

/** Tables that retention never erases: the audit trail, receipts and the log. They have no data of the holder. */
const KEPT = /^(audit_(?!details)|log_|receipts$)/

export interface Sizes {
  readonly day: number
  /** Data that retention covers, in bytes. */
  readonly tables: number
  readonly indexes: number
  /** Data that stays, in bytes. */
  readonly kept: number
}

export interface Churn {
  readonly days: number
  readonly perDay: number
  /** The sizes on the day that retention began to erase, and each week after. */
  readonly weeks: readonly Sizes[]
  readonly deadShare: number
  /** Verifications that one worker erases per second. */
  readonly erasedPerSecond: number
}

export async function benchChurn(days = DAYS, perDay = PER_DAY): Promise<Churn> {
  const world = await openBench(async () => undefined)
  let passedMs = 0
  const clock = { now: () => world.deps.clock.now() + passedMs }
  const deps: Deps = { ...world.deps, clock }
  const app = buildApp(deps)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  try {
    const weeks: Sizes[] = []
    let erased = 0
    let erasingMs = 0
    for (let day = 1; day <= days; day += 1) {
      await makeDays(deps)
      await liveOneDay(deps, { port, key: world.key, perDay })
      passedMs += DAY_MS
      await countEndings(deps)
      await maintainLog(deps)
      const began = performance.now()
      erased += (await applyRetention(deps)).verifications
      erasingMs += performance.now() - began
      await vacuumAsAutovacuum(deps)
      if (day > RETENTION_DAYS && (day - RETENTION_DAYS - 1) % 7 === 0) weeks.push({ day, ...(await sizes(deps)) })
    }
    return { days, perDay, weeks, deadShare: await deadShare(deps), erasedPerSecond: (erased / erasingMs) * 1000 }
  } finally {
    await app.close()
    await world.close()
  }
}

async function liveOneDay(
  { db }: Deps,
  { port, key, perDay }: { readonly port: number; readonly key: string; readonly perDay: number },
): Promise<void> {
  const body = JSON.stringify({ template: 'age_over_18', purpose: 'Sale of wine', metadata: { order: '4711' } })
  const creations = Array.from({ length: perDay }, () =>
    httpRequest('POST', '/v1/verifications', {
      headers: [`Authorization: Bearer ${key}`, `Idempotency-Key: ${crypto.randomUUID()}`],
      body,
    }),
  )
  const { bodies } = await fire({ port, connections: CONNECTIONS, requests: creations })
  const ids = bodies.map((text) => (JSON.parse(text) as { id: string }).id)
  const states = await db.query<{ id: string; state: string }>(
    { name: 'bench_states', text: 'select id, state from verifications where id = any ($1::text[])' },
    [ids],
  )
  const answers = states.map(({ id, state }) =>
    formRequest(`/wallet/response/${id}`, `error=access_denied&state=${state}`),
  )
  await fire({ port, connections: CONNECTIONS, requests: answers })
}

/** Vacuums tables with more dead rows than 50 plus a fifth of the live rows, as PostgreSQL does by default. */
async function vacuumAsAutovacuum({ db }: Deps): Promise<void> {
  const due = await db.query<{ name: string }>({
    name: 'bench_due',
    text: `select relname as name from pg_stat_user_tables where n_dead_tup > 50 + 0.2 * n_live_tup`,
  })
  for (const { name } of due) {
    await db.query({ name: `bench_vacuum_${name}`, text: `vacuum (analyze) "${name}"` })
  }
}

async function sizes({ db }: Deps): Promise<Omit<Sizes, 'day'>> {
  const rows = await db.query<{ name: string; tables: number; indexes: number }>({
    name: 'bench_sizes',
    text: `select relname as name, pg_table_size(relid) as tables, pg_indexes_size(relid) as indexes from pg_stat_user_tables`,
  })
  const covered = rows.filter(({ name }) => !KEPT.test(name))
  const sum = (of: readonly { tables: number; indexes: number }[], kind: 'tables' | 'indexes') =>
    of.reduce((total, row) => total + row[kind], 0)
  const stays = rows.filter(({ name }) => KEPT.test(name))
  return {
    tables: sum(covered, 'tables'),
    indexes: sum(covered, 'indexes'),
    kept: sum(stays, 'tables') + sum(stays, 'indexes'),
  }
}

async function deadShare({ db }: Deps): Promise<number> {
  const [row] = await db.query<{ share: number | null }>({
    name: 'bench_dead',
    text: `select (sum(n_dead_tup) / nullif(sum(n_dead_tup + n_live_tup), 0))::float8 as share from pg_stat_user_tables`,
  })
  return row?.share ?? 0
}

if (import.meta.main) {
  const { weeks, deadShare, perDay, erasedPerSecond } = await benchChurn(
    Number(process.argv[2] ?? DAYS),
    Number(process.argv[3] ?? PER_DAY),
  )
  const show = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`
  for (const { day, tables, indexes, kept } of weeks) {
    console.log(
      `day ${day}: tables ${show(tables)}, indexes ${show(indexes)}; what stays ${show(kept)} (${perDay} a day)`,
    )
  }
  console.log(`dead ${(deadShare * 100).toFixed(1)} %, ${erasedPerSecond.toFixed(0)} erased a second`)
}

// Tests that killed workers lose no webhook, and that nothing counts as delivered that was not received.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { WorkerOrder } from '../harness/children/delivery-child.ts'
import { repeats } from '../harness/repeats.ts'
import { giveResults } from '../harness/results-of-endings.ts'
import { testService } from '../harness/service.ts'
import { once, waitUntil } from '../harness/wait.ts'
import { startReceiver } from '../harness/webhooks.ts'

const CHILD = fileURLToPath(new URL('../harness/children/delivery-child.ts', import.meta.url))
const DELIVERIES = 600
const WORKERS = 4
const KILL_EVERY_MS = 150
/** Bounds the kills, because starting another worker takes more CPU than all deliveries. */
const KILLS_MAX = repeats(24, 300)
/** The maximum time for kills; retries hours later deliver the rest. */
const CHAOS_MS_MAX = 45_000
const NEXT_DAY_MS_MAX = 120_000
const DAY_MS = 24 * 3_600_000
/**
 * While workers are killed, time is thirty times faster: two retries become due, and the third only a minute later. On the
 * next day time is normal, so that no lease of a living worker expires, and nothing is refused. So at most three of six
 * attempts fail, one more ends unsent because too many workers died on it, and at least one is left that succeeds.
 */
const SPEED = 30
const REFUSALS_MAX = 2
const PATIENCE_MS = 300_000

const TITLE =
  'four workers, one of them killed every 150 ms, deliver 600 events at least once, although 15 % of answers are 500'

test(TITLE, { timeout: PATIENCE_MS }, async (t) => {
  const fleets: ReturnType<typeof createFleet>[] = []
  // The workers stop before the database is closed, because hooks run in order.
  t.after(() => Promise.all(fleets.map((fleet) => fleet.stop())))
  const service = await testService()
  const tenants = [await service.tenant(), await service.tenant(), await service.tenant()]
  const receiver = await startReceiver()
  const acknowledged = new Map<string, number>()
  const refused = new Map<string, number>()
  let isChaos = true
  receiver.answer = () => {
    const id = String(receiver.received.at(-1)?.headers['x-service-delivery'])
    const refusals = refused.get(id) ?? 0
    if (isChaos && refusals < REFUSALS_MAX && isRefused(id, refusals)) {
      refused.set(id, refusals + 1)
      return { status: 500 }
    }
    acknowledged.set(id, (acknowledged.get(id) ?? 0) + 1)
    return { status: 200 }
  }
  await enqueue(service.deps, { tenants, url: receiver.url, now: new Date(service.clock.now()).toISOString() })

  const order = { databaseUrl: service.url, nowMs: service.clock.now(), realMs: Date.now(), speed: SPEED }
  const fleet = createFleet(order)
  fleets.push(fleet)
  const began = performance.now()
  let kills = 0
  // bounded: by CHAOS_MS_MAX and KILLS_MAX.
  while ((await undelivered(service.deps)) > 0 && kills < KILLS_MAX && performance.now() - began < CHAOS_MS_MAX) {
    await delay(KILL_EVERY_MS)
    kills += await fleet.killOne()
  }
  await fleet.stop()
  isChaos = false

  const left = await undelivered(service.deps)
  const nowMs = order.nowMs + (Date.now() - order.realMs) * SPEED + DAY_MS
  const nextDay = createFleet({ ...order, nowMs, realMs: Date.now(), speed: 1 })
  fleets.push(nextDay)
  await nextDay.fill()
  const isDone = async () => (await undelivered(service.deps)) === 0
  await waitUntil(`the ${left} that are left are delivered on the next day`, isDone, NEXT_DAY_MS_MAX)
  await nextDay.stop()

  const rows = await service.deps.db.query<{ id: string; state: string }>({
    name: 'test_all_deliveries',
    text: 'select id, state from webhook_deliveries',
  })
  assert.equal(rows.length, DELIVERIES)
  for (const { id, state } of rows) {
    assert.equal(state, 'delivered')
    assert.ok(acknowledged.has(id), `${id} counts as delivered but was never received`)
  }
  const twice = [...acknowledged.values()].filter((count) => count > 1).length
  console.log(
    `${kills} kills, ${receiver.received.length} requests, ${twice} of ${DELIVERIES} received more than once, ${left} on the next day`,
  )
  assert.ok(kills > 0)
})

type Store = Pick<Awaited<ReturnType<typeof testService>>['deps'], 'db'>

/** Refuses fifteen of a hundred attempts, the same ones in each run. */
function isRefused(id: string, attempt: number): boolean {
  return createHash('sha256').update(`${id} ${attempt}`).digest().readUInt16BE() % 100 < 15
}

async function undelivered({ db }: Store): Promise<number> {
  const [row] = await db.query<{ left: number }>({
    name: 'test_undelivered',
    text: `select count(*) as left from webhook_deliveries where state <> 'delivered'`,
  })
  return row?.left ?? 0
}

async function enqueue({ db }: Store, order: { tenants: readonly string[]; url: string; now: string }): Promise<void> {
  await db.query(
    {
      name: 'test_enqueue_many',
      text: `with v as (
               insert into verifications (id, tenant_id, environment, created_at, expires_at, status, template, webhook_url, actor_type,
                 actor_id, nonce, state, client_id, response_mode, responded_at)
               select 'ver_' || lpad(n::text, 32, '0'), ($1::text[])[1 + n % cardinality($1::text[])], 'test', $3::timestamptz - n * interval '1 ms',
                 $3::timestamptz + interval '1 hour', 'failed', 'age_over_18', $2, 'api_key', 'key_test', 'n', 's', 'c', 'direct_post.jwt', $3
               from generate_series(1, ${DELIVERIES}) n returning id, tenant_id)
             insert into webhook_deliveries (id, tenant_id, environment, verification_id, created_at, next_at)
             select 'dlv_' || substr(id, 5), tenant_id, 'test', id, $3, $3 from v`,
    },
    [order.tenants, order.url, order.now],
  )
  await giveResults(db)
}

/** Keeps four workers busy, and a few started ones ready to replace killed ones. */
function createFleet(order: WorkerOrder) {
  const warm: Promise<ChildProcess>[] = []
  const working: ChildProcess[] = []
  let kills = 0
  const start = async (): Promise<ChildProcess> => {
    const child = fork(CHILD, [JSON.stringify(order)])
    const ended = once(child, 'exit').then(([code]) => assert.fail(`a worker ended with ${code} before it was ready`))
    await Promise.race([once(child, 'message'), ended])
    return child
  }
  const refill = () => {
    while (warm.length < 2) warm.push(start())
  }
  const employ = async () => {
    const child = await (warm.shift() ?? start())
    refill()
    working.push(child)
    child.send('go')
  }
  const fill = async () => {
    // bounded: each turn starts one.
    while (working.length < WORKERS) await employ()
  }
  refill()
  return {
    /** Kills one worker, and starts others until the number is right again. */
    async killOne(): Promise<number> {
      // Kills alternately the oldest worker, the newest, and one in between.
      const victim = working.length >= WORKERS ? working.splice((kills * 3) % WORKERS, 1)[0] : undefined
      kills += 1
      victim?.kill('SIGKILL')
      await fill()
      return victim === undefined ? 0 : 1
    },
    fill,
    async stop() {
      const all = [...working.splice(0), ...(await Promise.all(warm.splice(0)))]
      for (const child of all) child.kill('SIGKILL')
      await Promise.all(
        all.map((child) => (child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null)),
      )
    },
  }
}

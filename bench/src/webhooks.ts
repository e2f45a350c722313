// Measures one worker's deliveries per second, next to a bare loop of the same HTTP requests.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { createTenant } from '../../service/src/core/tenants/usecases/manage-tenants.ts'
import { sealPlainSensitiveFields } from '../../service/src/core/verifications/usecases/forgetting/seal-plain-sensitive-fields.ts'
import type { Deps } from '../../service/src/deps.ts'
import { startDeliveries } from '../../service/src/features/webhooks/jobs/deliveries.ts'
import { webhookHeaders } from '../../service/src/features/webhooks/usecases/send-webhook.ts'
import { request } from '../../service/src/platform/egress/client.ts'
import { giveResults } from '../../service/test/harness/results-of-endings.ts'
import { openBench } from './world.ts'

const DELIVERIES = 4_000
const TENANTS = 4
const IN_FLIGHT = 64
const ROUNDS = 5

interface WebhookRatio {
  readonly floorPerSecond: number
  readonly perSecond: number
  /** The median of the rounds. */
  readonly ratio: number
}

export async function benchWebhooks(): Promise<WebhookRatio> {
  const receiver = new Worker(new URL(import.meta.url))
  const [port] = (await once(receiver, 'message')) as [number]
  const url = `http://127.0.0.1:${port}/hook`
  const world = await openBench(async () => undefined, { VIDIMUS_EGRESS_ALLOW: '127.0.0.1/32' })
  try {
    const tenants = await Promise.all(Array.from({ length: TENANTS }, () => tenant(world.deps)))
    // Warms up both, so that neither is compiled while it is measured.
    await bareLoop(world.deps, url, DELIVERIES)
    await worker(world.deps, { url, tenants, round: 0 })
    const rounds: WebhookRatio[] = []
    for (let round = 1; round <= ROUNDS; round += 1) {
      const floorPerSecond = await bareLoop(world.deps, url, DELIVERIES)
      const perSecond = await worker(world.deps, { url, tenants, round })
      rounds.push({ floorPerSecond, perSecond, ratio: perSecond / floorPerSecond })
    }
    const [median] = rounds.sort((a, b) => a.ratio - b.ratio).slice(Math.floor(ROUNDS / 2))
    if (median === undefined) throw new Error('no round was run')
    return median
  } finally {
    await world.close()
    await receiver.terminate()
  }
}

async function tenant(deps: Deps): Promise<string> {
  const actor = { type: 'system', id: 'bench' } as const
  return (await createTenant(deps, { name: 'Bench', plan: 'free', dailyQuota: null, actor })).id
}

async function bareLoop(deps: Deps, url: string, count: number): Promise<number> {
  const body = Buffer.alloc(700, 0x20)
  // The bytes that the worker would send, built only once.
  const receiptSalt = 'A'.repeat(43)
  const webhook = { deliveryId: `dlv_${'0'.repeat(32)}`, secrets: ['whsec_of_the_bench'], receiptSalt }
  const headers = webhookHeaders(deps, webhook, body)
  let left = count
  const began = performance.now()
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (left-- > 0) {
        const outcome = await request(deps.egress.test, { method: 'POST', url, headers, body, bodyBytesMax: 16_384 })
        if (outcome.outcome !== 'answered') throw new Error(outcome.outcome)
      }
    }),
  )
  return (count / (performance.now() - began)) * 1000
}

async function worker(deps: Deps, order: { url: string; tenants: readonly string[]; round: number }): Promise<number> {
  await enqueue(deps, order)
  const began = performance.now()
  const deliveries = await startDeliveries(deps)
  while ((await pending(deps)) > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  const took = performance.now() - began
  await deliveries.stop()
  return (DELIVERIES / took) * 1000
}

async function pending({ db }: Deps): Promise<number> {
  const text = `select count(*) as left from (select 1 from webhook_deliveries where state = 'pending' limit 1) p`
  const [row] = await db.query<{ left: number }>({ name: 'bench_pending', text })
  return row?.left ?? 0
}

async function enqueue(deps: Deps, order: { url: string; tenants: readonly string[]; round: number }): Promise<void> {
  await deps.db.query(
    {
      name: 'bench_enqueue',
      text: `with v as (
               insert into verifications (id, tenant_id, environment, created_at, expires_at, status, template, webhook_url, actor_type,
                 actor_id, nonce, state, client_id, response_mode, responded_at)
               select 'ver_' || lpad($3::text || lpad(n::text, 8, '0'), 32, '0'), ($1::text[])[1 + n % cardinality($1::text[])], 'test',
                 clock_timestamp() + n * interval '1 us', clock_timestamp(), 'failed', 'age_over_18', $2, 'api_key', 'key_bench', 'n', 's', 'c',
                 'direct_post.jwt', clock_timestamp()
               from generate_series(1, ${DELIVERIES}) n returning id, tenant_id)
             insert into webhook_deliveries (id, tenant_id, environment, verification_id, type, created_at, next_at)
             select 'dlv_' || substr(id, 5), tenant_id, 'test', id, 'verification.failed', clock_timestamp(), clock_timestamp() from v`,
    },
    [order.tenants, order.url, String(order.round + 1)],
  )
  await sealPlainSensitiveFields(deps)
  await giveResults(deps.db)
}

/** The receiver runs in its own thread, so that only the sender is measured. */
if (!isMainThread && parentPort !== null) {
  const server = createServer((incoming, response) => {
    incoming.resume()
    incoming.once('end', () => response.writeHead(204).end())
  })
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
} else if (import.meta.main) {
  const { floorPerSecond, perSecond, ratio } = await benchWebhooks()
  console.log(
    `webhooks: bare loop ${floorPerSecond.toFixed(0)}/s, worker ${perSecond.toFixed(0)}/s, ratio ${ratio.toFixed(2)}`,
  )
}

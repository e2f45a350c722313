// Webhooks in tests: a receiver on loopback, and verifications that end because a wallet declines.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import {
  type DeliveryNeeds,
  type LeaseBounds,
  type Leased,
  leaseDue,
  sendOne,
  writeDown,
} from '../../src/features/webhooks/usecases/deliver-webhooks.ts'
import type { Egress } from '../../src/platform/egress/client.ts'
import type { Tx } from '../../src/platform/postgres/db.ts'
import { giveResults } from './results-of-endings.ts'
import type { TestService } from './service.ts'
import { once, waitUntil } from './wait.ts'

/** Lets outbound requests of a test service reach loopback. */
export const LOOPBACK = { VIDIMUS_EGRESS_ALLOW: '127.0.0.1/32' }

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** The next answer; 200 by default. */
  answer: (count: number) => { status: number; headers?: Record<string, string>; body?: string }
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const receiver = { received, answer: (_count: number) => ({ status: 200 }) } as unknown as {
    -readonly [K in keyof Receiver]: Receiver[K]
  }
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    received.push({ headers: request.headers, body: Buffer.concat(chunks) })
    const { status, headers, body } = receiver.answer(received.length)
    response.writeHead(status, headers).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => void server.close())
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}

/** Creates a verification that a wallet then declines: it fails, and its webhook is due. */
export async function declined(
  service: TestService,
  input: { key: string; url: string; body?: object },
): Promise<string> {
  const created = await service.call('POST', '/v1/verifications', {
    key: input.key,
    body: { template: 'age_over_18', webhook_url: input.url, ...input.body },
  })
  await decline(service, created.json.id)
  return created.json.id
}

export async function decline(service: TestService, id: string): Promise<void> {
  const [row] = await service.deps.db.query<{ state: string }>(
    { name: 'test_state', text: 'select state from verifications where id = $1' },
    [id],
  )
  const answer = await service.call('POST', `/wallet/response/${id}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    raw: `error=access_denied&state=${row?.state}`,
  })
  if (answer.status !== 200) throw new Error(`the decline was not accepted: ${answer.text}`)
}

/** Terms of a lease that takes everything due, up to a hundred. */
export const ALL_DUE = { free: 100, freeForRunning: 100, shareOfOthers: 100, realms: new Map() }

export async function takeDue(deps: DeliveryNeeds, terms: LeaseBounds): Promise<readonly Leased[]> {
  return (await leaseDue(deps, terms)).leased
}

/** Sends leased deliveries and records the results. */
export async function complete(deps: DeliveryNeeds, leased: Leased | undefined): Promise<void> {
  if (leased === undefined) throw new Error('nothing was leased')
  await writeDown(deps, await sendOne(deps, leased))
}

/** Delivers everything that is due now, once. Returns how many deliveries were due. */
export async function deliverDue({ deps }: TestService): Promise<number> {
  const leased = await takeDue(deps, ALL_DUE)
  await Promise.all(leased.map((one) => complete(deps, one)))
  return leased.length
}

/** Delivers until nothing is due any more. */
export async function deliverAllDue(service: TestService): Promise<void> {
  await waitUntil('nothing is due', async () => (await deliverDue(service)) === 0)
}

/** Writes `many` ended verifications of a tenant, each with its webhook due. */
export async function enqueueMany(
  service: Pick<TestService, 'deps' | 'clock'>,
  order: { tenantId: string; url: string; many: number },
): Promise<void> {
  const { db } = service.deps
  await db.transaction(async (tx) => {
    await enqueueRows(tx, { ...order, now: new Date(service.clock.now()).toISOString() })
    await giveResults(tx)
  })
}

async function enqueueRows(tx: Tx, order: { tenantId: string; url: string; many: number; now: string }): Promise<void> {
  await tx.query(
    {
      name: 'test_enqueue_many',
      text: `with v as (
               insert into verifications (id, tenant_id, environment, created_at, expires_at, status, template, webhook_url, actor_type,
                 actor_id, nonce, state, client_id, response_mode, responded_at)
               select 'ver_' || md5($1::text || n), $1, 'test', $3::timestamptz - n * interval '1 ms',
                 $3::timestamptz + interval '1 hour', 'failed', 'age_over_18', $2, 'api_key', 'key_test', 'n', 's', 'c', 'direct_post.jwt', $3
               from generate_series(1, $4::integer) n returning id, tenant_id, created_at)
             insert into webhook_deliveries (id, tenant_id, environment, verification_id, type, created_at, next_at)
             select 'dlv_' || substr(id, 5), tenant_id, 'test', id, 'verification.failed', created_at, $3 from v`,
    },
    [order.tenantId, order.url, order.now, order.many],
  )
}

/**
 * Returns an egress whose timers the test controls: it sends on the event loop, because a timer cannot be passed to a
 * thread.
 */
export function timedEgress({ send: _, ...egress }: Egress, after: Egress['after']): Egress {
  return { ...egress, after }
}

/** Returns an egress in which nothing times out. */
export const patientEgress = (egress: Egress): Egress => timedEgress(egress, () => () => undefined)

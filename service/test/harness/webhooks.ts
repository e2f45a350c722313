// Webhooks in tests: a receiver on loopback, and verifications that end by a wallet's refusal.

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { openDeliveryDesk } from '../../src/usecases/webhooks/deliver-webhooks.ts'
import type { TestService } from './service.ts'

/** Lets outbound requests of a test service reach loopback. */
export const LOOPBACK = { VIDIMUS_EGRESS_ALLOW: '127.0.0.1/32' }

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** What to answer next; 200 unless said otherwise. */
  answer: (count: number) => { status: number; headers?: Record<string, string> }
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
    const { status, headers } = receiver.answer(received.length)
    response.writeHead(status, headers).end()
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
  const made = await service.call('POST', '/v1/verifications', {
    key: input.key,
    body: { template: 'age_over_18', webhook_url: input.url, ...input.body },
  })
  await decline(service, made.json.id)
  return made.json.id
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

/** Everything that is due now, delivered once; how many that were. */
export async function deliverDue(service: TestService): Promise<number> {
  const taken = await openDeliveryDesk(service.deps).lease(100, { perRealm: 100, atOnce: 100, running: new Map() })
  await Promise.all(taken.map(async ({ send }) => (await send())()))
  return taken.length
}

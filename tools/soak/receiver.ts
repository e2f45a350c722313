// Plays the merchants' webhook receivers: checks every signature, fails sometimes, and records what it acknowledged.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type SignatureHeader, verifyWebhook } from '../../sdk/typescript/src/index.ts'
import type { Ledger } from './ledger.ts'

export interface Receiver {
  readonly url: (tenant: string) => string
  /** The number of acknowledged deliveries of each verification. */
  readonly acknowledged: Map<string, number>
  /** Secrets that may sign for a tenant, the newest first. */
  readonly secrets: Map<string, string[]>
  close(): void
}

const FAILING = 0.2
const VANISHING = 0.05

export async function startReceiver(ledger: Ledger): Promise<Receiver> {
  const acknowledged = new Map<string, number>()
  const secrets = new Map<string, string[]>()
  const seen = new Set<string>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const delivery = String(request.headers['x-service-delivery'])
    const isFirst = !seen.has(delivery)
    seen.add(delivery)
    // Only a first attempt fails, because the third would come after the end of the soak test.
    const luck = isFirst ? Math.random() : 1
    if (luck < VANISHING) return void request.socket.destroy()
    if (luck < FAILING) return void response.writeHead(500).end()
    const tenant = (request.url ?? '').slice(1)
    const problem = await check(Buffer.concat(chunks), request.headers['x-service-signature'])
    if (problem !== null) ledger.problem(`a webhook of ${tenant}: ${problem}`)
    response.writeHead(204).end()

    async function check(body: Buffer, header: SignatureHeader): Promise<string | null> {
      try {
        const event = await verifyWebhook(body, header, secrets.get(tenant) ?? [])
        if (event.type === 'unknown') return `${event.name} is not a type of ours`
        const { verification } = event
        const entry = ledger.entries.get(verification.id)
        acknowledged.set(verification.id, (acknowledged.get(verification.id) ?? 0) + 1)
        if (entry === undefined) return `${verification.id} has no owner`
        if (entry.tenant !== tenant) return `${verification.id} belongs to ${entry.tenant}`
        return ['unknown', verification.status].includes(entry.expected)
          ? null
          : `${verification.id} is ${verification.status}`
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: (tenant) => `http://127.0.0.1:${port}/${tenant}`,
    acknowledged,
    secrets,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

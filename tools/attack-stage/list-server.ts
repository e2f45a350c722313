// Serves the attacker's lists from a separate process. Lists are signed beforehand, so that it only sends bytes.

import { fork } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cbor, head, Raw } from '../../engine/test/mdoc/mint-mdoc.ts'
import { mintCwt } from '../../engine/test/status/mint-status.ts'
import type { Minted } from '../../engine/test/trust/mint-certificate.ts'
import { lowerPriority } from './priority.ts'

/** A list with this many identifiers has two megabytes. */
const IDENTIFIERS = 240_000
const ID_BYTES = 6
const MEDIA = 'application/identifierlist+cwt'
const MINT_MS_MAX = 120_000

interface Plan {
  readonly der: string
  readonly privateKey: string
  readonly lists: number
}

type Report = { readonly base: string } | { readonly served: number }

interface ListServer {
  readonly base: string
  /** Called at each request with the number after the highest list that was requested so far. */
  onAsked(note: (firstUnused: number) => void): void
  served(): number
  close(): Promise<void>
}

/** Serves lists that `signer` signed. */
export async function startListServer(signer: Minted, lists: number): Promise<ListServer> {
  const child = fork(import.meta.filename, { execArgv: process.execArgv })
  const plan: Plan = {
    der: Buffer.from(signer.der).toString('base64'),
    privateKey: signer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    lists,
  }
  child.send(plan)
  const [ready] = (await once(child, 'message', { signal: AbortSignal.timeout(MINT_MS_MAX) })) as [Report]
  const base = 'base' in ready ? ready.base : ''
  const requested = new Set<number>()
  return {
    base,
    onAsked: (note) =>
      void child.on('message', (report: Report) => {
        if ('served' in report) requested.add(report.served)
        note(Math.max(-1, ...requested) + 1)
      }),
    served: () => requested.size,
    async close() {
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
}

async function serve({ der, privateKey, lists }: Plan): Promise<void> {
  const by = { der: Buffer.from(der, 'base64'), privateKey: createPrivateKey(privateKey) } as unknown as Minted
  const ready: Buffer[] = []
  const server = createServer((request, answer) => {
    const at = Number((request.url ?? '').slice(1))
    const list = ready[at]
    if (list === undefined) return answer.writeHead(404).end()
    process.send?.({ served: at } satisfies Report)
    return answer.writeHead(200, { 'content-type': MEDIA, 'content-length': list.length }).end(list)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const list = new Raw(cbor({ identifiers: identifiers() }))
  for (let at = 0; at < lists; at += 1) {
    const now = Math.floor(Date.now() / 1000)
    const claims = new Map<number, unknown>([
      [2, `${base}/${at}`],
      [6, now - 60],
      [4, now + 86_400],
      [65534, 86_400],
      [65533, undefined],
      [65530, list],
    ])
    ready.push(mintCwt({ by, type: MEDIA, claims }))
  }
  process.send?.({ base } satisfies Report)
}

function identifiers(): Raw {
  const ids = Buffer.alloc(IDENTIFIERS * (ID_BYTES + 2))
  for (let at = 0; at < IDENTIFIERS; at += 1) {
    const offset = at * (ID_BYTES + 2)
    ids[offset] = 0x40 + ID_BYTES
    // The identifiers are in no order, as issuers assign them.
    ids.writeUInt32BE((at * 2_654_435_761) >>> 0, offset + 1)
    ids[offset + 1 + ID_BYTES] = 0xa0
  }
  return new Raw(Buffer.concat([head(5, IDENTIFIERS), ids]))
}

if (import.meta.main) {
  lowerPriority()
  process.once('disconnect', () => process.exit(0))
  process.once('message', (plan) => void serve(plan as Plan))
}

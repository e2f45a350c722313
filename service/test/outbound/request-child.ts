// Sends a request from a process with poisoned environment variables, and again from its thread; prints both outcomes.

import { get as plainGet } from 'node:http'
import { makeEgress, request } from '../../src/platform/egress/client.ts'
import { createRequestThread } from '../../src/platform/egress/request-thread.ts'
import { testPolicy } from './world.ts'

interface Order {
  readonly url: string
  readonly dnsServers?: readonly string[]
  readonly extraCa?: readonly string[]
  /** An unguarded request first, which shows that the poisoning works. */
  readonly unguarded?: string
}

const order: Order = JSON.parse(process.argv[2] ?? '{}')
if (order.unguarded !== undefined) {
  const { unguarded } = order
  await new Promise<void>((resolve) => {
    plainGet(unguarded, (incoming) => incoming.resume().on('end', resolve)).on('error', () => resolve())
  })
}
const egress = makeEgress({
  policy: testPolicy(),
  ...(order.dnsServers === undefined ? {} : { dnsServers: order.dnsServers }),
  ...(order.extraCa === undefined ? {} : { extraCa: order.extraCa }),
})
const options = { method: 'GET', url: order.url, bodyBytesMax: 100 } as const
const thread = createRequestThread({ test: egress, live: egress })
const inThread = await thread.request('live', options)
await thread.close()
console.log(JSON.stringify([await request(egress, options), inThread.outcome]))

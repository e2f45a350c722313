// Tests that the service sends nothing on its event loop: webhooks, request objects and trust lists share one egress.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { request, requestHere } from '../../../src/platform/egress/client.ts'
import { testService } from '../../harness/service.ts'
import { once } from '../../harness/wait.ts'
import { OUTSIDE } from '../world.ts'
import { makeCostlyChain } from './costly-chain.ts'

/** CPU time of this thread alone, in milliseconds. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

const ROUNDS = 5
/** Measured: at least 40 times less. */
const CHEAPER = 5

test('an expensive chain within the limit of a handshake costs the event loop nothing', async () => {
  const { deps } = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
  const host = new Worker(new URL('./tls-host.ts', import.meta.url), { workerData: makeCostlyChain(10, 'secp384r1') })
  after(() => host.terminate())
  const [port] = await once(host, 'message')
  const options = { method: 'GET', url: `https://${OUTSIDE}:${port}/`, bodyBytesMax: 100 } as const
  for (const egress of [deps.egress.test, deps.egress.live]) {
    const all = async (send: typeof request) => {
      for (let round = 0; round < ROUNDS; round += 1)
        assert.deepEqual(await send(egress, options), { outcome: 'tls_error', reason: 'CERT_SIGNATURE_FAILURE' })
    }
    // A first request before the measurement: the thread starts, and the code is compiled.
    await request(egress, options)
    const control = await cpuOf(() => all(requestHere))
    const spent = await cpuOf(() => all(request))
    assert.ok(spent * CHEAPER < control, `${spent} ms of the event loop, and ${control} ms if it sends itself`)
  }
})

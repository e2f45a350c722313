// Tests that no request fails while replicas are replaced one by one under load, behind a proxy.

import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, test } from 'node:test'
import { repeats } from '../harness/repeats.ts'
import { startBalancer } from '../harness/servers/balancer.ts'
import { startReplicas } from '../harness/servers/replicas.ts'
import { testService } from '../harness/service.ts'

/** The load continues while a replica is being replaced. */
const REQUESTS = repeats(1_000, 3_000)
const AT_ONCE = 16
/** One request in twenty creates a verification; the others read. */
const CREATES = 20

const service = await testService()
const balancer = await startBalancer()
after(() => balancer.close())
const start = () => startReplicas(service.url, 1)

test(`rolling two replicas loses none of ${REQUESTS.toLocaleString('en')} requests`, {
  timeout: 600_000,
}, async (t) => {
  const key = await service.key(await service.tenant())
  const running = [await start(), await start()]
  t.after(() => Promise.all(running.map((replicas) => replicas.stop())))
  for (const { urls } of running) await balancer.add(urls[0] ?? '')
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const ask = (method: string, path: string, body?: object) =>
    send(agent, { key, method, url: balancer.url + path, body })
  const first = await ask('POST', '/v1/verifications', { template: 'age_over_18', purpose: 'Rolling' })
  assert.equal(first.status, 201)
  let sent = 0
  let isRolled = false
  const statuses = new Map<number, number>()
  const load = Array.from({ length: AT_ONCE }, async () => {
    // bounded: by the replicas, which are all replaced.
    while (sent < REQUESTS || !isRolled) {
      sent += 1
      const { status } = await (sent % CREATES === 0
        ? ask('POST', '/v1/verifications', { template: 'age_over_18', purpose: 'Rolling' })
        : ask('GET', `/v1/verifications/${first.id}`))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  })
  for (const old of running.splice(0)) {
    const next = await start()
    running.push(next)
    await balancer.add(next.urls[0] ?? '')
    await old.stop('SIGTERM')
  }
  isRolled = true
  await Promise.all(load)
  t.diagnostic(`${sent} requests: ${JSON.stringify([...statuses])}`)
  assert.deepEqual(balancer.lost, [])
  assert.deepEqual([...statuses.keys()].sort(), [200, 201])
})

interface Sent {
  readonly key: string
  readonly method: string
  readonly url: string
  readonly body: object | undefined
}

function send(agent: Agent, { key, method, url, body }: Sent): Promise<{ status: number; id: string }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, agent, headers }, async (answer) => {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      resolve({ status: answer.statusCode ?? 0, id: text.startsWith('{') ? JSON.parse(text).id : '' })
    })
    outgoing.once('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

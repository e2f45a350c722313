// What one tenant's downloads may take of the thread that all tenants share.

import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { LIMITS, newListBudget } from '@vidimus/engine'
import { mintJwt } from '../../../../engine/test/status/mint-status.ts'
import { TENANT_DOWNLOADS_AT_ONCE } from '../../../src/features/trust/domain/list-bounds.ts'
import { createListReader } from '../../../src/features/trust/outbound/list-reader.ts'
import { createStatusLists, type ListBounds } from '../../../src/features/trust/outbound/status-lists.ts'
import { makeEgress } from '../../../src/platform/egress/client.ts'
import { createRequestThread } from '../../../src/platform/egress/request-thread.ts'
import { once, waitUntil } from '../../harness/wait.ts'
import { makeAuthority } from '../certificates.ts'
import { OUTSIDE, startReceiver, testPolicy } from '../world.ts'
import { makeDearChain } from './dear-chain.ts'

const reader = createListReader()
after(() => reader.close())
const egress = makeEgress({ policy: testPolicy({ environment: 'test' }) })
const requests = createRequestThread({ test: egress, live: egress })
after(() => requests.close())

function openLists(bounds: Partial<ListBounds> = {}) {
  const world = { requests, own: async () => null, reader, reportFailure: () => undefined }
  const lists = createStatusLists({ ...world, bytesMax: LIMITS.oneListBytes, bounds })
  return (uri: string, owner: string, budget = newListBudget()) =>
    lists.find({
      source: { kind: 'status_list_jwt', format: 'dc+sd-jwt', uri },
      environment: 'test',
      nowMs: 1_800_000_000_000,
      owner,
      budget,
    })
}

/** Answers a list, but only on release if its path starts with /slow. */
async function startListHost() {
  const held: ServerResponse[] = []
  const answer = (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/statuslist+jwt' }).end(mintJwt())
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/slow')) held.push(response)
    else answer(response)
  })
  server.listen(0, OUTSIDE)
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as { port: number }
  return {
    base: `http://${OUTSIDE}:${port}`,
    held,
    release: () => {
      for (const response of held.splice(0)) answer(response)
    },
  }
}

const SLOW = Array.from({ length: TENANT_DOWNLOADS_AT_ONCE }, (_, at) => `/slow${at}`)

test('a tenant downloads so many lists at once: its others wait, and no other tenant does', async () => {
  const { base, held, release } = await startListHost()
  const ask = openLists()
  const slow = SLOW.map((path) => ask(`${base}${path}`, 'one'))
  const queued = ['/slow-too', '/common'].map((path) => ask(`${base}${path}`, 'one'))
  await waitUntil('the host has as many requests as may be', () => held.length === SLOW.length)
  assert.equal((await ask(`${base}/other`, 'two')).outcome, 'fetched')
  assert.equal((await ask(`${base}/common`, 'two')).outcome, 'fetched', 'the list that waits for the other tenant')
  assert.equal(held.length, SLOW.length)
  release()
  assert.deepEqual([...new Set((await Promise.all(slow)).map(({ outcome }) => outcome))], ['fetched'])
  await waitUntil('the next has its turn', () => held.length === 1)
  release()
  assert.deepEqual(
    (await Promise.all(queued)).map(({ outcome }) => outcome),
    ['fetched', 'fetched'],
  )
})

test('a list that waited too long is not fetched any more', async () => {
  const { base, held, release } = await startListHost()
  const beginWithinMs = 500
  const ask = openLists({ beginWithinMs })
  const began = performance.now()
  const slow = SLOW.map((path) => ask(`${base}${path}`, 'one'))
  const late = ask(`${base}/late`, 'one')
  await waitUntil(
    'the time to begin is over',
    () => held.length === SLOW.length && performance.now() - began > 2 * beginWithinMs,
  )
  release()
  await Promise.all(slow)
  const found = await late
  assert.equal(found.outcome === 'unavailable' && found.overBudget, 'tenant')
  assert.equal((await ask(`${base}/late`, 'one')).outcome, 'fetched', 'a later response may fetch it')
})

/** In a thread of its own: its CPU must not delay the test. */
async function startTlsHost(tls: object): Promise<string> {
  const host = new Worker(new URL('./tls-host.ts', import.meta.url), { workerData: tls })
  after(() => host.terminate())
  const [port] = await once(host, 'message')
  return `https://${OUTSIDE}:${port}`
}

test('a failed handshake costs who asked by its bytes: a dear chain much, an expired certificate little', async () => {
  const dear = await startTlsHost(makeDearChain(45))
  const plain = await startTlsHost(await (await makeAuthority()).issue({ ip: OUTSIDE, expired: true }))
  const ask = openLists({ perMinute: { lists: 100, bytes: 1e9, items: 500_000 } })
  const little = newListBudget()
  assert.equal((await ask(`${plain}/1`, 'honest', little)).outcome, 'unavailable')
  assert.ok(little.itemsLeft < LIMITS.listItems && little.itemsLeft > LIMITS.listItems / 2, `${little.itemsLeft}`)
  const much = newListBudget()
  assert.equal((await ask(`${dear}/1`, 'hostile', much)).outcome, 'unavailable')
  assert.equal(much.itemsLeft, 0)
  await ask(`${dear}/2`, 'hostile')
  const third = await ask(`${dear}/3`, 'hostile')
  assert.equal(third.outcome === 'unavailable' && third.overBudget, 'tenant')
})

test('a handshake that times out costs by its bytes, too', async () => {
  // A record that never ends: its first part is all that comes.
  const record = Buffer.concat([Buffer.from([22, 3, 3, 0x30, 0]), Buffer.alloc(10_000)])
  const receiver = await startReceiver((socket) => socket.once('data', () => socket.write(record)))
  after(() => receiver.close())
  const budget = newListBudget()
  assert.equal((await openLists()(`https://${OUTSIDE}:${receiver.port}/`, 'one', budget)).outcome, 'unavailable')
  assert.equal(budget.itemsLeft, 0)
})

// Tests how much of the shared thread the downloads of one tenant may use.

import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { LIMITS, newListBudget } from '@vidimus/engine'
import { mintJwt } from '../../../../engine/test/status/mint-status.ts'
import { TENANT_DOWNLOADS_AT_ONCE } from '../../../src/features/trust/domain/list-bounds.ts'
import { createListReader } from '../../../src/features/trust/outbound/list-reader.ts'
import { createStatusLists, type ListBounds } from '../../../src/features/trust/outbound/status-lists.ts'
import { createTenantSlots, type Slot } from '../../../src/features/trust/outbound/tenant-slots.ts'
import { makeEgress } from '../../../src/platform/egress/client.ts'
import { createRequestThread } from '../../../src/platform/egress/request-thread.ts'
import { createShares } from '../../../src/platform/shares.ts'
import { once, waitUntil } from '../../harness/wait.ts'
import { makeAuthority } from '../certificates.ts'
import { OUTSIDE, startReceiver, testPolicy } from '../world.ts'
import { makeCostlyChain } from './costly-chain.ts'

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

/** Answers a list; if its path starts with /slow, only on release. */
async function startListHost() {
  const openResponses: ServerResponse[] = []
  const answer = (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/statuslist+jwt' }).end(mintJwt())
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/slow')) openResponses.push(response)
    else answer(response)
  })
  server.listen(0, OUTSIDE)
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as { port: number }
  return {
    base: `http://${OUTSIDE}:${port}`,
    openResponses,
    release: () => {
      for (const response of openResponses.splice(0)) answer(response)
    },
  }
}

const SLOW = Array.from({ length: TENANT_DOWNLOADS_AT_ONCE }, (_, at) => `/slow${at}`)

test('a tenant downloads a limited number of lists at once: its further lists wait, and no other tenant does', async () => {
  const { base, openResponses, release } = await startListHost()
  const ask = openLists()
  const slow = SLOW.map((path) => ask(`${base}${path}`, 'one'))
  const queued = ['/slow-too', '/common'].map((path) => ask(`${base}${path}`, 'one'))
  await waitUntil('the host has as many requests as the limit allows', () => openResponses.length === SLOW.length)
  assert.equal((await ask(`${base}/other`, 'two')).outcome, 'fetched')
  assert.equal((await ask(`${base}/common`, 'two')).outcome, 'fetched', 'the list that waits for the other tenant')
  assert.equal(openResponses.length, SLOW.length)
  release()
  assert.deepEqual([...new Set((await Promise.all(slow)).map(({ outcome }) => outcome))], ['fetched'])
  await waitUntil('the next list is requested', () => openResponses.length === 1)
  release()
  assert.deepEqual(
    (await Promise.all(queued)).map(({ outcome }) => outcome),
    ['fetched', 'fetched'],
  )
})

test('a list that waited too long is no longer fetched', async () => {
  const { base, openResponses, release } = await startListHost()
  const beginWithinMs = 500
  const ask = openLists({ beginWithinMs })
  const began = performance.now()
  const slow = SLOW.map((path) => ask(`${base}${path}`, 'one'))
  const late = ask(`${base}/late`, 'one')
  await waitUntil(
    'the time to begin is over',
    () => openResponses.length === SLOW.length && performance.now() - began > 2 * beginWithinMs,
  )
  release()
  await Promise.all(slow)
  const found = await late
  assert.equal(found.outcome === 'unavailable' && found.overBudget, 'tenant')
  assert.equal((await ask(`${base}/late`, 'one')).outcome, 'fetched', 'a later response may fetch it')
})

/** Bytes for three lists of maximum length, of which one tenant may have two. */
const NARROW = { each: 2 * LIMITS.oneListBytes, all: 3 * LIMITS.oneListBytes, reserve: 0, light: LIMITS.oneListBytes }

test('a download starts only if its bytes fit: the total stays within the limit, and every list is downloaded', async () => {
  const room = createShares(NARROW)
  const slots = createTenantSlots({ atOnce: 10, bytesMax: LIMITS.oneListBytes, room })
  const started: string[] = []
  const open: { readonly owner: string; readonly slot: Slot }[] = []
  const takes = ['one', 'one', 'one', 'two', 'two', 'three'].map(async (owner) => {
    const slot = await slots.take(owner)
    assert.ok(room.total() <= NARROW.all && room.usedBy(owner) <= NARROW.each)
    started.push(owner)
    open.push({ owner, slot })
  })
  const settled = () => new Promise(setImmediate)
  await settled()
  assert.deepEqual(started, ['one', 'one', 'two'])
  assert.equal(room.total(), NARROW.all)
  const giveBack = open.shift()?.slot.end(LIMITS.oneListBytes)
  await settled()
  assert.equal(started.length, 3, 'downloaded and not read: its bytes are still there')
  giveBack?.()
  await settled()
  assert.deepEqual(started, ['one', 'one', 'two', 'three'], 'the tenant that holds the least comes first')
  // When any download ends, a waiting one starts.
  for (const _ of takes) {
    open.shift()?.slot.end(1_000)()
    await settled()
  }
  await Promise.all(takes)
  assert.equal(room.total(), 0)
})

test('lists of many tenants wait until their bytes fit, and a list that was read or failed frees its bytes', async () => {
  const { base, openResponses, release } = await startListHost()
  const ask = openLists({ room: NARROW })
  const tenants = Array.from({ length: 8 }, (_, at) => `tenant ${at}`)
  const downloads = tenants.map((owner, at) => ask(`${base}/slow${at}`, owner))
  let over = 0
  let isDone = false
  void Promise.all(downloads).then(() => {
    isDone = true
  })
  await waitUntil('as many downloads as fit', () => openResponses.length === 3)
  await waitUntil('all lists were served', () => {
    if (openResponses.length > 3) over += 1
    release()
    return isDone
  })
  assert.equal(over, 0)
  assert.deepEqual([...new Set((await Promise.all(downloads)).map(({ outcome }) => outcome))], ['fetched'])
  for (let round = 0; round < 4; round += 1)
    assert.equal((await ask('http://127.0.0.1:1/', `failing ${round}`)).outcome, 'unavailable')
  assert.equal((await ask(`${base}/after`, 'one')).outcome, 'fetched')
})

test('hanging hosts of some tenants keep no other tenant from its lists', async () => {
  const { base, openResponses, release } = await startListHost()
  const silent = await startReceiver(() => undefined)
  after(() => silent.close())
  const expensive = await startTlsHost(makeCostlyChain(10, 'secp384r1'))
  const ask = openLists()
  const hostile = ['a', 'b', 'c'].flatMap((tenant) =>
    Array.from({ length: 30 }, (_, at) => {
      const uris = [
        `${base}/slow-${tenant}${at}`,
        `https://${OUTSIDE}:${silent.port}/${tenant}${at}`,
        `${expensive}/${tenant}${at}`,
      ]
      return ask(uris[at % 3] ?? base, tenant)
    }),
  )
  let ended = 0
  for (const one of hostile) void one.then(() => (ended += 1))
  await waitUntil('their hosts hold downloads', () => openResponses.length > 0)
  for (const path of ['/1', '/2', '/3']) {
    assert.equal((await ask(`${base}${path}`, 'bystander')).outcome, 'fetched')
    assert.ok(ended < hostile.length, 'while the others still wait')
  }
  const timer = setInterval(release, 20)
  await Promise.all(hostile).finally(() => clearInterval(timer))
})

/** Starts a server in a separate thread, so that its CPU does not delay the test. */
async function startTlsHost(tls: object): Promise<string> {
  const host = new Worker(new URL('./tls-host.ts', import.meta.url), { workerData: tls })
  after(() => host.terminate())
  const [port] = await once(host, 'message')
  return `https://${OUTSIDE}:${port}`
}

test('a failed handshake costs its tenant by its bytes: an expensive chain much, an expired certificate little', async () => {
  const expensive = await startTlsHost(makeCostlyChain(45))
  const plain = await startTlsHost(await (await makeAuthority()).issue({ ip: OUTSIDE, expired: true }))
  const ask = openLists({ perMinute: { lists: 100, bytes: 1e9, items: 500_000 } })
  const little = newListBudget()
  assert.equal((await ask(`${plain}/1`, 'honest', little)).outcome, 'unavailable')
  assert.ok(little.itemsLeft < LIMITS.listItems && little.itemsLeft > LIMITS.listItems / 2, `${little.itemsLeft}`)
  const much = newListBudget()
  assert.equal((await ask(`${expensive}/1`, 'hostile', much)).outcome, 'unavailable')
  assert.equal(much.itemsLeft, 0)
  await ask(`${expensive}/2`, 'hostile')
  const third = await ask(`${expensive}/3`, 'hostile')
  assert.equal(third.outcome === 'unavailable' && third.overBudget, 'tenant')
})

test('a handshake that times out costs by its bytes, too', async () => {
  // A record that never ends: only its first part arrives.
  const record = Buffer.concat([Buffer.from([22, 3, 3, 0x30, 0]), Buffer.alloc(10_000)])
  const receiver = await startReceiver((socket) => socket.once('data', () => socket.write(record)))
  after(() => receiver.close())
  const budget = newListBudget()
  assert.equal((await openLists()(`https://${OUTSIDE}:${receiver.port}/`, 'one', budget)).outcome, 'unavailable')
  assert.equal(budget.itemsLeft, 0)
})

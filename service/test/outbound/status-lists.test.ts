// Lists over the network: how long a failure lasts, what is taken for a list at all, and when one is kept.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import type { StatusAnswer, StatusSource } from '@vidimus/engine'
import { makeEgress } from '../../src/outbound/egress/client.ts'
import { createStatusLists, type MemoryBounds } from '../../src/outbound/trust/status-lists.ts'
import { OUTSIDE, testPolicy } from './world.ts'

const JWT = 'eyJ0.eyJ0.c2ln'
const GOOD = { status: 200, type: 'application/statuslist+jwt', body: Buffer.from(JWT) }
const PAGE = { status: 200, type: 'text/html', body: Buffer.from('<p>Back soon</p>') }

let answer: { status: number; type: string; body: Buffer } = GOOD
let requests = 0
const server = createServer((_request, response) => {
  requests++
  response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body)
})
server.listen(0, OUTSIDE)
await once(server, 'listening')
after(() => server.close())
const address = server.address()
assert.ok(typeof address === 'object' && address !== null)
const base = `http://${OUTSIDE}:${address.port}`

/** When lists say they were made. */
const issued = new Map<string, number>()

/** A memory of its own, and one list: asked for at a second of its time. */
function oneList(kind: StatusSource['kind'] = 'status_list_jwt', bounds?: MemoryBounds) {
  const egress = makeEgress({ policy: testPolicy({ environment: 'test' }) })
  const lists = createStatusLists({ test: egress, live: egress }, async () => null, bounds)
  requests = 0
  answer = GOOD
  return (second: number, path = '/list') =>
    lists.find({
      source: { kind, format: kind === 'status_list_jwt' ? 'dc+sd-jwt' : 'mso_mdoc', uri: `${base}${path}` },
      environment: 'test',
      nowMs: 1_800_000_000_000 + second * 1000,
      lifetimeOf: (bytes) => ({ ttlSeconds: 60, expiresAt: null, issuedAt: issued.get(String(bytes)) ?? null }),
    })
}

/** As the engine does once it has verified a list. */
function rely(found: StatusAnswer): void {
  assert.ok(found.outcome === 'fetched' && found.rely !== undefined)
  found.rely()
}

function fetched(found: StatusAnswer) {
  assert.ok(found.outcome === 'fetched')
  const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? null : Buffer.from(bytes).toString())
  return { text: text(found.bytes), stale: found.stale, earlier: (found.earlier ?? []).map((list) => text(list.bytes)) }
}

test('a host that failed once is asked again after ten seconds, however often it was asked for meanwhile', async () => {
  const ask = oneList()
  answer = { ...GOOD, status: 503 }
  assert.equal((await ask(0)).outcome, 'unavailable')
  answer = GOOD
  for (let second = 1; second < 10; second++) assert.equal((await ask(second)).outcome, 'unavailable', `${second}`)
  assert.equal(requests, 1)
  assert.equal((await ask(10)).outcome, 'fetched')
  assert.equal(requests, 2)
})

test('each attempt that fails begins the pause anew', async () => {
  const ask = oneList()
  answer = { ...GOOD, status: 503 }
  for (let second = 0; second < 30; second++) await ask(second)
  assert.equal(requests, 3)
})

test('a page served instead of the list is a failure: the list that was kept serves on, and the host is asked again', async () => {
  const ask = oneList()
  rely(await ask(0))
  answer = PAGE
  assert.deepEqual(await ask(61), {
    outcome: 'fetched',
    bytes: GOOD.body,
    contentType: GOOD.type,
    stale: true,
    // When it was kept, not when it was asked for again.
    fetchedAt: 1_800_000_000,
    earlier: [],
  })
  answer = GOOD
  assert.equal((await ask(72)).outcome, 'fetched')
  assert.equal(requests, 3)
})

const cbor = Buffer.from('d28440a0', 'hex')
const der = Buffer.from('3003020100', 'hex')
const served: [string, StatusSource['kind'], { type: string; body: Buffer }, 'fetched' | 'unavailable'][] = [
  ['a token', 'status_list_jwt', { type: 'Application/StatusList+JWT; charset=utf-8', body: GOOD.body }, 'fetched'],
  ['a token under another type', 'status_list_jwt', { type: 'text/plain', body: GOOD.body }, 'unavailable'],
  ['a page under the type of a token', 'status_list_jwt', { type: GOOD.type, body: PAGE.body }, 'unavailable'],
  ['nothing under the type of a token', 'status_list_jwt', { type: GOOD.type, body: Buffer.alloc(0) }, 'unavailable'],
  ['a signed message', 'status_list_cwt', { type: 'application/statuslist+cwt', body: cbor }, 'fetched'],
  ['a list of identifiers', 'identifier_list_cwt', { type: 'application/identifierlist+cwt', body: cbor }, 'fetched'],
  ['the other list', 'identifier_list_cwt', { type: 'application/statuslist+cwt', body: cbor }, 'unavailable'],
  ['a page for CBOR', 'status_list_cwt', { type: 'application/statuslist+cwt', body: PAGE.body }, 'unavailable'],
  ['a CRL under any type', 'crl', { type: 'application/octet-stream', body: der }, 'fetched'],
  ['a page for a CRL', 'crl', PAGE, 'unavailable'],
]
for (const [name, kind, given, outcome] of served) {
  test(`${name} (${kind}): ${outcome}`, async () => {
    const ask = oneList(kind)
    answer = { status: 200, ...given }
    assert.equal((await ask(0)).outcome, outcome)
  })
}

test('a list that nobody verified is not kept: it stands for ten seconds and fetched again', async () => {
  const ask = oneList()
  for (let second = 0; second < 10; second++) assert.equal(fetched(await ask(second)).stale, false)
  assert.equal(requests, 1)
  await ask(10)
  assert.equal(requests, 2)
  answer = { ...GOOD, status: 503 }
  assert.equal((await ask(20)).outcome, 'unavailable', 'nor does it answer while the host is away')
})

test('one that proved good is kept for its time', async () => {
  const ask = oneList()
  rely(await ask(0))
  assert.deepEqual(fetched(await ask(59)), { text: JWT, stale: false, earlier: [] })
  assert.equal(requests, 1)
  await ask(60)
  assert.equal(requests, 2)
})

const JUNK = { ...GOOD, body: Buffer.from('anK.anK.anK') }

test('what proves to be no list displaces none: the good one is handed out beside it, and serves on when the host is away', async () => {
  const ask = oneList()
  rely(await ask(0))
  answer = JUNK
  for (const second of [60, 65, 71]) {
    assert.deepEqual(fetched(await ask(second)), { text: 'anK.anK.anK', stale: false, earlier: [JWT] })
  }
  assert.equal(requests, 3)
  answer = { ...GOOD, status: 503 }
  assert.deepEqual(fetched(await ask(90)), { text: JWT, stale: true, earlier: [] })
  assert.equal((await ask(60 + 3_600)).outcome, 'unavailable')
})

test('a good one stands beside a new one for an hour past its time, and no longer', async () => {
  const ask = oneList()
  rely(await ask(0))
  answer = JUNK
  assert.deepEqual(fetched(await ask(60 + 3_599)).earlier, [JWT])
  assert.deepEqual(fetched(await ask(60 + 3_610)).earlier, [])
})

test('whoever relies on a list after another one was fetched changes nothing', async () => {
  const ask = oneList()
  const first = await ask(0)
  answer = { ...GOOD, body: Buffer.from('bmV3.bmV3.bmV3') }
  const second = await ask(10)
  rely(second)
  rely(first)
  assert.equal(fetched(await ask(11)).text, 'bmV3.bmV3.bmV3')
})

const listOf = (text: string, madeAt?: number) => {
  if (madeAt !== undefined) issued.set(text, madeAt)
  return { ...GOOD, body: Buffer.from(text) }
}

test('a list that one tenant found good stands before the others with the one it replaced, while that is of use', async () => {
  const ask = oneList()
  rely(await ask(0))
  answer = listOf('dHdv.dHdv.dHdv')
  rely(await ask(60))
  assert.deepEqual(fetched(await ask(61)), { text: 'dHdv.dHdv.dHdv', stale: false, earlier: [JWT] })
  // Nor is it pushed out by a third.
  answer = listOf('dGhyZWU.dGhyZWU.dGhyZWU')
  const third = await ask(120)
  assert.deepEqual(fetched(third).earlier, ['dHdv.dHdv.dHdv', JWT])
  rely(third)
  assert.deepEqual(fetched(await ask(121)).earlier, [JWT])
  answer = { ...GOOD, status: 503 }
  assert.deepEqual(fetched(await ask(190)), { text: 'dGhyZWU.dGhyZWU.dGhyZWU', stale: true, earlier: [JWT] })
  assert.deepEqual(fetched(await ask(60 + 3_600)).earlier, [])
})

test('the same list again is not its own predecessor', async () => {
  const ask = oneList()
  rely(await ask(0))
  rely(await ask(60))
  assert.deepEqual(fetched(await ask(61)), { text: JWT, stale: false, earlier: [] })
  assert.equal(requests, 2)
})

test('an older list than the last good one does not come after it, whoever would find it good', async () => {
  const ask = oneList()
  answer = listOf('bmV3ZXI.bmV3ZXI.bmV3ZXI', 1_000)
  rely(await ask(0))
  answer = listOf('b2xkZXI.b2xkZXI.b2xkZXI', 999)
  for (const second of [60, 120, 180, 7_200]) {
    if (second === 7_200) rely(await ask(3_700))
    const found = await ask(second)
    assert.deepEqual(fetched(found), { text: 'bmV3ZXI.bmV3ZXI.bmV3ZXI', stale: false, earlier: [] }, `${second}`)
    rely(found)
  }
  answer = listOf('bmV3ZXN0.bmV3ZXN0.bmV3ZXN0', 1_000)
  assert.equal(fetched(await ask(7_260)).text, 'bmV3ZXN0.bmV3ZXN0.bmV3ZXN0', 'made in the same second')
})

test('an older list is one as good as any when the last good one is out of use', async () => {
  const ask = oneList()
  answer = listOf('bmV3ZXI.bmV3ZXI.bmV3ZXI', 1_000)
  rely(await ask(0))
  answer = listOf('b2xkZXI.b2xkZXI.b2xkZXI', 999)
  assert.equal(fetched(await ask(60 + 3_600)).text, 'b2xkZXI.b2xkZXI.b2xkZXI')
})

for (const bounds of [
  { lists: 2, bytes: 1e6 },
  { lists: 99, bytes: 2 * (2 * `test status_list_jwt ${base}/1`.length + JWT.length) },
]) {
  test(`memory is bounded (${bounds.lists} lists, ${bounds.bytes} bytes), and what was unused for longest goes first`, async () => {
    const ample = { lists: 99, bytes: 1e6 }
    for (const memory of [
      { good: bounds, unverified: ample },
      { good: ample, unverified: bounds },
    ]) {
      const ask = oneList('status_list_jwt', memory)
      for (const path of ['/1', '/2', '/3']) {
        const found = await ask(0, path)
        if (memory.good === bounds) rely(found)
      }
      // Past the time in which an unverified one stands, where it is the good ones that are counted.
      const later = memory.good === bounds ? 10 : 9
      requests = 0
      for (const path of ['/3', '/2']) await ask(later, path)
      assert.equal(requests, 0)
      await ask(later, '/1')
      assert.equal(requests, 1)
    }
  })
}

test('however many unverified lists there are, they take no slot of the good ones', async () => {
  const ask = oneList('status_list_jwt', { good: { lists: 2, bytes: 1e6 }, unverified: { lists: 2, bytes: 1e6 } })
  rely(await ask(0))
  for (let count = 0; count < 5; count++) await ask(0, `/${count}`)
  requests = 0
  await ask(59)
  assert.equal(requests, 0)
})

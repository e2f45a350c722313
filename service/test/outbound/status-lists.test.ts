// Tests lists over the network: how long a failure lasts, which answers count as a list, and when one is cached.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { LIMITS, newListBudget, type StatusAnswer, type StatusSource } from '@vidimus/engine'
import { mintCrl, mintCwt, mintJwt } from '../../../engine/test/status/mint-status.ts'
import { createListReader, type ListReader } from '../../src/features/trust/outbound/list-reader.ts'
import { createStatusLists, type ListBounds } from '../../src/features/trust/outbound/status-lists.ts'
import { makeEgress } from '../../src/platform/egress/client.ts'
import { createRequestThread } from '../../src/platform/egress/request-thread.ts'
import type { Environment } from '../../src/platform/world.ts'
import { once, waitUntil } from '../harness/wait.ts'
import { OUTSIDE, testPolicy } from './world.ts'

/** Mints a list that is cached for a minute. Lists with other names differ. */
const mint = (name: string, madeAt = 1_700_000_000) =>
  mintJwt({ claims: { iat: madeAt, exp: undefined, ttl: 60, jti: name } })
const JWT = mint('good')
const GOOD = { status: 200, type: 'application/statuslist+jwt', body: JWT }
const PAGE = { status: 200, type: 'text/html', body: Buffer.from('<p>Back soon</p>') }

/** `breaksOff`: its length announces one byte more. `raw`: exactly these bytes. */
let answer: { status: number; type: string; body: Buffer; breaksOff?: boolean; raw?: string } = GOOD
let requests = 0
const server = createServer((_request, response) => {
  requests++
  const { status, type, body, breaksOff = false, raw } = answer
  if (raw !== undefined) return response.socket?.end(raw)
  if (!breaksOff) return response.writeHead(status, { 'content-type': type }).end(body)
  response.writeHead(status, { 'content-type': type, 'content-length': body.length + 1 })
  return response.write(body, () => response.socket?.end())
})
server.listen(0, OUTSIDE)
await once(server, 'listening')
after(() => server.close())
const address = server.address()
assert.ok(typeof address === 'object' && address !== null)
const base = `http://${OUTSIDE}:${address.port}`

const reader = createListReader()
after(() => reader.close())

const egress = makeEgress({ policy: testPolicy({ environment: 'test' }) })
const thread = createRequestThread({ test: egress, live: egress })
after(() => thread.close())

const failures: string[] = []
const reportFailure = ({ cause, reason }: { readonly cause: string; readonly reason: string }) =>
  void failures.push(`${cause} ${reason}`)

/** Returns a separate cache and one list, which is requested at a given second. */
function oneList(
  kind: StatusSource['kind'] = 'status_list_jwt',
  bounds?: Partial<ListBounds>,
  by: ListReader = reader,
) {
  const world = {
    requests: thread,
    own: async () => null,
    reader: by,
    reportFailure,
    bytesMax: LIMITS.oneListBytes,
  }
  const lists = createStatusLists({ ...world, ...(bounds === undefined ? {} : { bounds }) })
  requests = 0
  answer = GOOD
  return (
    second: number,
    path = '/list',
    { owner = 'one', budget = newListBudget(), environment = 'test' as Environment } = {},
  ) =>
    lists.find({
      source: { kind, format: kind === 'status_list_jwt' ? 'dc+sd-jwt' : 'mso_mdoc', uri: `${base}${path}` },
      environment,
      nowMs: 1_800_000_000_000 + second * 1000,
      owner,
      budget,
    })
}

/** Marks a list like the engine, once it has verified the list. */
function markVerified(found: StatusAnswer): void {
  assert.ok(found.outcome === 'fetched' && found.markVerified !== undefined)
  found.markVerified()
}

function fetched(found: StatusAnswer) {
  assert.ok(found.outcome === 'fetched')
  const { bytes, stale, earlier = [] } = found
  return { name: nameOf(bytes), stale, earlier: earlier.map((list) => nameOf(list.bytes)) }
}

function nameOf(bytes: Uint8Array): string {
  const [, payload = ''] = Buffer.from(bytes).toString().split('.')
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { jti: string }).jti
}

test('a host that failed is asked again after ten seconds, however often it was requested in between', async () => {
  const ask = oneList()
  answer = { ...GOOD, status: 503 }
  assert.equal((await ask(0)).outcome, 'unavailable')
  answer = GOOD
  for (let second = 1; second < 10; second++) assert.equal((await ask(second)).outcome, 'unavailable', `${second}`)
  assert.equal(requests, 1)
  assert.equal((await ask(10)).outcome, 'fetched')
  assert.equal(requests, 2)
})

test('each failed attempt restarts the pause', async () => {
  const ask = oneList()
  answer = { ...GOOD, status: 503 }
  failures.length = 0
  for (let second = 0; second < 30; second++) await ask(second)
  assert.equal(requests, 3)
  assert.deepEqual(failures, Array(3).fill('http_status 503'))
})

test('a page in place of the list is a failure: the cached list stays in use, and the host is asked again', async () => {
  const ask = oneList()
  markVerified(await ask(0))
  answer = PAGE
  const found = await ask(61)
  assert.deepEqual(fetched(found), { name: 'good', stale: true, earlier: [] })
  // The answer has the time when the list was cached, not when it was requested again.
  assert.ok(found.outcome === 'fetched' && found.fetchedAtMs === 1_800_000_000_000)
  answer = GOOD
  assert.equal((await ask(72)).outcome, 'fetched')
  assert.equal(requests, 3)
})

const cbor = mintCwt()
const identifiers = mintCwt({ type: 'application/identifierlist+cwt' })
const der = mintCrl()
const served: [string, StatusSource['kind'], { type: string; body: Buffer }, 'fetched' | 'unavailable'][] = [
  ['a token', 'status_list_jwt', { type: 'Application/StatusList+JWT; charset=utf-8', body: GOOD.body }, 'fetched'],
  ['a token under another type', 'status_list_jwt', { type: 'text/plain', body: GOOD.body }, 'unavailable'],
  ['a page under the type of a token', 'status_list_jwt', { type: GOOD.type, body: PAGE.body }, 'unavailable'],
  ['nothing under the type of a token', 'status_list_jwt', { type: GOOD.type, body: Buffer.alloc(0) }, 'unavailable'],
  ['a signed message', 'status_list_cwt', { type: 'application/statuslist+cwt', body: cbor }, 'fetched'],
  [
    'a list of identifiers',
    'identifier_list_cwt',
    { type: 'application/identifierlist+cwt', body: identifiers },
    'fetched',
  ],
  ['the other list', 'identifier_list_cwt', { type: 'application/statuslist+cwt', body: cbor }, 'unavailable'],
  ['a page for CBOR', 'status_list_cwt', { type: 'application/statuslist+cwt', body: PAGE.body }, 'unavailable'],
  ['a CRL under any type', 'crl', { type: 'application/octet-stream', body: der }, 'fetched'],
  ['a page for a CRL', 'crl', PAGE, 'unavailable'],
]
for (const [name, kind, input, outcome] of served) {
  test(`${name} (${kind}): ${outcome}`, async () => {
    const ask = oneList(kind)
    answer = { status: 200, ...input }
    assert.equal((await ask(0)).outcome, outcome)
  })
}

test('an unverified list is not cached: it is used for ten seconds, then fetched again', async () => {
  const ask = oneList()
  for (let second = 0; second < 10; second++) assert.equal(fetched(await ask(second)).stale, false)
  assert.equal(requests, 1)
  await ask(10)
  assert.equal(requests, 2)
  answer = { ...GOOD, status: 503 }
  assert.equal((await ask(20)).outcome, 'unavailable', 'the list is not used while the host is unreachable either')
})

test('a verified list is cached for its time', async () => {
  const ask = oneList()
  markVerified(await ask(0))
  assert.deepEqual(fetched(await ask(59)), { name: 'good', stale: false, earlier: [] })
  assert.equal(requests, 1)
  await ask(60)
  assert.equal(requests, 2)
})

const JUNK = { ...GOOD, body: mint('junk') }

test('an invalid list displaces no good list: both are returned, and the good one stays in use if the host is unavailable', async () => {
  const ask = oneList()
  markVerified(await ask(0))
  answer = JUNK
  for (const second of [60, 65, 71]) {
    assert.deepEqual(fetched(await ask(second)), { name: 'junk', stale: false, earlier: ['good'] })
  }
  assert.equal(requests, 3)
  answer = { ...GOOD, status: 503 }
  assert.deepEqual(fetched(await ask(90)), { name: 'good', stale: true, earlier: [] })
  assert.equal((await ask(60 + 3_600)).outcome, 'unavailable')
})

test('a good list is returned together with a new one for an hour past its time', async () => {
  const ask = oneList()
  markVerified(await ask(0))
  answer = JUNK
  assert.deepEqual(fetched(await ask(60 + 3_599)).earlier, ['good'])
  assert.deepEqual(fetched(await ask(60 + 3_610)).earlier, [])
})

test('verifying a list after a newer one was verified does not bring it back', async () => {
  const ask = oneList()
  const first = await ask(0)
  answer = listOf('new')
  const second = await ask(10)
  markVerified(second)
  markVerified(first)
  assert.equal(fetched(await ask(11)).name, 'new')
})

const listOf = (name: string, madeAt?: number) => ({ ...GOOD, body: mint(name, madeAt) })

test('a list that one tenant verified is used together with the list that it replaced, until that is too old', async () => {
  const ask = oneList()
  markVerified(await ask(0))
  answer = listOf('two')
  markVerified(await ask(60))
  assert.deepEqual(fetched(await ask(61)), { name: 'two', stale: false, earlier: ['good'] })
  // A third list, which is not verified yet, displaces neither.
  answer = listOf('three')
  const third = await ask(120)
  assert.deepEqual(fetched(third).earlier, ['two', 'good'])
  markVerified(third)
  assert.deepEqual(fetched(await ask(121)).earlier, ['good'])
  answer = { ...GOOD, status: 503 }
  assert.deepEqual(fetched(await ask(190)), { name: 'three', stale: true, earlier: ['good'] })
  assert.deepEqual(fetched(await ask(60 + 3_600)).earlier, [])
})

test('a list that is fetched again unchanged is not its own predecessor', async () => {
  const ask = oneList()
  markVerified(await ask(0))
  markVerified(await ask(60))
  assert.deepEqual(fetched(await ask(61)), { name: 'good', stale: false, earlier: [] })
  assert.equal(requests, 2)
})

test('a list that is older than the last good list does not replace it, and the host is asked again', async () => {
  const ask = oneList()
  answer = listOf('newer', 1_000)
  markVerified(await ask(0))
  answer = listOf('older', 999)
  for (const second of [60, 120, 180, 7_200]) {
    if (second === 7_200) markVerified(await ask(3_700))
    const found = await ask(second)
    assert.deepEqual(fetched(found), { name: 'newer', stale: false, earlier: ['older'] }, `${second}`)
    markVerified(found)
  }
  answer = listOf('newest', 1_000)
  assert.equal(fetched(await ask(7_260)).name, 'newest', 'made in the same second')
})

test("another party's newer list does not displace the list of callers who cannot verify it", async () => {
  const ask = oneList()
  answer = listOf('national', 1_000)
  markVerified(await ask(0))
  answer = listOf('foreign', 3_000)
  markVerified(await ask(60))
  answer = listOf('national, next', 2_000)
  // Who verifies the foreign list keeps it in use for others who can, and does not stop requests to the host.
  for (const second of [120, 130, 140]) markVerified(await ask(second))
  assert.equal(requests, 5)
  const found = await ask(150)
  assert.deepEqual(fetched(found), { name: 'foreign', stale: false, earlier: ['national, next', 'national'] })
  assert.ok(found.outcome === 'fetched')
  const [served, replaced] = found.earlier ?? []
  assert.ok(replaced !== undefined && replaced.markVerified === undefined)
  // It never takes the place of the newer one, which others may be able to verify.
  served?.markVerified?.()
  assert.deepEqual(fetched(await ask(151)), fetched(found))
})

test('an older list counts like any other when the last good one is out of use', async () => {
  const ask = oneList()
  answer = listOf('newer', 1_000)
  markVerified(await ask(0))
  answer = listOf('older', 999)
  assert.equal(fetched(await ask(60 + 3_600)).name, 'older')
})

test('memory is bounded by the size of lists, and the least recently used goes first', async () => {
  // The cache has space for two lists.
  const some = 2.5 * (16_384 + JWT.length)
  for (const memory of [
    { good: some, unverified: 1e6 },
    { good: 1e6, unverified: some },
  ]) {
    const ask = oneList('status_list_jwt', { memory })
    for (const path of ['/1', '/2', '/3']) {
      const found = await ask(0, path)
      if (memory.good === some) markVerified(found)
    }
    // Verified lists are counted after the time of an unverified list is over.
    const later = memory.good === some ? 10 : 9
    requests = 0
    for (const path of ['/3', '/2']) await ask(later, path)
    assert.equal(requests, 0)
    await ask(later, '/1')
    assert.equal(requests, 1)
  }
})

test('however many unverified lists there are, they do not displace good ones', async () => {
  const ask = oneList('status_list_jwt', { memory: { good: 50_000, unverified: 50_000 } })
  markVerified(await ask(0))
  for (let count = 0; count < 5; count++) await ask(0, `/${count}`)
  requests = 0
  await ask(59)
  assert.equal(requests, 0)
})

test("a tenant with many lists displaces its own, and neither another tenant's nor shared ones", async () => {
  // The cache has space for five lists.
  const ask = oneList('status_list_jwt', { memory: { good: 5.5 * (16_384 + JWT.length), unverified: 1e6 } })
  markVerified(await ask(0, '/national'))
  markVerified(await ask(0, '/little', { owner: 'two' }))
  await ask(0, '/national', { owner: 'two' })
  for (let count = 0; count < 20; count++) markVerified(await ask(0, `/${count}`, { owner: 'greedy' }))
  requests = 0
  await ask(59, '/national', { owner: 'three' })
  await ask(59, '/little', { owner: 'two' })
  assert.equal(requests, 0)
  await ask(59, '/0', { owner: 'greedy' })
  assert.equal(requests, 1)
})

test('a list that several callers request at once is fetched and read once', async () => {
  const ask = oneList()
  const found = await Promise.all(Array.from({ length: 20 }, (_, at) => ask(0, '/list', { owner: `tenant ${at}` })))
  assert.equal(requests, 1)
  assert.ok(found.every((one) => one.outcome === 'fetched'))
})

const overBudget = (found: StatusAnswer) => found.outcome === 'unavailable' && found.overBudget !== undefined
const budgetSpent = (found: StatusAnswer) => (found.outcome === 'unavailable' ? (found.overBudget ?? null) : null)

test('a response without budget for lists gets only cached lists, and no policy lets it pass', async () => {
  const ask = oneList()
  markVerified(await ask(0))
  for (const spent of [{ bytesLeft: 0 }, { itemsLeft: 0 }]) {
    const budget = { ...newListBudget(), ...spent }
    assert.equal(budgetSpent(await ask(1, '/other', { budget })), 'response')
    assert.equal((await ask(1, '/list', { budget })).outcome, 'fetched')
    assert.equal(budgetSpent(await ask(61, '/list', { budget })), 'response', 'an outdated cached list does not count')
  }
  assert.equal(requests, 1)
  assert.equal((await ask(1, '/other')).outcome, 'fetched', 'the host is asked again for another response')
})

test('a response gets its first list whatever its length, and further lists while they fit into its budget', async () => {
  const listOf = (count: number, at = 0) => ({
    ...GOOD,
    body: mintCrl({
      revoked: Array.from({ length: count }, (_, i) => ({ serial: Buffer.of(1, at, i >> 8, i & 255) })),
    }),
  })
  const ask = oneList('crl')
  const budget = { ...newListBudget(), itemsLeft: 1_000 }
  answer = listOf(600)
  assert.equal((await ask(0, '/1', { budget })).outcome, 'fetched')
  answer = listOf(401, 1)
  assert.equal(budgetSpent(await ask(0, '/2', { budget })), 'response', 'one entry too many')
  assert.equal(budget.itemsLeft, 0, 'its cost is spent anyway')
  // For another response it is the first list.
  const fresh = newListBudget()
  assert.equal((await ask(0, '/2', { budget: fresh })).outcome, 'fetched')
  assert.equal(fresh.itemsLeft, LIMITS.listItems - 401)
  const narrow = { ...newListBudget(), itemsLeft: 1_000 }
  answer = listOf(600, 2)
  await ask(0, '/3', { budget: narrow })
  answer = listOf(400, 3)
  assert.equal((await ask(0, '/4', { budget: narrow })).outcome, 'fetched', 'exactly what is left')
})

test('lists that are read for a response are paid from its budget', async () => {
  const ask = oneList()
  const budget = newListBudget()
  await ask(0, '/1', { budget })
  const { bytesLeft } = budget
  assert.ok(bytesLeft <= LIMITS.listBytes - JWT.length)
  await ask(0, '/1', { budget })
  assert.equal(budget.bytesLeft, bytesLeft, 'a list that is cached costs nothing')
  answer = { status: 200, type: GOOD.type, body: Buffer.from('no.list.this') }
  assert.equal((await ask(0, '/2', { budget })).outcome, 'unavailable')
  assert.ok(budget.bytesLeft < bytesLeft, 'a list that cannot be read costs')
})

for (const [what, perMinute] of [
  ['lists', { lists: 3, bytes: 1e9, items: 1e9 }],
  ['bytes', { lists: 1e9, bytes: 2.5 * JWT.length, items: 1e9 }],
] as const) {
  test(`a tenant may have a limited number of ${what} read in a minute; later it may again, and other tenants are not affected`, async () => {
    const ask = oneList('status_list_jwt', { perMinute })
    for (const path of ['/1', '/2', '/3']) assert.equal((await ask(0, path)).outcome, 'fetched')
    assert.equal(budgetSpent(await ask(0, '/4')), 'tenant')
    assert.equal(requests, 3)
    assert.equal((await ask(0, '/4', { owner: 'two' })).outcome, 'fetched')
    assert.equal((await ask(60, '/5')).outcome, 'fetched')
  })
}

test('what a tenant spends on lists in test does not count in live', async () => {
  // In live only revocation lists may come without TLS.
  const ask = oneList('crl', { perMinute: { lists: 1, bytes: 1e9, items: 1e9 } })
  answer = { ...GOOD, body: mintCrl() }
  assert.equal((await ask(0, '/1')).outcome, 'fetched')
  assert.ok(overBudget(await ask(0, '/2')))
  assert.equal((await ask(0, '/2', { environment: 'live' })).outcome, 'fetched')
})

test('a tenant without budget for entries waits, and earlier revocations in its lists still reject', async () => {
  const ask = oneList('crl', { perMinute: { lists: 1e9, bytes: 1e9, items: 1 } })
  answer = { ...GOOD, body: mintCrl({ revoked: [{ serial: Buffer.of(1) }] }) }
  markVerified(await ask(0))
  assert.ok(overBudget(await ask(0, '/2')))
  // The first list has expired. It is not fetched again while another list uses up the budget, and is used as outdated.
  assert.equal((await ask(300, '/3')).outcome, 'fetched')
  const found = await ask(300)
  assert.ok(found.outcome === 'fetched' && found.stale)
})

test('an invalid list costs the most that reading it may have cost', async () => {
  const ask = oneList('crl')
  const budget = newListBudget()
  // A whole list of revoked certificates, and one further byte at its end.
  const revoked = Array.from({ length: 2_000 }, (_, at) => ({ serial: Buffer.of(1, at >> 8, at & 255) }))
  answer = { ...GOOD, body: Buffer.concat([mintCrl({ revoked }), Buffer.of(0)]) }
  assert.equal((await ask(0, '/1', { budget })).outcome, 'unavailable')
  assert.ok(budget.itemsLeft <= LIMITS.listItems - revoked.length, `${budget.itemsLeft}`)
})

test('lists that break off spend the budget of their tenant like any other', async () => {
  const ask = oneList('status_list_jwt', { perMinute: { lists: 1e9, bytes: 2_500_000, items: 1e9 } })
  answer = { ...GOOD, body: Buffer.alloc(1_000_000), breaksOff: true }
  for (const path of ['/1', '/2', '/3']) assert.equal(budgetSpent(await ask(0, path)), null)
  assert.equal(budgetSpent(await ask(0, '/4')), 'tenant')
  assert.equal(requests, 3)
})

test('a host that keeps the thread busy costs its tenant as much as a list of maximum length', async () => {
  const ask = oneList('status_list_jwt', { perMinute: { lists: 1e9, bytes: 1e9, items: 1_200_000 } })
  // The size of the chunk has endless leading zeros.
  const raw = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'0'.repeat(1_000_000)}`
  answer = { ...GOOD, raw }
  failures.length = 0
  for (const path of ['/1', '/2', '/3']) assert.equal(budgetSpent(await ask(0, path)), null)
  assert.deepEqual(failures, Array(3).fill('protocol_error framing'))
  assert.equal(budgetSpent(await ask(0, '/4')), 'tenant')
  assert.equal(requests, 3)
})

test('downloaded bytes cost, even if they are not a list', async () => {
  const ask = oneList()
  const long = Buffer.alloc(1_000_000)
  for (const [path, served, least] of [
    ['/page', { ...PAGE, body: long }, long.length],
    ['/error', { ...GOOD, status: 500, body: long }, long.length],
    ['/longer', { ...GOOD, body: Buffer.alloc(LIMITS.oneListBytes + 1) }, LIMITS.oneListBytes],
    ['/broken', { ...GOOD, body: long, breaksOff: true }, long.length],
  ] as const) {
    const budget = newListBudget()
    answer = served
    assert.equal((await ask(0, path, { budget })).outcome, 'unavailable')
    assert.equal(budget.bytesLeft, LIMITS.listBytes - least, path)
  }
})

test('a list is read only while its response has budget left', async () => {
  const ask = oneList()
  const budget = { ...newListBudget(), bytesLeft: 1 }
  const found = await Promise.all([ask(0, '/1', { budget }), ask(0, '/2', { budget })])
  // Which of the two was downloaded first depends on the network.
  assert.deepEqual(found.map(({ outcome }) => outcome).sort(), ['fetched', 'unavailable'])
  assert.deepEqual(found.map(overBudget).sort(), [false, true])
  // A list that another response waits for is read for that response, and fetched once.
  const spent = { ...newListBudget(), bytesLeft: 1 }
  const own = ['/3', '/4'].map((path) => ask(0, path, { budget: spent }))
  const others = ['/3', '/4'].map((path, at) => ask(0, path, { owner: `other ${at}` }))
  for (const { outcome } of await Promise.all([...own, ...others])) assert.equal(outcome, 'fetched')
  assert.equal(requests, 4)
})

/** Returns a worker that reads on demand, and reports which lists wait for it. */
function stalledReader() {
  const waiting = new Map<string, () => void>()
  const blockedReader: ListReader = {
    read: async (job, owners) => {
      await new Promise<void>((resolve) => void waiting.set(nameOf(job.bytes), resolve))
      return reader.read(job, owners)
    },
    close: async () => undefined,
  }
  const release = async (name: string) => {
    await waitUntil(`the list ${name} waits for the worker`, () => waiting.has(name))
    const go = waiting.get(name)
    waiting.delete(name)
    go?.()
  }
  return { blockedReader, waiting, release }
}

test('a list that another response waits for is not delayed by other lists of the first one', async () => {
  const { blockedReader, waiting, release } = stalledReader()
  const ask = oneList('status_list_jwt', {}, blockedReader)
  const budget = newListBudget()
  answer = { ...GOOD, body: mint('own') }
  const own = ask(0, '/own', { budget })
  await waitUntil('the first list waits for the worker', () => waiting.has('own'))
  answer = { ...GOOD, body: mint('common') }
  const begun = ask(0, '/common', { budget })
  await waitUntil('the second list was asked for', () => requests === 2)
  const joined = ask(0, '/common', { owner: 'two' })
  await release('common')
  assert.equal(fetched(await joined).name, 'common')
  assert.equal(fetched(await begun).name, 'common')
  await release('own')
  assert.equal(fetched(await own).name, 'own')
  assert.equal(requests, 2)
})

test('a caller without budget does not get a list before callers with one', async () => {
  const { blockedReader, waiting, release } = stalledReader()
  const ask = oneList('status_list_jwt', {}, blockedReader)
  answer = { ...GOOD, body: mint('small') }
  const poor = Array.from({ length: 5 }, () => newListBudget())
  for (const [at, budget] of poor.entries()) {
    const got = ask(0, `/${at}`, { budget })
    await release('small')
    assert.equal((await got).outcome, 'fetched')
    budget.bytesLeft = 1
  }
  answer = { ...GOOD, body: mint('common') }
  const before = requests
  const refused = poor.map((budget) => ask(0, '/common', { budget }))
  await waitUntil('it is read for the first of them', () => waiting.has('common'))
  // This caller comes after that read began, and waits behind all others.
  const other = ask(0, '/common', { owner: 'two' })
  await release('common')
  assert.deepEqual((await Promise.all(refused)).map(overBudget), Array(5).fill(true))
  await release('common')
  assert.equal(fetched(await other).name, 'common')
  assert.equal(requests, before + 2)
})

test('if the response that fetches a list has no budget left, one that waits for it fetches the list itself', async () => {
  const ask = oneList('status_list_jwt', { atOnce: 1 })
  const spent = { ...newListBudget(), bytesLeft: 1 }
  const fresh = newListBudget()
  const first = ask(0, '/1', { budget: spent })
  // `/2` waits for the slot of its response; by then the other response has begun to fetch it.
  const own = [ask(0, '/0', { budget: fresh, owner: 'two' }), ask(0, '/2', { budget: fresh, owner: 'two' })]
  const [, ...found] = await Promise.all([first, ask(0, '/2', { budget: spent }), ...own])
  assert.deepEqual(
    found.slice(1).map(({ outcome }) => outcome),
    ['fetched', 'fetched'],
  )
})

test('a response fetches a limited number of lists at once, and none starts too late', async () => {
  let open = 0
  let openMax = 0
  const waiting: (() => void)[] = []
  const slow = createServer((_request, response) => {
    open += 1
    openMax = Math.max(openMax, open)
    waiting.push(() => {
      open -= 1
      response.writeHead(200, { 'content-type': GOOD.type }).end(JWT)
    })
    if (waiting.length % 2 === 0) for (const release of waiting.splice(0)) release()
  })
  slow.listen(0, OUTSIDE)
  await once(slow, 'listening')
  const { port } = slow.address() as { port: number }
  const world = {
    requests: thread,
    own: async () => null,
    reader,
    reportFailure,
    bytesMax: LIMITS.oneListBytes,
  }
  const askAll = (beginWithinMs: number) => {
    const lists = createStatusLists({ ...world, bounds: { atOnce: 2, beginWithinMs } })
    const budget = newListBudget()
    const source = { kind: 'status_list_jwt', format: 'dc+sd-jwt' } as const
    const urls = Array.from({ length: 6 }, (_, at) => `http://${OUTSIDE}:${port}/${at}`)
    const question = { environment: 'test', nowMs: 1_800_000_000_000, owner: 'one', budget } as const
    return Promise.all(urls.map((uri) => lists.find({ ...question, source: { ...source, uri } })))
  }
  try {
    assert.ok((await askAll(60_000)).every((found) => found.outcome === 'fetched'))
    assert.equal(openMax, 2)
    assert.deepEqual((await askAll(-1)).map(overBudget), Array(6).fill(true))
  } finally {
    slow.close()
  }
})

test('a list that another tenant requests, too, does not wait behind all lists of the first', async () => {
  const revoked = Array.from({ length: 150_000 }, (_, at) => ({
    serial: Buffer.of(1, at >> 16, (at >> 8) & 255, at & 255),
  }))
  const body = mintCrl({ revoked })
  const bodies = new Map([...'0123456789'].map((name) => [`/${name}`, body]))
  const host = createServer(({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'application/pkix-crl' }).end(bodies.get(url) ?? mintCrl())
  })
  host.listen(0, OUTSIDE)
  await once(host, 'listening')
  const { port } = host.address() as { port: number }
  const single = createListReader({ workers: 1 })
  const world = { requests: thread, own: async () => null, reader: single, reportFailure }
  const lists = createStatusLists({ ...world, bytesMax: LIMITS.oneListBytes })
  const read: string[] = []
  const ask = async (path: string, owner: string) => {
    const source = { kind: 'crl', format: 'mso_mdoc', uri: `http://${OUTSIDE}:${port}${path}` } as const
    const question = { environment: 'test', nowMs: 1_800_000_000_000, budget: newListBudget() } as const
    assert.equal((await lists.find({ ...question, source, owner })).outcome, 'fetched')
    read.push(`${owner} ${path}`)
  }
  try {
    const long = [...bodies.keys()].map((path) => ask(path, 'one'))
    await Promise.race(long)
    // The long lists wait for the worker by now.
    await Promise.all([...long, ask('/common', 'one'), ask('/common', 'two')])
    assert.ok(read.indexOf('two /common') < 6, read.join(', '))
  } finally {
    await single.close()
    host.close()
  }
})

test('a tenant may download a limited number of lists at once', async () => {
  const inProgress = { each: 2, all: 4, reserve: 1, light: 1 }
  const ask = oneList('status_list_jwt', { inProgress })
  const found = await Promise.all(['/1', '/2', '/3'].map((path) => ask(0, path)))
  assert.deepEqual(found.map(overBudget), [false, false, true])
  assert.equal((await ask(0, '/3')).outcome, 'fetched', 'a slot is free when the other lists have arrived')
})

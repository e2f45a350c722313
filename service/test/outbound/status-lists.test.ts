// Lists over the network: how long a failure lasts, and what is taken for a list at all.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import type { StatusSource } from '@vidimus/engine'
import { makeEgress } from '../../src/outbound/egress/client.ts'
import { createStatusLists } from '../../src/outbound/trust/status-lists.ts'
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
const place = server.address()
assert.ok(typeof place === 'object' && place !== null)
const base = `http://${OUTSIDE}:${place.port}`

/** A memory of its own, and one list: asked for at a second of its time. */
function oneList(kind: StatusSource['kind'] = 'status_list_jwt') {
  const egress = makeEgress({ policy: testPolicy({ environment: 'test' }) })
  const lists = createStatusLists({ test: egress, live: egress }, () => null)
  requests = 0
  answer = GOOD
  return (second: number) =>
    lists.find({
      source: { kind, format: kind === 'status_list_jwt' ? 'dc+sd-jwt' : 'mso_mdoc', uri: `${base}/list` },
      environment: 'test',
      nowMs: 1_800_000_000_000 + second * 1000,
      lifetimeOf: () => ({ ttlSeconds: 60, expiresAt: null }),
    })
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
  assert.deepEqual(await ask(0), { outcome: 'fetched', bytes: GOOD.body, contentType: GOOD.type, stale: false })
  answer = PAGE
  assert.deepEqual(await ask(61), { outcome: 'fetched', bytes: GOOD.body, contentType: GOOD.type, stale: true })
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

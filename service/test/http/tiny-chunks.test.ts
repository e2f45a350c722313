// Tests bodies in tiny chunks: the cost of each chunk is counted, and a sender cannot send many, on any route.

import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { after, beforeEach, test } from 'node:test'
import { buildApp } from '../../src/http-server.ts'
import { parseCidr } from '../../src/platform/cidr.ts'
import { withoutKey } from '../../src/platform/http/access.ts'
import {
  CHUNK_BYTES_AVERAGE,
  CHUNK_BYTES_LEAST,
  CHUNKS_AT_ONCE,
  LATE_BODY_BYTES,
  TINY_CHUNKS,
} from '../../src/platform/http/bounds/limits.ts'
import { connectionsCut, heldBytes } from '../harness/metric-values.ts'
import { closing, head, rawClient } from '../harness/servers/raw-client.ts'
import { testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const PROXY = '127.0.0.200'
const trusted = parseCidr(`${PROXY}/32`)
assert.ok(trusted !== null)
const deps = { ...service.deps, config: { ...service.deps.config, trustedProxies: [trusted] } }
const key = await service.key(await service.tenant())
const app = buildApp(deps)
const kept: number[] = []
const route = { ...withoutKey(deps), bodyLimit: 2_000_000, schema: { hide: true } }
app.post('/length', route, async ({ body }) => {
  const { length } = JSON.stringify(body)
  kept.push(length)
  return { length }
})
after(() => app.close())
const client = await rawClient(app)

const CHUNKED = 'Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const cutTo = (text: string, length: number) =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, at) => chunk(text.slice(at * length, (at + 1) * length)))
const textOf = (length: number) => JSON.stringify('A'.repeat(length - 2))

/** How many one-byte chunks an address with a full budget may send, and one more. */
const TINY_MAX = CHUNKS_AT_ONCE * (1 + TINY_CHUNKS.each.burst)
const TINY = chunk('1').repeat(TINY_MAX + 1)

// Advances until all budgets are full again.
beforeEach(() => service.clock.advance((1000 * TINY_CHUNKS.each.burst) / TINY_CHUNKS.each.perSecond))

async function untilHeld(bytes: number): Promise<void> {
  await waitUntil(`${bytes} bytes are held`, async () => (await heldBytes(deps)) === bytes)
}

async function assertCut(text: string, reasons: readonly string[], from?: string): Promise<void> {
  const count = async () =>
    (await Promise.all(reasons.map((reason) => connectionsCut(deps, reason)))).reduce((sum, one) => sum + one)
  const before = await count()
  const { socket, theirs } = await client.open(from)
  const closed = closing(theirs)
  socket.write(text)
  await closed
  assert.equal(await count(), before + 1)
  await untilHeld(0)
}

async function assertRead(parts: readonly string[], length: number, from?: string): Promise<void> {
  const body = [...parts, '0\r\n\r\n'].join('')
  assert.match(await client.ask(`POST /length HTTP/1.1\r\n${CHUNKED}\r\n${body}`, from), /^HTTP\/1\.1 200 /)
  assert.equal(kept.pop(), length)
  await untilHeld(0)
}

const { id } = await create(service, key)

const LINES = [
  'POST /v1/devices/token',
  'POST /v1/usage',
  'POST /v1/verifications',
  'POST /nope',
  'GET /nope',
  'GET /readyz',
]
for (const line of [...LINES, `GET /verify/${id}/events`]) {
  test(`${line.replace(id, '…')}: a body of one-byte chunks ends its connection`, async () => {
    // Unread bodies are limited as well: that limit may apply first.
    await assertCut(`${line} HTTP/1.1\r\n${CHUNKED}\r\n${TINY}`, ['tiny_chunks', 'late_body'])
  })
}

test('a large first chunk allows many tiny ones, up to a limit', async () => {
  const large = chunk('1'.repeat(CHUNK_BYTES_AVERAGE * 1_000))
  await assertCut(
    `POST /length HTTP/1.1\r\n${CHUNKED}\r\n${large}${chunk('1').repeat(999 + TINY_CHUNKS.each.burst * CHUNKS_AT_ONCE + 1)}`,
    ['tiny_chunks'],
  )
})

test('chunks that were read together with the chunk that exceeded the limit are dropped', async () => {
  let handed = 0
  const watch = (request: IncomingMessage) => {
    const push = request.push.bind(request)
    request.push = (part: unknown) => {
      if (part !== null) handed += 1
      return push(part)
    }
  }
  app.server.on('request', watch)
  await assertCut(`POST /length HTTP/1.1\r\n${CHUNKED}\r\n${chunk('1').repeat(10_000)}`, ['tiny_chunks'])
  app.server.off('request', watch)
  assert.equal(handed, TINY_MAX + 1)
})

test('an address has one budget for tiny chunks in all its bodies, which refills; other addresses have their own', async () => {
  const tiny = cutTo(textOf(TINY_MAX), 1)
  await assertRead(tiny, TINY_MAX)
  const oneLotMore = `POST /length HTTP/1.1\r\n${CHUNKED}\r\n${chunk('1').repeat(CHUNKS_AT_ONCE + 1)}`
  await assertCut(oneLotMore, ['tiny_chunks'])
  await assertRead(tiny, TINY_MAX, '127.0.0.3')
  service.clock.advance(1000 / TINY_CHUNKS.each.perSecond)
  await assertRead(cutTo(textOf(2 * CHUNKS_AT_ONCE), 1), 2 * CHUNKS_AT_ONCE)
  await assertCut(oneLotMore, ['tiny_chunks'])
})

test('all addresses together have a budget for tiny chunks, too; when it is spent, bodies of normal clients still pass', async () => {
  const tiny = cutTo(textOf(TINY_MAX), 1)
  for (let spent = 0, at = 10; spent < TINY_CHUNKS.all.burst; spent += TINY_CHUNKS.each.burst, at += 1)
    await assertRead(tiny, TINY_MAX, `127.0.0.${at}`)
  const fresh = '127.0.0.50'
  await assertCut(`POST /length HTTP/1.1\r\n${CHUNKED}\r\n${TINY}`, ['tiny_chunks'], fresh)
  await assertRead(cutTo(textOf(CHUNKS_AT_ONCE), 1), CHUNKS_AT_ONCE, fresh)
  await assertRead(cutTo(textOf(1_999_999), 1_400), 1_999_999, fresh)
})

test("a trusted proxy's chunks count only in the total, because they are of many clients", async () => {
  const limit = CHUNKS_AT_ONCE * (1 + TINY_CHUNKS.all.burst)
  await assertRead(cutTo(textOf(limit), 1), limit, PROXY)
  const oneLotMore = `POST /length HTTP/1.1\r\n${CHUNKED}\r\n${chunk('1').repeat(CHUNKS_AT_ONCE + 1)}`
  await assertCut(oneLotMore, ['tiny_chunks'], PROXY)
})

test('the body of a GET whose answer is a stream is limited during the stream', async () => {
  const body = chunk('1'.repeat(LATE_BODY_BYTES + 1))
  await assertCut(`GET /verify/${id}/events HTTP/1.1\r\n${CHUNKED}\r\n${body}`, ['late_body'])
})

test('discarded bytes are counted by their chunks', async () => {
  const chunks = chunk('1').repeat(LATE_BODY_BYTES / CHUNK_BYTES_LEAST + 1)
  await assertCut(`GET /nope HTTP/1.1\r\n${CHUNKED}\r\n${chunks}`, ['late_body'])
})

for (const [what, length, size] of [
  ['packets that a proxy passes on', 1_999_999, 1_400],
  ['what clients write at a time', 1_999_999, 16_384],
  ['a small body written letter by letter', 1_024, 1],
] as const) {
  test(`a body in chunks of ${size} bytes is read: ${what}`, async () => {
    await assertRead(cutTo(textOf(length), size), length)
  })
}

test('a stored chunk counts for what it costs', async () => {
  const { socket } = await client.open()
  socket.write(`POST /length HTTP/1.1\r\n${CHUNKED}\r\n${chunk('1').repeat(100)}`)
  await untilHeld(100 * CHUNK_BYTES_LEAST)
  socket.resetAndDestroy()
  await untilHeld(0)
})

test('chunks of a small body with a content length count for what they cost, too, if it arrives byte by byte', async () => {
  const { socket, theirs } = await client.open()
  await written(
    socket,
    theirs,
    'POST /length HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 600\r\n\r\n',
  )
  await untilHeld(600)
  for (const [sent, bytes] of [600, 2 * CHUNK_BYTES_LEAST, 3 * CHUNK_BYTES_LEAST].entries()) {
    await written(socket, theirs, sent === 0 ? '"' : 'A')
    await untilHeld(bytes)
  }
  assert.match(await head(socket, `${'A'.repeat(596)}"`), /^HTTP\/1\.1 200 /)
  await untilHeld(0)
})

/** Resolves when the service has read the text. */
async function written(socket: Socket, theirs: Socket, text: string): Promise<void> {
  const read = theirs.bytesRead
  socket.write(text)
  await waitUntil('the service has read it', () => theirs.bytesRead >= read + text.length)
}

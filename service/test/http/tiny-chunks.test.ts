// Bodies cut into tiny chunks: what each costs is counted, and nobody can send many of them, whatever is asked.

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, test } from 'node:test'
import {
  BODY_CHUNKS_FREE,
  CHUNK_BYTES_AVERAGE,
  CHUNK_BYTES_LEAST,
  LATE_BODY_BYTES,
} from '../../src/http/bounds/limits.ts'
import { withoutKey } from '../../src/http/principal.ts'
import { buildApp } from '../../src/http/server.ts'
import { connectionsCut, heldBytes } from '../harness/metric-values.ts'
import { closing, head, rawClient } from '../harness/servers/raw-client.ts'
import { testService } from '../harness/service.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const { deps } = service
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

/** One more than may be, of one byte each; the body does not end. */
const TINY = chunk('1').repeat(BODY_CHUNKS_FREE + 1)

async function untilHeld(bytes: number): Promise<void> {
  while ((await heldBytes(deps)) !== bytes) await new Promise(setImmediate)
}

async function assertCut(text: string, ...reasons: string[]): Promise<void> {
  const count = async () =>
    (await Promise.all(reasons.map((reason) => connectionsCut(deps, reason)))).reduce((sum, one) => sum + one)
  const before = await count()
  const { socket, theirs } = await client.open()
  const closed = closing(theirs)
  socket.write(text)
  await closed
  assert.equal(await count(), before + 1)
  await untilHeld(0)
}

const { id } = await create(service, key)

for (const line of ['POST /v1/devices/token', 'POST /nope', 'GET /nope', 'GET /readyz', `GET /verify/${id}/events`]) {
  test(`${line.replace(id, '…')}: a body of one-byte chunks ends its connection`, async () => {
    // What nobody reads is weighed as well: that may be first.
    await assertCut(`${line} HTTP/1.1\r\n${CHUNKED}\r\n${TINY}`, 'tiny_chunks', 'late_body')
  })
}

test('a large first chunk buys many tiny ones, and no more than that', async () => {
  const large = chunk('1'.repeat(CHUNK_BYTES_AVERAGE * (BODY_CHUNKS_FREE + 10)))
  await assertCut(
    `POST /length HTTP/1.1\r\n${CHUNKED}\r\n${large}${chunk('1').repeat(BODY_CHUNKS_FREE + 20)}`,
    'tiny_chunks',
  )
})

test('the body of a GET whose answer is a stream is bounded while the stream goes on', async () => {
  const body = chunk('1'.repeat(LATE_BODY_BYTES + 1))
  await assertCut(`GET /verify/${id}/events HTTP/1.1\r\n${CHUNKED}\r\n${body}`, 'late_body')
})

test('what is thrown away is weighed by its chunks', async () => {
  const chunks = chunk('1').repeat(LATE_BODY_BYTES / CHUNK_BYTES_LEAST + 1)
  await assertCut(`GET /nope HTTP/1.1\r\n${CHUNKED}\r\n${chunks}`, 'late_body')
})

for (const [what, length, size] of [
  ['packets that somebody passes on', 1_999_999, 1_400],
  ['what clients write at a time', 1_999_999, 16_384],
  ['a small body written letter by letter', BODY_CHUNKS_FREE, 1],
] as const) {
  test(`a body in chunks of ${size} bytes is read: ${what}`, async () => {
    const parts = [...cutTo(textOf(length), size), '0\r\n\r\n']
    assert.match(await client.ask(`POST /length HTTP/1.1\r\n${CHUNKED}\r\n${parts.join('')}`), /^HTTP\/1\.1 200 /)
    assert.equal(kept.pop(), length)
    await untilHeld(0)
  })
}

test('a chunk that is kept counts for what it costs', async () => {
  const { socket } = await client.open()
  socket.write(`POST /length HTTP/1.1\r\n${CHUNKED}\r\n${chunk('1').repeat(100)}`)
  await untilHeld(100 * CHUNK_BYTES_LEAST)
  socket.resetAndDestroy()
  await untilHeld(0)
})

test('the same where a small body says its length and comes byte by byte', async () => {
  const { socket, theirs } = await client.open()
  await written(
    socket,
    theirs,
    'POST /length HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 600\r\n\r\n',
  )
  await untilHeld(600)
  for (const [sent, held] of [600, 2 * CHUNK_BYTES_LEAST, 3 * CHUNK_BYTES_LEAST].entries()) {
    await written(socket, theirs, sent === 0 ? '"' : 'A')
    await untilHeld(held)
  }
  assert.match(await head(socket, `${'A'.repeat(596)}"`), /^HTTP\/1\.1 200 /)
  await untilHeld(0)
})

/** Done when the service has read it. */
async function written(socket: Socket, theirs: Socket, text: string): Promise<void> {
  const read = theirs.bytesRead
  socket.write(text)
  while (theirs.bytesRead < read + text.length) await new Promise(setImmediate)
}

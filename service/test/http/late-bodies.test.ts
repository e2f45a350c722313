// Tests that late bodies, or bodies of clients that hung up, are not stored, and end their connection.

import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { buildApp } from '../../src/http-server.ts'
import { withoutKey } from '../../src/platform/http/access.ts'
import { BUFFERED_BYTES, CHUNK_BYTES_LEAST, LATE_BODY_BYTES } from '../../src/platform/http/bounds/limits.ts'
import { connectionsCut, heldBytes } from '../harness/metric-values.ts'
import { closing, head, type RawClient, rawClient } from '../harness/servers/raw-client.ts'
import { testService } from '../harness/service.ts'
import { once, waitUntil } from '../harness/wait.ts'

const service = await testService({ requestsInFlightMax: 5 })
const { deps } = service
const key = await service.key(await service.tenant())
const client = await rawClient(service.app)

const CHUNKED = 'Host: x\r\nTransfer-Encoding: chunked\r\n'
const json = 'Content-Type: application/json\r\n'
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'A'.repeat(bytes)}\r\n`
const usage = `GET /v1/usage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`

async function untilNothingIsHeld(): Promise<void> {
  await waitUntil('no bytes are held', async () => (await heldBytes(deps)) === 0)
}

const early = {
  'a GET of an unknown route': `GET /nope HTTP/1.1\r\n${CHUNKED}\r\n`,
  'a GET of a known route': `GET /readyz HTTP/1.1\r\n${CHUNKED}\r\n`,
  'a POST of an unsupported type to an unknown route': `POST /nope HTTP/1.1\r\n${CHUNKED}Content-Type: text/plain\r\n\r\n`,
  'a POST of another media type': `POST /v1/devices/enroll HTTP/1.1\r\n${CHUNKED}Content-Type: text/plain\r\n\r\n`,
  'a POST without a key': `POST /v1/verifications HTTP/1.1\r\n${CHUNKED}${json}\r\n`,
  'a method that is not read': `PROPFIND /nope HTTP/1.1\r\n${CHUNKED}\r\n`,
} as const

for (const [what, text] of Object.entries(early)) {
  test(`${what}: bytes after the answer are not counted, and the connection continues when the body has ended`, async () => {
    const { socket } = await client.open()
    assert.match(await head(socket, text), /^HTTP\/1\.1 (?:200|401|404|405|415) /)
    socket.removeAllListeners('data')
    // Sends more than the buffers in between take, so that writing would stop if the service did not read.
    for (let count = 0; count < 2; count += 1) socket.write(chunk(LATE_BODY_BYTES / 2 - 20_000))
    assert.match(await head(socket, `0\r\n\r\n${usage}`), /HTTP\/1\.1 200 /)
    await untilNothingIsHeld()
  })
}

test('a body that is too large is answered before it ends, and none of its bytes stays counted', async () => {
  const sized = `POST /v1/verifications HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${json}Content-Length: 900000\r\n\r\n`
  const chunked = `POST /v1/verifications HTTP/1.1\r\n${CHUNKED}Authorization: Bearer ${key}\r\n${json}\r\n${chunk(300_000)}`
  for (const text of [sized, chunked]) {
    const answer = await client.ask(text)
    assert.match(answer, /^HTTP\/1\.1 413 /)
    assert.match(answer, /connection: close/i)
    await untilNothingIsHeld()
  }
})

for (const [what, text] of Object.entries(early))
  test(`${what}: a body that does not end after its answer ends its connection`, async () => {
    const { socket, theirs } = await client.open()
    const before = await connectionsCut(deps, 'late_body')
    assert.match(await head(socket, text), /^HTTP\/1\.1 (?:200|401|404|405|415) /)
    const closed = closing(theirs)
    socket.write(chunk(LATE_BODY_BYTES + 1))
    await closed
    assert.equal(await connectionsCut(deps, 'late_body'), before + 1)
    await untilNothingIsHeld()
  })

test('the service notices a client that hangs up during a late body immediately', async () => {
  const { socket, theirs } = await client.open()
  assert.match(await head(socket, early['a POST of another media type']), /^HTTP\/1\.1 415 /)
  const closed = closing(theirs)
  socket.end(chunk(100_000))
  await closed
})

for (const [what, length] of Object.entries({ small: 1_000, large: 100_000 })) {
  test(`an operator sees the bytes of a ${what} body while it arrives, before the answer`, async () => {
    const { socket, theirs } = await client.open()
    const line = `POST /v1/verifications HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`
    socket.write(`${line}${json}Content-Length: ${length}\r\n\r\n${'A'.repeat(500)}`)
    await waitUntil('bytes are held', async () => (await heldBytes(deps)) > 0)
    assert.equal(
      await heldBytes(deps),
      what === 'small' ? length : CHUNK_BYTES_LEAST,
      'a small body counts with its declared length',
    )
    const closed = closing(theirs)
    socket.destroy()
    await closed
    await untilNothingIsHeld()
  })
}

test('the body of a client that hung up while a hook waited is not counted', async () => {
  const gate = Promise.withResolvers<void>()
  const app = buildApp(deps)
  const { onRequest: access, ...rest } = withoutKey(deps)
  const waiting = async () => gate.promise
  app.post('/waits', { ...rest, onRequest: [access, waiting].flat(), schema: { hide: true } }, async () => ({}))
  after(() => app.close())
  const own = await rawClient(app)
  await aborted(own, `POST /waits HTTP/1.1\r\nHost: x\r\n${json}Content-Length: 10000\r\n\r\n`, app)
  gate.resolve()
  await new Promise(setImmediate)
  assert.match(await own.ask(usage), /^HTTP\/1\.1 200 /)
  await untilNothingIsHeld()
})

test('the remaining hooks do nothing for a client that hung up while a hook waited', async () => {
  const gate = Promise.withResolvers<void>()
  let runs = 0
  const app = buildApp(deps)
  const { onRequest: access, ...rest } = withoutKey(deps)
  const waiting = async () => gate.promise
  const counting = async () => {
    runs += 1
  }
  const hooks = { onRequest: [access, waiting].flat(), preHandler: counting }
  app.get('/waits', { ...rest, ...hooks, schema: { hide: true } }, async () => ({}))
  after(() => app.close())
  const own = await rawClient(app)
  const request = 'GET /waits HTTP/1.1\r\nHost: x\r\n\r\n'
  await aborted(own, request, app)
  gate.resolve()
  assert.match(await own.ask(request), /^HTTP\/1\.1 200 /)
  assert.equal(runs, 1, 'the hook runs for the client that waited')
})

test('a body that continues after an unread answer is not counted', async () => {
  const app = buildApp(deps)
  const large = Buffer.alloc(BUFFERED_BYTES.each * 0.75, 0x20)
  const answering = async (_request: FastifyRequest, reply: FastifyReply) => reply.send(large)
  app.post('/large', { ...withoutKey(deps), preParsing: answering, schema: { hide: true } }, async () => ({}))
  after(() => app.close())
  const own = await rawClient(app)
  const { socket, theirs } = await own.open()
  socket.pause()
  socket.write(`POST /large HTTP/1.1\r\n${CHUNKED}${json}\r\n`)
  await waitUntil('bytes are held', async () => (await heldBytes(deps)) > 0)
  const read = theirs.bytesRead
  socket.write(chunk(10_000))
  await waitUntil('the service has read it', () => theirs.bytesRead >= read + 10_000)
  assert.ok(theirs.writableLength > 0, 'it is not read')
  await new Promise(setImmediate)
  assert.equal(await heldBytes(deps), large.length)
  const closed = closing(theirs)
  socket.resetAndDestroy()
  await closed
  await untilNothingIsHeld()
})

test('a handler whose client hung up keeps its request slot until it ends', async () => {
  const gate = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const narrow = { ...deps, config: { ...deps.config, requestsInFlightMax: 1 } }
  const app = buildApp(narrow)
  app.get('/slow', { ...withoutKey(narrow), schema: { hide: true } }, async () => {
    started.resolve()
    await gate.promise
  })
  after(() => app.close())
  const own = await rawClient(app)
  await aborted(own, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n', app, started.promise)
  assert.match(await own.ask(usage), /^HTTP\/1\.1 503 /)
  gate.resolve()
  await new Promise(setImmediate)
  assert.match(await own.ask(usage), /^HTTP\/1\.1 200 /)
})

/** Sends, waits for the arrival and for `work`, and hangs up; resolves when the service has noticed. */
async function aborted(from: RawClient, text: string, app: typeof service.app, when?: Promise<void>): Promise<void> {
  const { socket } = await from.open()
  const arrived = once(app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  socket.write(text)
  const [, response] = await arrived
  await when
  const closed = once(response, 'close')
  socket.resetAndDestroy()
  await closed
}

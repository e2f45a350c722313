// Somebody who sends slowly, or a lot, takes from a witness no more than an address may have: others are answered.

import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import test, { after } from 'node:test'
import { BODY_CHUNKS_FREE, WITNESS } from '../../src/http/bounds/limits.ts'
import { createWitnessServer } from '../../src/http/log/witness-server.ts'

let gate: Promise<void> = Promise.resolve()
const submissions = new EventEmitter()
const server = createWitnessServer(async () => {
  submissions.emit('waits')
  await gate
  return { outcome: 'malformed' }
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
const port = typeof address === 'object' && address !== null ? address.port : assert.fail()
const sockets: Socket[] = []
after(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

const HEAD = 'POST /add-checkpoint HTTP/1.1\r\nHost: x\r\n'

async function open(from: string): Promise<Socket> {
  const accepted = once(server, 'connection')
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  sockets.push(socket)
  socket.on('error', () => undefined)
  await accepted
  return socket
}

/** The status of a whole submission. */
async function submit(from: string): Promise<number> {
  const sent = request({
    port,
    host: '127.0.0.1',
    localAddress: from,
    path: '/add-checkpoint',
    method: 'POST',
    agent: false,
  })
  sent.end('old 0\n\nx')
  const [answer] = await once(sent, 'response')
  answer.resume()
  return answer.statusCode
}

/** Bodies that do not end, each once the witness has begun to read it. */
async function beginSlowly(from: string, count: number): Promise<Socket[]> {
  const begun: Socket[] = []
  for (let at = 0; at < count; at += 1) {
    const socket = await open(from)
    const arrived = once(server, 'request')
    socket.write(`${HEAD}Content-Length: 100\r\n\r\nold`)
    await arrived
    begun.push(socket)
  }
  return begun
}

test('bodies that do not end silence nobody else', async () => {
  const slow = await beginSlowly('127.0.0.2', WITNESS.bodies.each)
  slow.push(...(await beginSlowly('127.0.0.3', WITNESS.bodies.each)))
  assert.equal(await submit('127.0.0.2'), 503, 'their own share is spent')
  assert.equal(await submit('127.0.0.9'), 400)
  for (const socket of slow) socket.destroy()
})

test('submissions that wait are bounded for each address, and others have room', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  const waiting: Promise<number>[] = []
  for (let at = 0; at < WITNESS.waiting.each; at += 1) {
    const waits = once(submissions, 'waits')
    waiting.push(submit('127.0.0.6'))
    await waits
  }
  assert.equal(await submit('127.0.0.6'), 503)
  const waits = once(submissions, 'waits')
  waiting.push(submit('127.0.0.9'))
  await waits
  resolve()
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set([400]))
})

test('an address has so many connections', async () => {
  for (let at = 0; at < WITNESS.connections.each; at += 1) await open('127.0.0.4')
  const refused = await open('127.0.0.4')
  await once(refused.resume(), 'close')
  assert.equal(await submit('127.0.0.9'), 400)
})

test('a body of one-byte chunks ends its connection', async () => {
  const socket = await open('127.0.0.5')
  const closed = once(socket.resume(), 'close')
  socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${'1\r\n1\r\n'.repeat(BODY_CHUNKS_FREE + 1)}`)
  await closed
})

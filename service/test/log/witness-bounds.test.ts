// Tests that a slow sender, or one with many submissions, occupies a limited part of a witness.

import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import test, { after } from 'node:test'
import { createWitnessServer } from '../../src/features/transparency/http/witness-server.ts'
import { CHUNKS_AT_ONCE, WITNESS } from '../../src/platform/http/bounds/limits.ts'
import { once, waitUntil } from '../harness/wait.ts'

let gate: Promise<void> = Promise.resolve()
let isBroken = false
const submissions = new EventEmitter()
const work = async () => {
  submissions.emit('waits')
  await gate
  if (isBroken) throw new Error('the state cannot be read')
  return { outcome: 'malformed' } as const
}
const server = createWitnessServer({ cosign: work, cosignEpoch: work, newest: async () => null })
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

/** Returns the status of a whole submission. */
async function submit(from: string, { method = 'POST', path = '/add-checkpoint' } = {}): Promise<number> {
  const sent = request({ port, host: '127.0.0.1', localAddress: from, path, method, agent: false })
  sent.end(method === 'POST' ? 'old 0\n\nx' : '')
  const [answer] = await once(sent, 'response')
  answer.resume()
  return answer.statusCode
}

/** Begins bodies that do not end. Returns when the witness has begun to read each. */
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

test('endless bodies of one sender do not block others', async () => {
  const slow = await beginSlowly('127.0.0.2', WITNESS.bodies.each)
  slow.push(...(await beginSlowly('127.0.0.3', WITNESS.bodies.each)))
  assert.equal(await submit('127.0.0.2'), 503, 'the share of their address is used up')
  assert.equal(await submit('127.0.0.9'), 400)
  for (const socket of slow) socket.destroy()
})

test('waiting submissions are limited per address, and those of other addresses are answered', async () => {
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

test('an address has a limited number of connections, and gets them back when they end', async () => {
  const sockets: Socket[] = []
  for (let at = 0; at < WITNESS.connections.each; at += 1) sockets.push(await open('127.0.0.4'))
  const refused = await open('127.0.0.4')
  let answer = ''
  refused.on('data', (bytes) => {
    answer += String(bytes)
  })
  refused.write(`${HEAD}Content-Length: 1\r\n\r\nx`)
  await once(refused, 'close')
  assert.equal(answer, '')
  assert.equal(await submit('127.0.0.9'), 400)
  for (const socket of sockets) socket.destroy()
  let status: number | null = null
  await waitUntil('a connection is free', async () => {
    status = await submit('127.0.0.4').catch(() => null)
    return status !== null
  })
  assert.equal(status, 400)
})

test('only a submission reaches the key, and a submission that cannot be checked is not signed', async () => {
  let submitted = 0
  const count = () => {
    submitted += 1
  }
  submissions.on('waits', count)
  assert.equal(await submit('127.0.0.7', { method: 'GET' }), 404)
  assert.equal(await submit('127.0.0.7', { path: '/add-checkpoint?' }), 404)
  assert.equal(submitted, 0)
  isBroken = true
  assert.equal(await submit('127.0.0.7'), 500)
  isBroken = false
  assert.equal(submitted, 1)
  submissions.off('waits', count)
})

test('a body of one-byte chunks ends its connection', async () => {
  const socket = await open('127.0.0.5')
  const closed = once(socket.resume(), 'close')
  socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${'1\r\n1\r\n'.repeat(CHUNKS_AT_ONCE + 1)}`)
  await closed
})

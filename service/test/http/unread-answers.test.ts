// Tests that a client that reads nothing of its answer for a minute is disconnected, and others are not.

import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { TIMES } from '../../src/platform/http/bounds/limits.ts'
import { createUnreadWatch } from '../../src/platform/http/sockets/unread-answers.ts'
import { once, waitUntil } from '../harness/wait.ts'

let now = 0
const cut: Socket[] = []
const watch = createUnreadWatch({ now: () => now, unreadMs: TIMES.unread, closeSocket: (socket) => cut.push(socket) })
const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const sockets: Socket[] = []
after(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

async function pair(): Promise<{ ours: Socket; theirs: Socket }> {
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const theirs = connect((server.address() as { port: number }).port, '127.0.0.1')
  theirs.pause()
  const [ours] = await accepted
  sockets.push(ours, theirs)
  watch.watch(ours)
  return { ours, theirs }
}

/** Writes more than the kernel buffers for a connection, in pieces. */
function fill(socket: Socket): void {
  const piece = Buffer.alloc(1024 * 1024)
  for (let count = 0; count < 64; count += 1) socket.write(piece)
}

async function untilStuck({ ours }: { ours: Socket }): Promise<void> {
  let last = -1
  await waitUntil('the kernel takes no more', async () => {
    const before = last
    last = ours.writableLength
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
    return before === last
  })
}

test('an answer that is not read for a minute ends its connection; a client that only sends nothing stays connected', async () => {
  const quiet = await pair()
  const stuck = await pair()
  fill(stuck.ours)
  await untilStuck(stuck)
  watch.sweep()
  now += TIMES.unread
  watch.sweep()
  assert.equal(cut.length, 0)
  now += 1
  watch.sweep()
  assert.deepEqual([cut.length, cut[0] === stuck.ours, quiet.ours.destroyed], [1, true, false])
})

test('a client that reads some of its answer has another minute', async () => {
  cut.length = 0
  const slow = await pair()
  fill(slow.ours)
  await untilStuck(slow)
  watch.sweep()
  const left = slow.ours.writableLength
  slow.theirs.resume()
  await waitUntil('the client has read some of it', () => slow.ours.writableLength !== left)
  slow.theirs.pause()
  now += TIMES.unread + 1
  watch.sweep()
  assert.ok(!cut.includes(slow.ours))
})

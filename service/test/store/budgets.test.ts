// Budgets in Redis (or Valkey): the same decisions as in process, shared by every replica.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { createRedisBudgets } from '../../src/store/redis-budgets.ts'

const budget = { perSecond: 1, burst: 20 }
const server = await startServer()
after(() => void server.child.kill('SIGKILL'))

test('400 simultaneous requests of two replicas on one bucket: the burst and not one more', async () => {
  const replicas = await Promise.all([open(), open()])
  const began = performance.now()
  const decisions = await Promise.all(
    Array.from({ length: 400 }, (_, index) => replicas[index % 2]?.spend('shared', budget, 0)),
  )
  const refilled = Math.floor((performance.now() - began) / 1000)
  const allowed = decisions.filter((decision) => decision?.allowed).length
  assert.ok(allowed >= 20 && allowed <= 20 + refilled, `${allowed} allowed`)
  for (const decision of decisions) assert.equal(decision?.allowed === false, (decision?.retryAfterSeconds ?? 0) > 0)
  await Promise.all(replicas.map((replica) => replica.close()))
})

test('a unit given back may be spent again, and giving back to a bucket that nobody knows does nothing', async () => {
  const replica = await open()
  const narrow = { perSecond: 0.001, burst: 1 }
  await replica.giveBack('returned', narrow)
  assert.equal((await replica.spend('returned', narrow, 0)).allowed, true)
  assert.equal((await replica.spend('returned', narrow, 0)).allowed, false)
  await replica.giveBack('returned', narrow)
  assert.equal((await replica.spend('returned', narrow, 0)).allowed, true)
  assert.equal((await replica.spend('returned', narrow, 0)).allowed, false)
  await replica.close()
})

test('buckets are apart and forgotten when they are full again', async () => {
  const replica = await open()
  const first = await replica.spend('a', { perSecond: 1000, burst: 1 }, 0)
  const other = await replica.spend('b', { perSecond: 1000, burst: 1 }, 0)
  assert.deepEqual([first.allowed, other.allowed], [true, true])
  assert.equal(first.remaining, 0)
  await replica.close()
})

test('a server that is gone is an error for the caller to decide on, soon and not for ever', async () => {
  const own = await startServer()
  const replica = await open(own.port)
  assert.ok((await replica.spend('x', budget, 0)).allowed)
  own.child.kill('SIGKILL')
  await once(own.child, 'exit')
  await assert.rejects(async () => {
    for (;;) await replica.spend('x', budget, 0)
  })
  await replica.close()
})

function open(port = server.port) {
  return createRedisBudgets(`redis://127.0.0.1:${port}`, () => undefined)
}

async function startServer(): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort()
  const child = spawn(
    serverBinary(),
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  for await (const chunk of child.stdout)
    if (String(chunk).includes('Ready to accept connections')) return { child, port }
  throw new Error('the Redis server did not start')
}

function serverBinary(): string {
  for (const name of ['valkey-server', 'redis-server']) {
    try {
      return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
    } catch (error) {
      if (name === 'redis-server')
        throw new Error('install redis-server or valkey-server for this test', { cause: error })
    }
  }
  throw new Error('bug: unreachable')
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

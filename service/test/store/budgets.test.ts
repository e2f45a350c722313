// Budgets in Redis (or Valkey): the same decisions as in process, shared by every replica.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { createRedisBudgets } from '../../src/store/budgets/redis.ts'
import { holdPort } from '../harness/servers/free-port.ts'

const budget = { perSecond: 1, burst: 20 }
const started: ChildProcess[] = []
after(() => {
  for (const child of started) child.kill('SIGKILL')
})
const server = await startServer()

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

test('a server that hangs is an error too', async () => {
  const own = await startServer()
  const replica = await open(own.port, 100)
  own.child.kill('SIGSTOP')
  await assert.rejects(replica.spend('x', budget, 0), /late/)
  await assert.rejects(replica.giveBack('x', budget), /late/)
  await replica.close()
  own.child.kill('SIGKILL')
  await once(own.child, 'exit')
})

/** Patient, unless patience is what is tested: how fast this machine answers is not. */
function open(port = server.port, commandTimeoutMs = 60_000) {
  return createRedisBudgets(`redis://127.0.0.1:${port}`, () => undefined, commandTimeoutMs)
}

async function startServer(): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const { port, release } = await holdPort()
    await release()
    const child = spawn(
      serverBinary(),
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    started.push(child)
    for await (const chunk of child.stdout)
      if (String(chunk).includes('Ready to accept connections')) return { child, port }
    // It ended: somebody else was given the port meanwhile.
  }
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

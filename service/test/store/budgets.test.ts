// Tests budgets in Redis (or Valkey): the same decisions as in the process, shared by every replica.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createClient } from '@redis/client'
import type { Budgets } from '../../src/platform/budgets/local.ts'
import { createRedisBudgets } from '../../src/platform/budgets/redis.ts'
import { reservePort } from '../../src/platform/reserved-port.ts'
import { once, waitUntil } from '../harness/wait.ts'

const budget = { perSecond: 1, burst: 20 }
const started: ChildProcess[] = []
after(() => {
  for (const child of started) child.kill('SIGKILL')
})
const server = await startServer()

test('of 400 simultaneous requests of two replicas on one bucket exactly the burst succeeds', async () => {
  const replicas = await Promise.all([connected(), connected()])
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

test('a returned unit can be spent again; a return to an unknown bucket does nothing', async () => {
  const replica = await connected()
  const narrow = { perSecond: 0.001, burst: 1 }
  await replica.giveBack('returned', narrow)
  assert.equal((await replica.spend('returned', narrow, 0)).allowed, true)
  assert.equal((await replica.spend('returned', narrow, 0)).allowed, false)
  await replica.giveBack('returned', narrow)
  assert.equal((await replica.spend('returned', narrow, 0)).allowed, true)
  assert.equal((await replica.spend('returned', narrow, 0)).allowed, false)
  await replica.close()
})

test('a more expensive request spends more of the bucket, and never more than a whole one', async () => {
  const replica = await connected()
  const slow = { perSecond: 0.001, burst: 10 }
  assert.equal((await replica.spend('priced', slow, 0, 7)).remaining, 3)
  assert.equal((await replica.spend('priced', slow, 0, 4)).allowed, false)
  assert.equal((await replica.spend('priced', slow, 0, 3)).remaining, 0)
  assert.equal((await replica.spend('priced', slow, 0)).allowed, false)
  assert.equal((await replica.spend('huge', slow, 0, 1_000)).remaining, 0)
  await replica.close()
})

test('two installations on one server have separate budgets, and replicas of one share them', async () => {
  const [one, other, replica] = await Promise.all([
    connected('https://one.example.com'),
    connected('https://other.example.com'),
    connected('https://One.example.com:443'),
  ])
  const narrow = { perSecond: 0.001, burst: 1 }
  assert.equal((await one.spend('ours', narrow, 0)).allowed, true)
  assert.equal((await other.spend('ours', narrow, 0)).allowed, true)
  assert.equal((await replica.spend('ours', narrow, 0)).allowed, false)
  await other.giveBack('ours', narrow)
  assert.equal((await replica.spend('ours', narrow, 0)).allowed, false)
  await Promise.all([one, other, replica].map((opened) => opened.close()))
})

test('buckets are separate and deleted when they are full again', async () => {
  const replica = await connected()
  const first = await replica.spend('a', { perSecond: 1000, burst: 1 }, 0)
  const other = await replica.spend('b', { perSecond: 1000, burst: 1 }, 0)
  assert.deepEqual([first.allowed, other.allowed], [true, true])
  assert.equal(first.remaining, 0)
  await replica.close()
})

test('nothing waits for a missing server; budgets are kept in this process, and that is reported once', async () => {
  const { port, release } = await reservePort('127.0.0.1')
  await release()
  const changes: unknown[] = []
  const replica = open(port, 60_000, (reason) => changes.push(reason))
  const narrow = { perSecond: 0.001, burst: 2 }
  const spent = await Promise.all([1, 2, 3].map(() => replica.spend('x', narrow, 0)))
  assert.deepEqual(
    spent.map(({ allowed }) => allowed),
    [true, true, false],
  )
  await replica.giveBack('x', narrow)
  assert.equal((await replica.spend('x', narrow, 0)).allowed, true)
  assert.deepEqual((await replica.reach())?.isUp, false)
  assert.deepEqual((await replica.reach())?.isUp, false)
  assert.equal(changes.length, 1)
  await replica.close()
})

test('without its server the process keeps budgets itself, and uses the server when it is back', async () => {
  const own = await startServer()
  const changes = new EventEmitter()
  const replica = open(own.port, 60_000, (reason) => changes.emit(reason === null ? 'back' : 'down', reason))
  await replica.reach()
  const narrow = { perSecond: 0.001, burst: 1 }
  assert.equal((await replica.spend('x', narrow, 0)).allowed, true)
  assert.equal((await replica.spend('x', narrow, 0)).allowed, false)
  const down = once(changes, 'down')
  own.child.kill('SIGKILL')
  await down
  // Uses a separate bucket, because this process does not know the earlier use of the other.
  assert.equal((await replica.spend('x', narrow, 0)).allowed, true)
  assert.equal((await replica.spend('x', narrow, 0)).allowed, false)
  await startServer(own.port)
  let isBack = false
  changes.once('back', () => {
    isBack = true
  })
  await waitUntil('the server is used again', async () => {
    await replica.spend('y', budget, 0)
    return isBack
  })
  assert.equal((await replica.reach())?.isUp, true)
  assert.equal((await replica.spend('x', narrow, 0)).allowed, true)
  await replica.close()
})

test('one late answer does not mark the server as down: nothing is reported, and budgets are shared again', async () => {
  const own = await startServer()
  const reasons: unknown[] = []
  const replica = open(own.port, 100, (reason) => reasons.push(reason))
  const narrow = { perSecond: 0.001, burst: 1 }
  await replica.reach()
  assert.equal((await replica.spend('z', narrow, 0)).allowed, true)
  own.child.kill('SIGSTOP')
  // The answer is late, so this process decides, by its own bucket.
  assert.equal((await replica.spend('z', narrow, 0)).allowed, true)
  own.child.kill('SIGCONT')
  assert.equal((await replica.reach())?.isUp, true)
  assert.equal((await replica.spend('z', narrow, 0)).allowed, false, 'the shared bucket is spent')
  assert.deepEqual(reasons, [])
  await replica.close()
})

test('a server that is always late is down, reported once, and back when it answers in time', async () => {
  const own = await startServer()
  const reasons: unknown[] = []
  const replica = open(own.port, 100, (reason) => reasons.push(reason))
  await replica.reach()
  for (let round = 0; round < 5; round += 1) {
    const { isUp } = (await replica.reach()) ?? {}
    own.child.kill('SIGSTOP')
    await replica.spend('w', budget, 0)
    own.child.kill('SIGCONT')
    assert.equal(isUp, true)
  }
  assert.equal(reasons.length, 1, 'the server counts as unreachable until it answers, not when it accepts a connection')
  assert.match(String(reasons[0]), /in time/)
  await waitUntil('Redis is used again', async () => {
    await replica.spend('w', budget, 0)
    return reasons.length > 1
  })
  assert.deepEqual(reasons.slice(1), [null])
  await replica.close()
})

test('a server that hangs delays one request, and is not used after that', async () => {
  const own = await startServer()
  const reasons: unknown[] = []
  const events = new EventEmitter()
  const replica = open(own.port, 100, (reason) => {
    reasons.push(reason)
    events.emit('change')
  })
  await replica.reach()
  assert.ok((await replica.spend('x', budget, 0)).allowed)
  own.child.kill('SIGSTOP')
  const change = once(events, 'change')
  assert.ok((await replica.spend('x', budget, 0)).allowed)
  await change
  assert.match(String(reasons[0]), /in time/)
  const first = await Promise.race([replica.spend('x', budget, 0), turn('waited')])
  assert.notEqual(first, 'waited')
  assert.equal(reasons.length, 1)
  await replica.close()
  own.child.kill('SIGKILL')
  await once(own.child, 'exit')
})

test('if the process itself was blocked, the server does not count as down', async () => {
  // Far more time than a slow server needs. This process is blocked for longer.
  const patienceMs = 2_000
  const replica = open(server.port, patienceMs, (reason) => assert.fail(String(reason)))
  assert.equal((await replica.reach())?.isUp, true)
  const narrow = { perSecond: 0.001, burst: 1 }
  const spending = replica.spend('busy', narrow, 0)
  const until = performance.now() + patienceMs + 500
  // bounded: by the clock.
  while (performance.now() < until);
  assert.equal((await spending).allowed, true)
  // If this process had spent its own bucket, the server's would still be full.
  assert.equal((await replica.spend('busy', narrow, 0)).allowed, false)
  await replica.close()
})

test('keys in the server show neither an address nor a guessable hash of it', async () => {
  const replica = await connected()
  const name = 'sign_in_failures_all:owner@example.com'
  await replica.spend(name, { perSecond: 0.001, burst: 1 }, 0)
  await replica.close()
  const client = createClient({ url: `redis://127.0.0.1:${server.port}` })
  await client.connect()
  const keys = await client.keys('*')
  client.destroy()
  const bucket = createHmac('sha256', Buffer.alloc(32, 7)).update(name).digest('base64url')
  assert.equal(keys.filter((key) => key.endsWith(`:${bucket}`)).length, 1)
  for (const key of keys) assert.match(key, /^vidimus:rate:[\w-]{16}:[\w-]{43}$/)
})

/** Patient, except in tests of the timeout, because the speed of the machine is not tested. */
function open(
  port = server.port,
  commandTimeoutMs = 60_000,
  onChange: (reason: unknown) => void = () => undefined,
  baseUrl = 'https://verify.example.com',
) {
  const secret = Buffer.alloc(32, 7)
  return createRedisBudgets({ url: `redis://127.0.0.1:${port}`, baseUrl, secret, onChange, commandTimeoutMs })
}

async function connected(baseUrl?: string): Promise<Budgets> {
  const replica = open(server.port, 60_000, () => undefined, baseUrl)
  assert.deepEqual(await replica.reach(), { isUp: true })
  return replica
}

async function startServer(wanted: number | null = null): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const port = wanted ?? (await freePort())
    const child = spawn(
      serverBinary(),
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    started.push(child)
    for await (const chunk of child.stdout)
      if (String(chunk).includes('Ready to accept connections')) return { child, port }
    // The server ended, because another process got the port in the meantime.
  }
  throw new Error('the Redis server did not start')
}

async function freePort(): Promise<number> {
  const { port, release } = await reservePort('127.0.0.1')
  await release()
  return port
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

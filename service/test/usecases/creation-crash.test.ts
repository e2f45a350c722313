// Tests that a process that dies during a creation leaves at most one verification, and that a retry makes it exactly one.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import type { CreationOrder, DeathPoint } from '../harness/children/creation-child.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { once, waitUntil } from '../harness/wait.ts'

const CHILD = fileURLToPath(new URL('../harness/children/creation-child.ts', import.meta.url))
const service = await testService()
const { call, clock } = service

const points: [DeathPoint, number][] = [
  ['lease_idempotency_keys', 0],
  ['open_creation_test', 0],
  ['commit', 1],
]

for (const [point, left] of points) {
  test(`a creation killed after ${point} leaves ${left} verifications; the retry makes it one, with one unit and one entry`, async () => {
    const tenantId = await service.tenant()
    const key = await service.key(tenantId)
    const entriesBefore = await rowsOf('audit_entries', tenantId)
    await dieAfter(point, tenantId)
    assert.equal(await rowsOf('verifications', tenantId), left)
    const retry = () =>
      call('POST', '/v1/verifications', {
        key,
        body: { template: 'identity' },
        headers: { 'idempotency-key': 'once' },
      })
    // The retry succeeds at once, because the service knows that the process with the key is gone.
    const answer = await retry()
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.headers['idempotent-replayed'], left === 0 ? undefined : 'true')
    assert.equal((await call('GET', `/v1/verifications/${answer.json.id}`, { key })).status, 200)
    assert.equal(await rowsOf('verifications', tenantId), 1)
    assert.equal(await rowsOf('audit_entries', tenantId), entriesBefore + 1)
    assert.equal((await call('GET', '/v1/usage', { key })).json.verifications_created, 1)
  })
}

test('a stopped process keeps its lease; after its death exactly one retry gets the key', async () => {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const retry = () =>
    call('POST', '/v1/verifications', { key, body: { template: 'identity' }, headers: { 'idempotency-key': 'once' } })
  const child = spawnChild('lease_idempotency_keys', tenantId, 'SIGSTOP')
  const ended = once(child, 'exit')
  try {
    await untilStopped(child)
    const early = await Promise.all(Array.from({ length: 10 }, retry))
    for (const answer of early) assertRefused(answer, 409, 'idempotency_key_in_flight')
  } finally {
    child.kill('SIGKILL')
    await ended
  }
  await untilForgotten()
  const answers = await Promise.all(Array.from({ length: 10 }, retry))
  const created = answers.filter(
    ({ status, headers }) => status === 201 && headers['idempotent-replayed'] === undefined,
  )
  assert.equal(created.length, 1, JSON.stringify(answers.map(({ status }) => status)))
  for (const { status } of answers) assert.ok(status === 201 || status === 409, String(status))
  assert.equal(await rowsOf('verifications', tenantId), 1)
})

test('a key of a release that does not record its owner is free when its lease expires, and not before', async () => {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  await dieAfter('lease_idempotency_keys', tenantId)
  await service.deps.db.query(
    { name: 'test_unowned', text: 'update idempotency_keys set owner = null where tenant_id = $1' },
    [tenantId],
  )
  const retry = () =>
    call('POST', '/v1/verifications', { key, body: { template: 'identity' }, headers: { 'idempotency-key': 'once' } })
  const early = await retry()
  assertRefused(early, 409, 'idempotency_key_in_flight')
  clock.advance(Number(early.headers['retry-after']) * 1000)
  assert.equal((await retry()).status, 201)
})

/** The kernel shows a stopped process with the state T. */
const untilStopped = (child: ChildProcess) =>
  waitUntil('the child has stopped itself', () => /\) T /.test(readFileSync(`/proc/${child.pid}/stat`, 'utf8')))

function spawnChild(diesAfter: DeathPoint, tenantId: string, by: CreationOrder['by']): ChildProcess {
  const order: CreationOrder = {
    databaseUrl: service.url,
    nowMs: clock.now(),
    principal: {
      kind: 'api_key',
      keyId: 'key_of_the_dead',
      tenantId,
      environment: 'test',
      scopes: ['verifications:create'],
    },
    idempotencyKey: 'once',
    diesAfter,
    by,
  }
  return spawn(process.execPath, [CHILD, JSON.stringify(order)], { stdio: ['ignore', 'ignore', 'inherit'] })
}

async function dieAfter(diesAfter: DeathPoint, tenantId: string): Promise<void> {
  const child = spawnChild(diesAfter, tenantId, 'SIGKILL')
  const [code, signal] = await once(child, 'exit')
  assert.deepEqual([code, signal], [null, 'SIGKILL'])
  await untilForgotten()
}

/** The server keeps the locks of a dead client until it notices its death. */
async function untilForgotten(): Promise<void> {
  const statement = {
    name: 'test_backends',
    text: `select from pg_stat_activity where datname = current_database() and application_name = 'vidimus'`,
  }
  const isForgotten = async () => (await service.deps.db.query(statement)).length === 0
  await waitUntil('the server has noticed that its client died', isForgotten)
}

async function rowsOf(table: 'verifications' | 'audit_entries', tenantId: string): Promise<number> {
  const found = await service.deps.db.query(
    { name: `test_${table}`, text: `select from ${table} where tenant_id = $1 and environment = 'test'` },
    [tenantId],
  )
  return found.length
}

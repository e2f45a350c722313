// A process that dies in the middle of a creation leaves no verification or one, never two, and a retry makes it one.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import type { CreationOrder, DeathPoint } from '../harness/children/creation-child.ts'
import { assertRefused, testService } from '../harness/service.ts'

const CHILD = fileURLToPath(new URL('../harness/children/creation-child.ts', import.meta.url))
const service = await testService()
const { call, clock } = service

const points: [DeathPoint, number][] = [
  ['lease_idempotency_keys', 0],
  ['open_creation_test', 0],
  ['commit', 1],
]

for (const [point, left] of points) {
  test(`killed after ${point}: ${left} left behind, one after the retry, one unit, one entry`, async () => {
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
    if (left === 0) {
      const early = await retry()
      assertRefused(early, 409, 'idempotency_key_in_flight')
      clock.advance(Number(early.headers['retry-after']) * 1000)
    }
    const answer = await retry()
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.headers['idempotent-replayed'], left === 0 ? undefined : 'true')
    assert.equal((await call('GET', `/v1/verifications/${answer.json.id}`, { key })).status, 200)
    assert.equal(await rowsOf('verifications', tenantId), 1)
    assert.equal(await rowsOf('audit_entries', tenantId), entriesBefore + 1)
    assert.equal((await call('GET', '/v1/usage', { key })).json.verifications_created, 1)
  })
}

async function dieAfter(diesAfter: DeathPoint, tenantId: string): Promise<void> {
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
  }
  const child = spawn(process.execPath, [CHILD, JSON.stringify(order)], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code, signal] = await once(child, 'exit')
  assert.deepEqual([code, signal], [null, 'SIGKILL'])
  await untilForgotten()
}

/** The server notices a dead client when it next speaks to it; until then its locks stand. */
async function untilForgotten(): Promise<void> {
  const statement = {
    name: 'test_backends',
    text: `select from pg_stat_activity where datname = current_database() and application_name = 'vidimus'`,
  }
  while ((await service.deps.db.query(statement)).length > 0) await new Promise(setImmediate)
}

async function rowsOf(table: 'verifications' | 'audit_entries', tenantId: string): Promise<number> {
  const found = await service.deps.db.query(
    { name: `test_${table}`, text: `select from ${table} where tenant_id = $1 and environment = 'test'` },
    [tenantId],
  )
  return found.length
}

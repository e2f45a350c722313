// Tests the log during an outage of the store: one line at its start, a reminder per minute, and one line at its end.

import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { buildApp } from '../../src/http-server.ts'
import { outageLogOf } from '../../src/platform/http/outage-log.ts'
import { openDb } from '../../src/platform/postgres/db.ts'
import { testSealer } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const { deps, clock, logged } = service
const key = await service.key(await service.tenant())

function logEntries() {
  const lines = logged.map((line) => JSON.parse(line)).filter(({ msg }) => /^the store is /.test(msg))
  return lines.map(({ msg, count, outcome }) => [msg, count, outcome])
}

test('refuses each request during an outage, and logs them together', async () => {
  const db = await openDb({ connection: { url: service.url }, sealer: testSealer(), poolMax: 1 })
  const app = buildApp({ ...deps, db }, 'at first use')
  after(() => app.close())
  await db.close()
  const headers = { authorization: `Bearer ${key}` }
  const ask = async () => (await app.inject({ method: 'GET', url: '/v1/usage', headers })).statusCode
  for (let times = 0; times < 5; times += 1) assert.equal(await ask(), 503)
  assert.deepEqual(logEntries(), [['the store is not available', 1, 'the store is closed']])
  clock.advance(60_000)
  for (let times = 0; times < 5; times += 1) assert.equal(await ask(), 503)
  assert.deepEqual(logEntries().slice(1), [['the store is not available', 6, 'the store is closed']])
})

test('the outage ends after answers without failures for a while; the next outage is logged immediately', async () => {
  const before = logEntries().length
  const lines = () => logEntries().slice(before)
  const outages = outageLogOf(deps)
  const answer = () => deps.db.query({ name: 'test_answer', text: 'select 1 as one' })
  // Failures and answers alternate.
  for (let times = 0; times < 5; times += 1) {
    outages.noteFailure('too many callers wait for a connection')
    await answer()
    clock.advance(1_000)
  }
  assert.deepEqual(lines(), [['the store is not available', 1, 'too many callers wait for a connection']])
  clock.advance(5_000)
  // A wrong statement says nothing about the store.
  await assert.rejects(deps.db.query({ name: 'test_wrong', text: 'select 1 / 0 as none' }))
  assert.equal(lines().length, 1)
  await answer()
  await answer()
  assert.deepEqual(lines().slice(1), [['the store is available again', 5, undefined]])
  outages.noteFailure('the connection to the store was lost')
  assert.deepEqual(lines().slice(2), [['the store is not available', 1, 'the connection to the store was lost']])
})

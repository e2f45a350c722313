// Tests requests that wait for a row while retention moves it to another partition: 503, and a repeat works.

import assert from 'node:assert/strict'
import test from 'node:test'
import { moveKept } from '../../src/features/retention/store/day-partitions.ts'
import { dayAt } from '../../src/platform/postgres/days.ts'
import { instantOf } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const { call, clock, deps } = service
const { db } = deps
await runJob(deps, 'make-days')

const isWaiting = async () =>
  (
    await db.probe.query({
      name: 'test_waiting',
      text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    })
  ).length > 0

const CALLS: Readonly<Record<string, (id: string) => [string, string]>> = {
  erase: (id) => ['DELETE', `/v1/verifications/${id}`],
  cancel: (id) => ['POST', `/v1/verifications/${id}/cancel`],
  forget: (id) => ['POST', `/v1/verifications/${id}/forget`],
}

for (const [what, requestFor] of Object.entries(CALLS))
  test(`${what}: a request that waits for a row that is moved gets 503, and succeeds when repeated`, async () => {
    const key = await service.key(await service.tenant())
    const { id } = await create(service, key)
    const [method, path] = requestFor(id)
    const moved = await db.transaction(async (tx) => {
      const bounds = { keptMax: 0, createdAfter: instantOf(clock.now()), rowsMax: 10 }
      assert.equal(await moveKept(tx, dayAt(clock.now()), bounds), 1)
      const answer = call(method, path, { key })
      await waitUntil('the request waits for the row', isWaiting)
      return { answer }
    })
    const refused = await moved.answer
    assert.equal(refused.status, 503, refused.text)
    assert.ok(refused.headers['retry-after'] !== undefined)
    assert.equal((await call(method, path, { key })).status, 200)
    await call('DELETE', `/v1/verifications/${id}`, { key })
  })

// Tests that creations of tenants with long retention write to no partitioned table: retention locks these first.

import assert from 'node:assert/strict'
import test from 'node:test'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import { create } from '../wallet/verifications.ts'

/** One connection, so that its prepared statements are those that the processes send. */
const service = await testService({}, {}, { poolMax: 1 })
/** Another process. Each process finds that the other has written the trail, and reads the trail before it writes. */
const other = await testService({}, {}, { sharedWith: service })
const { db } = service.deps

async function tenantKeeping(days: number, dailyQuota: number | null = null): Promise<string> {
  const tenantId = await service.tenant({ dailyQuota })
  await db.query({ name: 'test_days', text: 'update tenants set retention_days = $2 where id = $1' }, [tenantId, days])
  return service.key(tenantId)
}

const keys: string[] = []
for (let i = 0; i < 4; i += 1) keys.push(await tenantKeeping(30), await tenantKeeping(60))
/** A tenant with a quota of one, so its settings are read with each batch. */
const spent = await tenantKeeping(60, 1)

/** Creates a verification of each tenant at once, so that they share batches. */
const createForAll = (process: typeof service) =>
  Promise.all(
    [...keys, spent].map((key) =>
      process.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } }),
    ),
  )

async function prepared(like: string): Promise<readonly string[]> {
  const text = 'select name from pg_prepared_statements where statement ~ $1'
  const rows = await db.query<{ name: string }>({ name: 'test_prepared', text }, [like])
  return rows.map(({ name }) => name)
}

test('creations of both kinds at once go to the tables of their kind', async () => {
  await runJob(service.deps, 'make-days')
  await waitUntil('the day is known', async () => {
    await create(service, keys[0] ?? '')
    return (await prepared('into verifications_[0-9]')).length > 0
  })
  for (const process of [service, other, service, other, service]) {
    const statuses = (await createForAll(process)).map(({ status }) => status)
    assert.deepEqual(new Set(statuses.slice(0, -1)), new Set([201]))
  }
  assert.ok((await prepared('into verifications_singly')).length > 0)
  assert.deepEqual(await prepared('into (verifications|audit_details)\\M'), [])
})

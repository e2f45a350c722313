// Tests how many webhooks a worker leases if the store is slow, or if a chain is locked.

import assert from 'node:assert/strict'
import test from 'node:test'
import { lockTrail } from '../../src/features/audit/store/chain.ts'
import { startDeliveries } from '../../src/features/webhooks/jobs/deliveries.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import {
  ALL_DUE,
  complete,
  declined,
  deliverDue,
  enqueueMany,
  LOOPBACK,
  patientEgress,
  startReceiver,
  takeDue,
} from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const { clock, deps } = service
const now = () => new Date(clock.now()).toISOString()

/** With this egress no attempt times out on a busy machine. A retry would come too late to be counted. */
const patient = patientEgress(deps.egress.test)

async function count(where: string): Promise<number> {
  const text = `select count(*) as found from webhook_deliveries where ${where}`
  const [row] = await deps.db.query<{ found: number }>({ name: `test_count_${where}`, text })
  return row?.found ?? 0
}

test('while the store records nothing a worker leases at most 1,024; then it continues without a poll', async () => {
  const receiver = await startReceiver()
  await enqueueMany(service, { tenantId: await service.tenant(), url: receiver.url, many: 1_300 })
  const gate = Promise.withResolvers<void>()
  // The worker polls once an hour, so everything after the first poll happens by notification.
  const slow = { ...deps, db: withSlowEndings(deps.db, gate.promise), egress: { test: patient, live: patient } }
  const worker = await startDeliveries(slow, 3_600_000)
  await waitUntil('1,024 are received', () => receiver.received.length >= 1_024)
  for (let look = 0; look < 100; look += 1) assert.equal(await count('fence > 0'), 1_024)
  gate.resolve()
  await waitUntil('all are delivered', async () => (await count(`state <> 'delivered'`)) === 0)
  await worker.stop()
  assert.equal(receiver.received.length, 1_300)
})

test('a note about a failing destination that waits for its audit chain delays no delivery', async () => {
  const [failing, calm] = [await startReceiver(), await startReceiver()]
  failing.answer = () => ({ status: 500 })
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  await declined(service, { key, url: failing.url })
  await deliverDue(service)
  clock.advance(25 * 3_600_000)
  await declined(service, { key: await service.key(await service.tenant()), url: calm.url })
  const taken = await takeDue(deps, ALL_DUE)
  assert.equal(taken.length, 2)
  const [failed, fine] = taken.toSorted((one) => (one.realm === `${tenantId}|test` ? -1 : 1))
  const noted = await deps.db.transaction(async (tx) => {
    await lockTrail(tx, { tenantId, environment: 'test' }, now())
    const writing = complete(deps, failed)
    const ended = `tenant_id = '${tenantId}' and attempts = 2`
    await waitUntil('the failure is written down', async () => (await count(ended)) === 1)
    await complete(deps, fine)
    return { writing }
  })
  await noted.writing
  const [row] = await deps.db.query<{ noticed: boolean }>({
    name: 'test_noticed',
    text: 'select noticed_at is not null as noticed from webhook_destinations',
  })
  assert.equal(row?.noticed, true)
  assert.ok(
    !service.logged.some((line) => line.includes('not noted')),
    'the note waited for the chain, and no delivery waited for the note',
  )
})

/** The same store, but attempts end only when the gate opens. */
function withSlowEndings(db: Db, gate: Promise<void>): Db {
  return {
    ...db,
    async query(sql, values) {
      if (sql.name === 'end_attempts') await gate
      return db.query(sql, values)
    },
  }
}

// Tests which statements a worker repeats while it has nothing to deliver.

import assert from 'node:assert/strict'
import test from 'node:test'
import { startDeliveries } from '../../src/features/webhooks/jobs/deliveries.ts'
import { testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'

const service = await testService()
const { deps } = service

test('while nothing is due, a worker only asks whether anything is', async () => {
  const sent: string[] = []
  deps.db.watch(({ name }) => sent.push(name))
  const worker = await startDeliveries(deps, 5)
  await waitUntil('the worker checked three times', () => sent.length >= 3)
  await worker.stop()
  assert.deepEqual([...new Set(sent)], ['find_due_time'])
})

test('a worker checks again at the next due time, without a notification', async (t) => {
  const dueAt = new Date(service.clock.now() + 20).toISOString()
  const text = `insert into webhook_due_times (tenant_id, environment, due_at) values ($1, 'test', $2)`
  await deps.db.query({ name: 'test_due_time', text }, [await service.tenant(), dueAt])
  let checks = 0
  deps.db.watch(({ name }) => {
    if (name === 'find_due_time') checks += 1
  })
  // By its interval alone it would check again after minutes.
  const worker = await startDeliveries(deps, 60_000)
  t.after(() => worker.stop())
  await waitUntil('the worker checked three times', () => checks >= 3)
})

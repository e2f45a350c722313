// A worker with nothing to deliver: what it asks the store, again and again.

import assert from 'node:assert/strict'
import test from 'node:test'
import { startDeliveries } from '../../src/features/webhooks/jobs/deliveries.ts'
import { testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'

const { deps } = await testService()

test('while nothing is due, a worker only asks whether anything is', async () => {
  const sent: string[] = []
  deps.db.watch(({ name }) => sent.push(name))
  const worker = await startDeliveries(deps, 5)
  await waitUntil('the worker looked three times', () => sent.length >= 3)
  await worker.stop()
  assert.deepEqual([...new Set(sent)], ['find_due_time'])
})

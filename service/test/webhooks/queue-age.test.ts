// Tests the metric for the age of the oldest due delivery: deliveries in progress do not count, abandoned ones do.

import assert from 'node:assert/strict'
import test from 'node:test'
import { measureQueueAcrossTenants } from '../../src/features/webhooks/store/deliveries.ts'
import { instantOf } from '../../src/platform/world.ts'
import { testService } from '../harness/service.ts'
import { ALL_DUE, declined, LOOPBACK, startReceiver, takeDue } from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const { clock, deps } = service
const measured = () => measureQueueAcrossTenants(deps.db, instantOf(clock.now()))

test('a delivery whose worker died counts as due again, since its first due time', async () => {
  assert.deepEqual(await measured(), { pending: 0, oldestDueSeconds: 0 })
  const receiver = await startReceiver()
  await declined(service, { key: await service.key(await service.tenant()), url: receiver.url })
  clock.advance(10_000)
  assert.deepEqual(await measured(), { pending: 1, oldestDueSeconds: 10 })
  assert.equal((await takeDue(deps, ALL_DUE)).length, 1)
  clock.advance(44_000)
  assert.deepEqual(await measured(), { pending: 1, oldestDueSeconds: 0 })
  clock.advance(1_000)
  assert.deepEqual(await measured(), { pending: 1, oldestDueSeconds: 55 })
})

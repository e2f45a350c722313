// Tests when a webhook destination is deleted: an unused one with an old failure is, a disabled one is not.

import assert from 'node:assert/strict'
import test from 'node:test'
import { listDestinations } from '../../src/features/webhooks/usecases/watch-destinations.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'
import { declined, deliverAllDue, deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'

const DAY = 86_400_000
const service = await testService({}, LOOPBACK)
const { deps, clock } = service

/** Returns a tenant, and a destination of it that answers 500. */
async function failing() {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const receiver = await startReceiver()
  receiver.answer = () => ({ status: 500 })
  return {
    fail: async () => {
      await declined(service, { key, url: receiver.url })
      await deliverDue(service)
    },
    known: async () => (await listDestinations(deps, { tenantId, environment: 'test' })).map(({ origin }) => origin),
    state: async () => (await listDestinations(deps, { tenantId, environment: 'test' }))[0],
    origin: new URL(receiver.url).origin,
  }
}

/** Later, with nothing sent in between: a due delivery would be a further attempt. */
async function quietFor(ms: number): Promise<void> {
  await deps.db.query({ name: 'test_settle', text: `update webhook_deliveries set state = 'failed', held_for = null` })
  clock.advance(ms)
}

test('thirty days after its last failure a destination is deleted, and not before', async () => {
  const shop = await failing()
  await shop.fail()
  await quietFor(20 * DAY)
  await shop.fail()
  await quietFor(30 * DAY)
  await runJob(deps, 'forget-destinations')
  assert.deepEqual(await shop.known(), [shop.origin], 'counted from the last failure, not from the first')
  clock.advance(1)
  await runJob(deps, 'forget-destinations')
  assert.deepEqual(await shop.known(), [])
})

test('a disabled destination stays disabled until a person enables it', async () => {
  const shop = await failing()
  for (let day = 0; day < 6; day += 1) {
    for (let count = 0; count < 2; count += 1) await shop.fail()
    await deliverAllDue(service)
    clock.advance(DAY)
  }
  assert.notEqual((await shop.state())?.disabledAt, null)
  await quietFor(400 * DAY)
  await runJob(deps, 'forget-destinations')
  assert.deepEqual(await shop.known(), [shop.origin])
  assert.notEqual((await shop.state())?.disabledAt, null)
})

// Tests attempts that end after a change: their destination was enabled, or their event was delivered by hand.

import assert from 'node:assert/strict'
import test from 'node:test'
import { enableDestination } from '../../src/features/webhooks/store/destinations.ts'
import { sendOne, writeDown } from '../../src/features/webhooks/usecases/deliver-webhooks.ts'
import { readDeliveries, resendDelivery } from '../../src/features/webhooks/usecases/read-deliveries.ts'
import { enableWebhookDestination, listDestinations } from '../../src/features/webhooks/usecases/watch-destinations.ts'
import { instantOf } from '../../src/platform/world.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import {
  ALL_DUE,
  complete,
  declined,
  deliverAllDue,
  deliverDue,
  LOOPBACK,
  startReceiver,
  takeDue,
} from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const { clock, deps } = service
const DAY = 86_400_000

async function realm() {
  const tenantId = await service.tenant()
  return { at: { tenantId, environment: 'test' as const }, key: await service.key(tenantId) }
}
const delivery = async (at: { tenantId: string; environment: 'test' }, verificationId: string) =>
  (await readDeliveries(deps, { realm: at, limit: 1, before: null, verificationId }))[0]
const lease = () => takeDue(deps, ALL_DUE)
const stateOf = async (at: { tenantId: string; environment: 'test' }, id: string) => (await delivery(at, id))?.state

/** Returns a destination that failed for days, until it was disabled. */
async function disabled() {
  const { at, key } = await realm()
  const receiver = await startReceiver()
  receiver.answer = () => ({ status: 500 })
  for (let day = 0; day < 6; day += 1) {
    for (let count = 0; count < 2; count += 1) await declined(service, { key, url: receiver.url })
    await deliverAllDue(service)
    clock.advance(DAY)
  }
  const { origin } = new URL(receiver.url)
  const [failing] = await listDestinations(deps, at)
  assert.notEqual(failing?.disabledAt ?? null, null)
  receiver.answer = () => ({ status: 200 })
  return { at, key, receiver, destination: { ...at, origin } }
}

test('a delivery that was about to be paused when its destination was enabled is due, not paused for ever', async () => {
  const { at, key, receiver, destination } = await disabled()
  const id = await declined(service, { key, url: receiver.url })
  const taken = await lease()
  assert.equal(await enableWebhookDestination(deps, { destination, actor: OPERATOR }), true)
  for (const one of taken) await complete(deps, one)
  const freed = await delivery(at, id)
  assert.deepEqual([freed?.state, freed?.attempts], ['pending', 0])
  await deliverDue(service)
  assert.equal(await stateOf(at, id), 'delivered')
})

test('the end of an attempt waits for a destination that is being enabled, and nothing stays paused', async () => {
  const { at, key, receiver, destination } = await disabled()
  const id = await declined(service, { key, url: receiver.url })
  const endings = await Promise.all((await lease()).map((one) => sendOne(deps, one)))
  const writing = await deps.db.transaction(async (tx) => {
    assert.equal(await enableDestination(tx, destination, instantOf(clock.now())), true)
    const all = Promise.all(endings.map((ending) => writeDown(deps, ending)))
    await Promise.race([all, untilLockWait()])
    return { all }
  })
  await writing.all
  await deliverDue(service)
  assert.equal(await stateOf(at, id), 'delivered')
})

test('a delivery by hand stays delivered, whatever the result of the attempt in progress', async () => {
  const { at, key } = await realm()
  const receiver = await startReceiver()
  for (const status of [410, 500]) {
    const id = await declined(service, { key, url: receiver.url })
    const taken = await lease()
    await resent(at, id)
    receiver.answer = () => ({ status })
    for (const one of taken) await complete(deps, one)
    const ended = await delivery(at, id)
    assert.deepEqual([ended?.state, ended?.attempts, ended?.nextAt], ['delivered', 1, null])
    receiver.answer = () => ({ status: 200 })
  }
})

test('a delivery by hand is not paused for a disabled destination', async () => {
  const { at, key, receiver } = await disabled()
  const id = await declined(service, { key, url: receiver.url })
  const taken = await lease()
  await resent(at, id)
  for (const one of taken) await complete(deps, one)
  assert.equal(await stateOf(at, id), 'delivered')
})

async function resent(at: { tenantId: string; environment: 'test' }, id: string): Promise<void> {
  const deliveryId = (await delivery(at, id))?.id ?? ''
  const end = await resendDelivery(deps, { realm: at, deliveryId, actor: OPERATOR })
  assert.equal(end?.outcome, 'delivered')
}

async function untilLockWait(): Promise<void> {
  const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const waits = { name: 'test_lock_waits', text }
  await waitUntil('a statement waits for a lock', async () => (await deps.db.query(waits)).length > 0)
}

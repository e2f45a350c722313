// An event type is a word in the table, a delivery where it happens, a word in the SDK and a line in the docs: between
// these nothing knows which types there are.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { signWebhook, verifyWebhook } from '@vidimus/sdk'
import { EVENT_TYPES, type EventType } from '../../src/domain/webhook/event.ts'
import { instantOf } from '../../src/domain/world.ts'
import { announceEnded } from '../../src/store/verifications/ended-announcements.ts'
import { enqueueDeliveries } from '../../src/store/webhooks/deliveries.ts'
import { streamEvents } from '../../src/usecases/verifications/reading/stream-events.ts'
import { showWebhookSecret } from '../../src/usecases/webhooks/manage-webhook-secret.ts'
import { readDeliveries, resendDelivery } from '../../src/usecases/webhooks/read-deliveries.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { declined, deliverDue, enqueueMany, LOOPBACK, startReceiver } from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const { clock, deps } = service
/** As if it stood in the table. */
const NEW_TYPE = 'verification.reviewed' as EventType

async function realm() {
  const tenantId = await service.tenant()
  return { at: { tenantId, environment: 'test' as const }, key: await service.key(tenantId) }
}
const typesOf = (bodies: readonly { readonly body: Buffer }[]) =>
  bodies.map(({ body }) => JSON.parse(body.toString('utf8')).type)
const enqueue = (at: { tenantId: string; environment: 'test' }, verificationId: string, type: EventType) =>
  deps.db.transaction((tx) => {
    const now = instantOf(clock.now())
    return enqueueDeliveries(tx, at, {
      deliveries: [{ verificationId, type, createdAt: now }],
      now,
      random: deps.random,
    })
  })

test('a second event of a verification is delivered and logged under a new type, and the SDK hands it over', async () => {
  const { at, key } = await realm()
  const receiver = await startReceiver()
  const id = await declined(service, { key, url: receiver.url })
  clock.advance(1_000)
  await enqueue(at, id, NEW_TYPE)
  assert.equal(await deliverDue(service), 2)
  assert.deepEqual(typesOf(receiver.received).sort(), ['verification.failed', NEW_TYPE])
  const logged = await readDeliveries(deps, { realm: at, limit: 10, before: null, verificationId: id })
  assert.deepEqual(
    logged.map(({ type, state }) => [type, state]),
    [
      [NEW_TYPE, 'delivered'],
      ['verification.failed', 'delivered'],
    ],
  )
  const { secret } = await showWebhookSecret(deps, { realm: at, actor: OPERATOR })
  const seen = receiver.received.find((one) => typesOf([one])[0] === NEW_TYPE)
  assert.ok(seen !== undefined)
  const header = String(seen.headers['x-service-signature'])
  const event = await verifyWebhook(seen.body, header, secret, { now: new Date(clock.now()) })
  assert.ok(event.type === 'unknown')
  assert.deepEqual([event.name, (event.payload.verification as { id: string }).id], [NEW_TYPE, id])
  const erased = await service.call('DELETE', `/v1/verifications/${id}`, { key })
  assert.equal(erased.json.deleted.webhook_deliveries, 2)
})

test('an event of one type is told once of a verification', async () => {
  const { at, key } = await realm()
  const id = await declined(service, { key, url: (await startReceiver()).url })
  await assert.rejects(enqueue(at, id, 'verification.failed'), /webhook_deliveries_told_once/)
})

test('resending tells the event of that delivery', async () => {
  const { at, key } = await realm()
  const receiver = await startReceiver()
  const id = await declined(service, { key, url: receiver.url })
  clock.advance(1_000)
  await enqueue(at, id, NEW_TYPE)
  const [newest] = await readDeliveries(deps, { realm: at, limit: 1, before: null, verificationId: id })
  await resendDelivery(deps, { realm: at, deliveryId: newest?.id ?? '', actor: OPERATOR })
  assert.deepEqual(typesOf(receiver.received), [NEW_TYPE])
  await deliverDue(service)
})

test('a listening developer gets a new type too', async () => {
  const { at, key } = await realm()
  const id = await declined(service, { key, url: (await startReceiver()).url })
  const principal = { ...at, kind: 'api_key', keyId: 'key_test', scopes: [] } as const
  const streamed = Promise.withResolvers<{ readonly body: Buffer }>()
  const stop = await streamEvents(deps, principal, streamed.resolve)
  await announceEnded(deps.db, at, [{ verificationId: id, type: NEW_TYPE }])
  assert.deepEqual(typesOf([await streamed.promise]), [NEW_TYPE])
  await stop()
})

test('a delivery that the release before made, without a type, tells how its verification ended', async () => {
  const { at } = await realm()
  const receiver = await startReceiver()
  await deliverDue(service)
  await enqueueMany(service, { tenantId: at.tenantId, url: receiver.url, many: 1 })
  await deps.db.query(
    { name: 'test_forget_type', text: 'update webhook_deliveries set type = null where tenant_id = $1' },
    [at.tenantId],
  )
  await deliverDue(service)
  assert.deepEqual(typesOf(receiver.received), ['verification.failed'])
  const [logged] = await readDeliveries(deps, { realm: at, limit: 1, before: null, verificationId: null })
  assert.equal(logged?.type, 'verification.failed')
})

test('the SDK and the docs know every type', async () => {
  const page = await readFile(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')
  const secret = `whsec_${'A'.repeat(43)}`
  for (const type of EVENT_TYPES) {
    assert.ok(page.includes(`| \`${type}\` |`), type)
    const body = JSON.stringify({ type, verification: { id: 'ver_1', status: 'failed' }, sent_at: instantOf(0) })
    assert.equal((await verifyWebhook(body, await signWebhook(body, secret), secret)).type, type)
  }
})

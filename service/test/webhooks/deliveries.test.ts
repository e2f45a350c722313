// Tests that deliveries survive rotation, erasure in flight, a dead receiver and dead workers.

import assert from 'node:assert/strict'
import test from 'node:test'
import { rotateSecret, showWebhookSecret } from '../../src/features/webhooks/usecases/manage-webhook-secret.ts'
import { readDeliveries, resendDelivery } from '../../src/features/webhooks/usecases/read-deliveries.ts'
import { enableWebhookDestination, listDestinations } from '../../src/features/webhooks/usecases/watch-destinations.ts'
import { OPERATOR, testService } from '../harness/service.ts'
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
const newest = async (at: { tenantId: string; environment: 'test' }) =>
  (await readDeliveries(deps, { realm: at, limit: 1, before: null, verificationId: null }))[0]

test('a retry after a rotation is signed with the new secret and the old one', async () => {
  const { at, key } = await realm()
  const receiver = await startReceiver()
  receiver.answer = (count) => ({ status: count === 1 ? 500 : 200 })
  await declined(service, { key, url: receiver.url })
  await deliverDue(service)
  await rotateSecret(deps, { realm: at, actor: OPERATOR, endPrevious: false })
  clock.advance(40_000)
  await deliverDue(service)
  const counts = receiver.received.map(({ headers }) => String(headers['x-service-signature']).split('v1=').length - 1)
  assert.deepEqual(counts, [1, 2])
})

test('the store has no readable secret, and the audit trail records each time it is shown', async () => {
  const { at } = await realm()
  const { secret } = await showWebhookSecret(deps, { realm: at, actor: OPERATOR })
  const [row] = await deps.db.query<{ secret: Buffer }>(
    { name: 'test_sealed_secret', text: 'select secret from webhook_secrets where tenant_id = $1' },
    [at.tenantId],
  )
  assert.ok(!row?.secret.includes(Buffer.from(secret.slice(6))))
  const entries = await deps.db.query<{ bytes: Buffer }>(
    { name: 'test_trail', text: 'select bytes from audit_entries where tenant_id = $1 order by environment, seq' },
    [at.tenantId],
  )
  const actions = entries.map(({ bytes }) => JSON.parse(bytes.toString()).action)
  assert.ok(actions.includes('webhook_secret.created') && actions.includes('webhook_secret.shown'))
  assert.ok(!entries.some(({ bytes }) => bytes.includes(secret)))
})

test('a verification that is erased while its webhook is being sent leaves nothing', async () => {
  const { at, key } = await realm()
  const receiver = await startReceiver()
  const id = await declined(service, { key, url: receiver.url })
  const [taken] = await takeDue(deps, ALL_DUE)
  const erased = await service.call('DELETE', `/v1/verifications/${id}`, { key })
  assert.equal(erased.json.deleted.webhook_deliveries, 1)
  await complete(deps, taken)
  assert.equal(await newest(at), undefined)
})

test('a dead worker is replaced when its lease expires; three dead workers count as one failure', async () => {
  const { at, key } = await realm()
  const receiver = await startReceiver()
  await declined(service, { key, url: receiver.url })
  const lease = () => takeDue(deps, ALL_DUE)
  for (let vanished = 0; vanished < 3; vanished += 1) {
    assert.equal((await lease()).length, 1)
    assert.equal((await lease()).length, 0, 'its lease holds')
    clock.advance(45_001)
  }
  await deliverDue(service)
  assert.equal(receiver.received.length, 0, 'not tried a fourth time at once')
  const delivery = await newest(at)
  assert.deepEqual(
    delivery?.log.map(({ outcome }) => outcome),
    ['abandoned', 'abandoned', 'abandoned', 'abandoned'],
  )
  assert.equal(delivery?.attempts, 1)
  clock.advance(40_000)
  await deliverDue(service)
  assert.equal((await newest(at))?.state, 'delivered')
})

test('a worker that lost its lease changes nothing when it comes back', async () => {
  const { at, key } = await realm()
  const receiver = await startReceiver()
  receiver.answer = (count) => ({ status: count === 1 ? 200 : 500 })
  await declined(service, { key, url: receiver.url })
  const [slow] = await takeDue(deps, ALL_DUE)
  clock.advance(45_001)
  await deliverDue(service)
  assert.equal((await newest(at))?.state, 'delivered')
  await complete(deps, slow)
  const delivery = await newest(at)
  assert.equal(delivery?.state, 'delivered')
  assert.equal(delivery?.attempts, 1)
})

test('a result that cannot be decrypted ends as a failed attempt, and others are delivered', async () => {
  const { at, key } = await realm()
  const receiver = await startReceiver()
  const id = await declined(service, { key, url: receiver.url })
  await deps.db.query(
    { name: 'test_damage', text: `update verification_results set sealed = '\\x00' where verification_id = $1` },
    [id],
  )
  await declined(service, { key, url: receiver.url })
  await deliverDue(service)
  assert.equal(receiver.received.length, 1)
  const [damaged] = await readDeliveries(deps, { realm: at, limit: 1, before: null, verificationId: id })
  assert.deepEqual(
    damaged?.log.map(({ outcome }) => outcome),
    ['unreadable'],
  )
  assert.equal(damaged?.attempts, 1)
  await service.call('DELETE', `/v1/verifications/${id}`, { key })
})

test('a tenant with a large backlog gets only its share', async () => {
  const [busy, calm] = [await realm(), await realm()]
  const receiver = await startReceiver()
  for (let count = 0; count < 12; count += 1) await declined(service, { key: busy.key, url: receiver.url })
  await declined(service, { key: calm.key, url: receiver.url })
  const taken = await takeDue(deps, { ...ALL_DUE, free: 8, shareOfOthers: 4 })
  const realms = taken.map(({ realm: name }) => name)
  assert.equal(realms.filter((name) => name === `${busy.at.tenantId}|test`).length, 4)
  assert.ok(realms.includes(`${calm.at.tenantId}|test`))
  const more = async (running: number) =>
    takeDue(deps, {
      ...ALL_DUE,
      realms: new Map([[`${busy.at.tenantId}|test`, { running, share: 4 }]]),
    })
  const rest = [...(await more(4)), ...(await more(5))]
  assert.ok(!rest.some(({ realm: name }) => name === `${busy.at.tenantId}|test`))
  const oneMore = await more(3)
  assert.deepEqual(
    oneMore.map(({ realm: name }) => name),
    [`${busy.at.tenantId}|test`],
    'with three of four in progress, one more is leased',
  )
  await Promise.all([...taken, ...rest, ...oneMore].map((one) => complete(deps, one)))
  await deliverAllDue(service)
})

test('resending makes one attempt with the same delivery id; the schedule does not change', async () => {
  const { at, key } = await realm()
  const receiver = await startReceiver()
  receiver.answer = (count) => ({ status: count <= 2 ? 500 : 200 })
  await declined(service, { key, url: receiver.url })
  await deliverDue(service)
  const before = await newest(at)
  assert.ok(before !== undefined)
  const again = { realm: at, deliveryId: before.id, actor: OPERATOR }
  assert.equal((await resendDelivery(deps, again))?.httpStatus, 500)
  assert.equal((await listDestinations(deps, at)).length, 1, 'a failed resend does not reset the failures')
  const after = await newest(at)
  assert.deepEqual([after?.state, after?.nextAt, after?.attempts], [before.state, before.nextAt, before.attempts])
  assert.equal((await resendDelivery(deps, again))?.outcome, 'delivered')
  const last = await newest(at)
  assert.equal(last?.state, 'delivered')
  assert.deepEqual(
    last?.log.map(({ trigger }) => trigger),
    ['schedule', 'manual', 'manual'],
  )
  assert.deepEqual(await listDestinations(deps, at), [], 'a success of the same address ends its failures')
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size, 1)
  clock.advance(DAY)
  assert.equal(await deliverDue(service), 0)
  assert.equal(await resendDelivery(deps, { ...again, deliveryId: 'dlv_unknown' }), null)
  const foreign = await realm()
  assert.equal(await resendDelivery(deps, { ...again, realm: foreign.at }), null)
})

test('a destination that fails for days is reported, then disabled; its deliveries are paused, and continue when it is enabled', async () => {
  const { at, key } = await realm()
  const receiver = await startReceiver()
  receiver.answer = () => ({ status: 500 })
  for (let day = 0; day < 6; day += 1) {
    for (let count = 0; count < 2; count += 1) await declined(service, { key, url: receiver.url })
    await deliverAllDue(service)
    clock.advance(DAY)
  }
  const [failing] = await listDestinations(deps, at)
  assert.equal(failing?.origin, new URL(receiver.url).origin)
  assert.notEqual(failing?.noticedAt, null)
  assert.notEqual(failing?.disabledAt, null)
  const sent = receiver.received.length
  receiver.answer = () => ({ status: 200 })
  await declined(service, { key, url: receiver.url })
  await deliverAllDue(service)
  assert.equal(receiver.received.length, sent, 'nothing is sent to a disabled destination')
  assert.equal((await newest(at))?.state, 'held')
  const resend = { realm: at, deliveryId: (await newest(at))?.id ?? '', actor: OPERATOR }
  assert.equal((await resendDelivery(deps, resend))?.outcome, 'delivered')
  assert.equal((await listDestinations(deps, at)).length, 1, 'a resend does not enable it')
  await declined(service, { key, url: receiver.url })
  await deliverAllDue(service)
  assert.equal((await newest(at))?.state, 'held')
  const destination = { ...at, origin: failing?.origin ?? '' }
  assert.equal(await enableWebhookDestination(deps, { destination, actor: OPERATOR }), true)
  assert.equal(await enableWebhookDestination(deps, { destination, actor: OPERATOR }), false)
  await deliverAllDue(service)
  assert.equal((await newest(at))?.state, 'delivered')
  assert.deepEqual(await listDestinations(deps, at), [])
})

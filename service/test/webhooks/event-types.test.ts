// Tests that a new event type needs only its line in the table and its delivery.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { signWebhook, verifyWebhook } from '@vidimus/sdk'
import { EVENT_LISTS, withEventList } from '../../../tools/generate-event-types.ts'
import { EVENT_TYPES, type EventType } from '../../src/features/webhooks/domain/event.ts'
import { ENQUEUEING } from '../../src/features/webhooks/store/deliveries.ts'
import { ANNOUNCING } from '../../src/features/webhooks/store/ended-announcements.ts'
import { showWebhookSecret } from '../../src/features/webhooks/usecases/manage-webhook-secret.ts'
import { readDeliveries, resendDelivery } from '../../src/features/webhooks/usecases/read-deliveries.ts'
import { streamEvents } from '../../src/features/webhooks/usecases/stream-events.ts'
import { newDeliveryId } from '../../src/platform/ids.ts'
import { defineFragment } from '../../src/platform/postgres/fragments.ts'
import { runStatement } from '../../src/platform/postgres/statement.ts'
import { instantOf } from '../../src/platform/world.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { within } from '../harness/wait.ts'
import { declined, deliverDue, enqueueMany, LOOPBACK, startReceiver } from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const { clock, deps } = service
const ROOT = join(import.meta.dirname, '..', '..', '..')
const ENQUEUE = defineFragment(ENQUEUEING)
/** A type that the table does not have, used as if it were there. */
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
    const deliveries = [{ id: newDeliveryId(deps.random), realm: at, verificationId, type, createdAt: now }]
    return runStatement(tx, ENQUEUE, { deliveries, now })
  })

test('a second event of a verification is delivered and logged under a new type, and the SDK passes it on', async () => {
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

test('a verification sends each type of event once', async () => {
  const { at, key } = await realm()
  const id = await declined(service, { key, url: (await startReceiver()).url })
  await assert.rejects(enqueue(at, id, 'verification.failed'), /webhook_deliveries_told_once/)
})

test('resending sends the event of that delivery', async () => {
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

test('a listening developer gets a new type, too', async () => {
  const { at, key } = await realm()
  const id = await declined(service, { key, url: (await startReceiver()).url })
  const principal = { ...at, kind: 'api_key', keyId: 'key_test', scopes: [] } as const
  const streamed = Promise.withResolvers<{ readonly body: Buffer }>()
  const stop = await streamEvents(deps, principal, streamed.resolve)
  await runStatement(deps.db, defineFragment(ANNOUNCING), [{ realm: at, verificationId: id, type: NEW_TYPE }])
  assert.deepEqual(typesOf([await within('the stream has the event', streamed.promise)]), [NEW_TYPE])
  await stop()
})

test('a delivery of the release before, without a type, reports how its verification ended', async () => {
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

test('the SDK knows every type, the dashboard gets the types with /me, and no list is outdated', async () => {
  const secret = `whsec_${'A'.repeat(43)}`
  for (const type of EVENT_TYPES) {
    const body = JSON.stringify({ type, verification: { id: 'ver_1', status: 'failed' }, sent_at: instantOf(0) })
    assert.equal((await verifyWebhook(body, await signWebhook(body, secret), secret)).type, type)
  }
  const { call } = await person(service, await service.tenant(), 'viewer')
  assert.deepEqual((await call('GET', '/me')).json.terms.webhook_events, EVENT_TYPES)
  for (const path of Object.keys(EVENT_LISTS)) {
    const advice = 'run "node tools/generate-event-types.ts" and commit what it writes'
    assert.equal(await readFile(join(ROOT, path), 'utf8'), await withEventList(path), advice)
  }
})

test('after one more line in the table each list has the type, the SDK passes it on and the dashboard gets it', async (t) => {
  const copy = await mkdtemp(join(tmpdir(), 'vidimus-event-types-'))
  t.after(() => rm(copy, { recursive: true }))
  const copied = [
    'service/src',
    'wire',
    'engine/src',
    'labels',
    'sdk/typescript',
    'tools/generate-event-types.ts',
    'docs',
  ]
  for (const path of [...copied, ...Object.keys(EVENT_LISTS)])
    await cp(join(ROOT, path), join(copy, path), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const table = join(copy, 'service/src/features/webhooks/domain/event.ts')
  const start = 'export const EVENTS = {'
  const before = await readFile(table, 'utf8')
  assert.ok(before.includes(start))
  await writeFile(table, before.replace(start, `${start}\n  '${NEW_TYPE}': 'somebody looked at it again',`))
  await promisify(execFile)(process.execPath, [join(copy, 'tools/generate-event-types.ts')])
  for (const path of Object.keys(EVENT_LISTS))
    assert.ok((await readFile(join(copy, path), 'utf8')).includes(NEW_TYPE), path)
  const page = await readFile(join(copy, 'docs/webhooks.md'), 'utf8')
  assert.ok(page.includes(`\n| \`${NEW_TYPE}\` | somebody looked at it again |\n`))
  assert.match(
    await readFile(join(copy, 'sdk/go/webhook.go'), 'utf8'),
    /case EventReviewed, EventCompleted, EventFailed:/,
  )
  const sdk: typeof import('../../../sdk/typescript/src/webhook.ts') = await import(
    pathToFileURL(join(copy, 'sdk/typescript/src/webhook.ts')).href
  )
  const secret = `whsec_${'A'.repeat(43)}`
  const body = JSON.stringify({
    type: NEW_TYPE,
    verification: { id: 'ver_1', status: 'failed' },
    sent_at: instantOf(0),
  })
  assert.equal((await sdk.verifyWebhook(body, await signWebhook(body, secret), secret)).type, NEW_TYPE)
  const { TERMS }: typeof import('../../src/features/dashboard/http/terms.ts') = await import(
    pathToFileURL(join(copy, 'service/src/features/dashboard/http/terms.ts')).href
  )
  assert.ok(TERMS.webhook_events.includes(NEW_TYPE))
})

// Tests webhooks in the dashboard: endpoints, test events, stored requests and answers of attempts, and their deletion.

import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyWebhook } from '../../../sdk/typescript/src/webhook.ts'
import { forgetContent } from '../../src/core/verifications/store/forgetting.ts'
import { ENDPOINTS_MAX } from '../../src/features/webhooks/domain/endpoint.ts'
import { EVENT_TYPES } from '../../src/features/webhooks/domain/event.ts'
import { TEST_EVENTS_KEPT_MAX } from '../../src/features/webhooks/domain/test-event.ts'
import { shownAddress } from '../../src/features/webhooks/http/shown-address.ts'
import { sendOne, writeDown } from '../../src/features/webhooks/usecases/deliver-webhooks.ts'
import { addMerchantKey } from '../forgetting/merchant-keys.ts'
import { merchant } from '../forgetting/merchants.ts'
import { runJob } from '../harness/jobs.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { waitUntil } from '../harness/wait.ts'
import { ALL_DUE, decline, declined, deliverDue, LOOPBACK, startReceiver, takeDue } from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const { deps } = service
const receiver = await startReceiver()
const tenant = await service.tenant({ name: 'Ours' })
const key = await service.key(tenant)
const admin = await person(service, tenant, 'admin')
const viewer = await person(service, tenant, 'viewer')
const DAY_MS = 86_400_000

const draft = { name: 'Shop', url: receiver.url, is_default: false }
const save = async (body: object, id?: string) =>
  admin.call('POST', id === undefined ? '@/webhooks/endpoints' : `@/webhooks/endpoints/${id}`, { body })
const endpoints = async () => (await admin.call('GET', '@/webhooks')).json.endpoints
const detail = async (id: string, who = admin) => (await who.call('GET', `@/deliveries/${id}`)).json
const answersKept = async () =>
  (
    await deps.db.query<{ n: number }>({ name: 'test_answers', text: 'select count(*)::int as n from webhook_answers' })
  )[0]?.n
const newest = async (who = admin) => (await who.call('GET', '@/deliveries')).json.data[0]

/** Returns the names of all members, at every depth. */
const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, one]) => [name, shapeOf(one)])
    : typeof value

test('the catalogue has every type of event, and its samples have the members that are sent', async () => {
  const { id } = (await save(draft)).json
  const { events } = (await viewer.call('GET', '@/webhooks')).json
  assert.deepEqual(
    events.map(({ type }: { type: string }) => type),
    EVENT_TYPES,
  )
  for (const { type, sample, sent_when } of events) {
    assert.notEqual(sent_when, '')
    const body = { type, newest_secret_only: false }
    const { request } = (await admin.call('POST', `@/webhooks/endpoints/${id}/test`, { body })).json
    assert.deepEqual(shapeOf(JSON.parse(sample)), shapeOf(JSON.parse(request.body)))
    assert.equal(JSON.parse(sample).type, type)
  }
  assert.deepEqual((await viewer.call('GET', '@/webhooks')).json.events, events, 'the same each time')
  await admin.call('POST', `@/webhooks/endpoints/${id}/remove`)
})

test('one endpoint is the default at a time; its address is sealed at rest, and checked like that of a verification', async () => {
  const first = (await save({ ...draft, is_default: true })).json
  service.clock.advance(1)
  const second = (await save({ name: 'Till', url: `${receiver.url}?token=s3cret`, is_default: true })).json
  assert.deepEqual(
    (await endpoints()).map(({ name, is_default }: { name: string; is_default: boolean }) => [name, is_default]),
    [
      ['Shop', false],
      ['Till', true],
    ],
  )
  const [stored] = await deps.db.query<{ url: Buffer }>(
    { name: 'test_endpoint', text: 'select url from webhook_endpoints where id = $1' },
    [second.id],
  )
  assert.ok(!stored?.url.toString('latin1').includes('s3cret'))
  assertRefused(await save({ ...draft, url: 'http://10.0.0.1/hook' }), 422, 'invalid_webhook_url')
  assertRefused(await save({ ...draft, url: 'http://10.0.0.1/hook' }, first.id), 422, 'invalid_webhook_url')
  await admin.call('POST', `@/webhooks/endpoints/${second.id}/remove`)
  assert.equal((await save({ ...draft, is_default: true }, first.id)).json.is_default, true)
})

test('verifications of staff notify the default endpoint; those of the API only the one they name, if any', async () => {
  const urlOf = async (id: string) => (await service.call('GET', `/v1/verifications/${id}`, { key })).json
  const body = { template: 'age_over_18', idempotency_key: 'k'.repeat(16) }
  const created = (await admin.call('POST', '@/verifications', { body })).json
  const silent = (await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })).json
  const before = receiver.received.length
  await decline(service, created.id)
  await decline(service, silent.id)
  await deliverDue(service)
  assert.equal(receiver.received.length, before + 1)
  assert.equal(JSON.parse(receiver.received.at(-1)?.body.toString() ?? '').verification.id, created.id)
  assert.equal((await urlOf(silent.id)).status, 'failed')
})

test('a test event is signed, marked and without personal data; in live no test event reports a completed verification', async () => {
  const [endpoint] = await endpoints()
  service.clock.advance(1)
  receiver.answer = () => ({
    status: 401,
    headers: { 'content-type': 'text/plain', 'set-cookie': 'a=b' },
    body: 'who are you',
  })
  const tested = (
    await admin.call('POST', `@/webhooks/endpoints/${endpoint.id}/test`, {
      body: { type: 'verification.completed', newest_secret_only: false },
    })
  ).json
  receiver.answer = () => ({ status: 200 })
  assert.deepEqual([tested.outcome, tested.http_status, tested.answer.body], ['http_error', 401, 'who are you'])
  assert.ok(!JSON.stringify(tested.answer).includes('a=b'), 'no cookie')
  const { headers, body } = receiver.received.at(-1) ?? { headers: {}, body: Buffer.alloc(0) }
  assert.equal(headers['x-service-test'], '1')
  assert.equal(tested.request.body, body.toString('utf8'))
  const signature = String(headers['x-service-signature'])
  assert.ok(
    !JSON.stringify(tested.request).includes(signature.split('v1=')[1] ?? '-'),
    'no signature that could be used',
  )
  const { secret } = (await admin.call('POST', '@/webhooks/secret/show')).json
  const event = await verifyWebhook(body, signature, secret, { now: new Date(service.clock.now()) })
  assert.ok(event.type === 'verification.completed')
  assert.deepEqual(event.verification.claims, { age_over_18: true })
  assert.equal((await service.call('GET', `/v1/verifications/${event.verification.id}`, { key })).status, 404)
  const logged = await newest()
  assert.deepEqual(
    [logged.id, logged.verification_id, logged.state, logged.attempts.length, logged.attempts[0].url],
    [tested.id, null, 'failed', 1, receiver.url],
  )
  const { attempts, shows_content: shows } = await detail(tested.id)
  assert.deepEqual([shows, attempts[0].request, attempts[0].answer], [true, tested.request, tested.answer])
  const [looked] = (await detail(tested.id, viewer)).attempts
  assert.deepEqual([looked.request.body, looked.answer, looked.http_status], [null, null, 401])
  assert.ok(!looked.request.url.includes(new URL(receiver.url).pathname))
  const other = await person(service, await service.tenant(), 'admin')
  assertRefused(await other.call('GET', `@/deliveries/${tested.id}`), 404, 'not_found')
  assertRefused(await admin.call('POST', `@/deliveries/${tested.id}/resend`), 404, 'not_found')
  const live = { environment: 'live' as const, body: { type: 'verification.completed', newest_secret_only: false } }
  assertRefused(await admin.call('POST', `@/webhooks/endpoints/${endpoint.id}/test`, live), 400, 'invalid_request')
})

test('a rotation is checked with only the new secret, and then finished', async () => {
  const [endpoint] = await endpoints()
  const before = (await admin.call('POST', '@/webhooks/secret/show')).json.secret
  const { secret } = (await admin.call('POST', '@/webhooks/secret/rotate', { body: { end_previous: false } })).json
  const send = async (only: boolean) => {
    const body = { type: 'verification.failed', newest_secret_only: only }
    await admin.call('POST', `@/webhooks/endpoints/${endpoint.id}/test`, { body })
    const got = receiver.received.at(-1)
    const holds = (candidate: string) =>
      verifyWebhook(got?.body ?? '', String(got?.headers['x-service-signature']), candidate, {
        now: new Date(service.clock.now()),
      }).then(
        () => true,
        () => false,
      )
    return [await holds(before), await holds(secret)]
  }
  assert.deepEqual(await send(false), [true, true])
  assert.deepEqual(await send(true), [false, true])
  assert.notEqual((await admin.call('GET', '@/webhooks')).json.secret.previous_until, null)
  assert.equal((await admin.call('POST', '@/webhooks/secret/end-old')).status, 200)
  assert.deepEqual(await send(false), [false, true])
  assert.equal((await admin.call('GET', '@/webhooks')).json.secret.previous_until, null)
  assertRefused(await admin.call('POST', '@/webhooks/secret/end-old'), 404, 'not_found')
})

test('an attempt shows its request and a limited part of its answer; without the right to claims neither is shown', async () => {
  receiver.answer = () => ({
    status: 302,
    headers: { 'content-type': 'text/plain', location: 'https://shop.example/login?token=s3cret', 'set-cookie': 'a=b' },
    body: 'x'.repeat(5_000),
  })
  await declined(service, { key, url: receiver.url })
  await deliverDue(service)
  receiver.answer = () => ({ status: 200 })
  const { id } = await newest()
  const { attempts, shows_content } = await detail(id)
  const [{ request, answer }] = attempts
  assert.equal(shows_content, true)
  assert.equal(request.body, receiver.received.at(-1)?.body.toString('utf8'), 'to the byte')
  assert.equal(answer.body.length, 2048)
  assert.equal(answer.truncated, true)
  const text = JSON.stringify(answer)
  assert.ok(text.includes('https://shop.example/login?…') && !text.includes('s3cret') && !text.includes('a=b'), text)
  const seen = await detail(id, viewer)
  assert.deepEqual([seen.shows_content, seen.attempts[0].request.body, seen.attempts[0].answer], [false, null, null])
  const [row] = await deps.db.query<{ sealed: Buffer }>({
    name: 'test_sealed',
    text: 'select sealed from webhook_answers',
  })
  assert.ok(!row?.sealed.toString('latin1').includes('xxxx'))
})

test('answers are deleted after a week, with the erasure of their verification, and with its content', async () => {
  const whole = await merchant(service, {})
  receiver.answer = () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'thank you' })
  const start = await answersKept()
  const [old, erased, forgotten] = [
    await whole.ended({ webhook_url: receiver.url }),
    await whole.ended({ webhook_url: receiver.url }),
    await whole.ended({ webhook_url: receiver.url }),
  ]
  await deliverDue(service)
  assert.equal(await answersKept(), (start ?? 0) + 3)
  await whole.forget(forgotten)
  assert.equal(await answersKept(), (start ?? 0) + 2)
  const gone = await service.call('DELETE', `/v1/verifications/${erased}`, { key: whole.key })
  assert.equal(gone.status, 200, gone.text)
  assert.equal(await answersKept(), (start ?? 0) + 1)
  service.clock.advance(7 * DAY_MS - 1)
  await runJob(deps, 'forget-answers')
  assert.equal(await answersKept(), (start ?? 0) + 1)
  service.clock.advance(1)
  await runJob(deps, 'forget-answers')
  assert.equal(await answersKept(), 0)
  assert.equal((await whole.read(old)).status, 'completed')
})

test('if content is forgotten once it is received, no answer is stored', async () => {
  const forward = await merchant(service, { content: 'forward' })
  const kept = () =>
    deps.db.query({ name: 'test_answers_of', text: 'select from webhook_answers where tenant_id = $1' }, [
      forward.realm.tenantId,
    ])
  receiver.answer = (count) => ({
    status: count % 2 === 0 ? 200 : 500,
    headers: { 'content-type': 'text/plain' },
    body: 'echo',
  })
  await forward.ended({ webhook_url: receiver.url })
  await deliverDue(service)
  service.clock.advance(40_000)
  await deliverDue(service)
  receiver.answer = () => ({ status: 200 })
  assert.deepEqual(await kept(), [])
})

test('if only the merchant can read the request, nothing of the answer is stored', async () => {
  const closed = await merchant(service, {})
  await addMerchantKey(service, closed.realm)
  receiver.answer = () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'echo' })
  await closed.ended({ webhook_url: receiver.url })
  await deliverDue(service)
  receiver.answer = () => ({ status: 200 })
  assert.match(receiver.received.at(-1)?.body.toString('utf8') ?? '', /\$jwe/)
  const text = 'select from webhook_answers where tenant_id = $1'
  assert.deepEqual(await deps.db.query({ name: 'test_closed', text }, [closed.realm.tenantId]), [])
})

test('content that is forgotten while its webhook is answered deletes the answer, too', async () => {
  const racing = await merchant(service, {})
  receiver.answer = () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'echo' })
  const id = await racing.ended({ webhook_url: receiver.url })
  const leased = (await takeDue(deps, ALL_DUE)).filter(
    ({ destination }) => destination.tenantId === racing.realm.tenantId,
  )
  const [one] = leased
  assert.ok(one !== undefined && leased.length === 1)
  const ending = await sendOne(deps, one)
  const at = new Date(service.clock.now()).toISOString().replace('Z', '000Z')
  const waits = {
    name: 'test_waits',
    text: `select from pg_locks l join pg_stat_activity a on a.pid = l.pid
           where not l.granted and a.datname = current_database()`,
  }
  const { written } = await deps.db.transaction(async (tx) => {
    await forgetContent(tx, racing.realm, { id, at, left: null })
    let isWritten = false
    const writing = writeDown(deps, ending).then(() => {
      isWritten = true
    })
    const isBlocked = async () => isWritten || (await deps.db.query(waits)).length > 0
    await waitUntil('the end of the attempt waits for a lock', isBlocked)
    assert.equal(isWritten, false, 'the attempt waits for the transaction that forgets')
    return { written: () => writing }
  })
  await written()
  receiver.answer = () => ({ status: 200 })
  const text = 'select from webhook_answers where tenant_id = $1'
  assert.deepEqual(await deps.db.query({ name: 'test_raced', text }, [racing.realm.tenantId]), [])
})

test('the log is filtered by state and event; permanently failed deliveries can be resent, limited by time and number', async () => {
  const own = await service.tenant()
  const ownKey = await service.key(own)
  receiver.answer = () => ({ status: 410 })
  await declined(service, { key: ownKey, url: receiver.url })
  await deliverDue(service)
  service.clock.advance(2 * 3_600_000)
  await declined(service, { key: ownKey, url: receiver.url })
  await deliverDue(service)
  receiver.answer = () => ({ status: 200 })
  await declined(service, { key: ownKey, url: receiver.url })
  await deliverDue(service)
  const staff = await person(service, own, 'admin')
  const states = async (query: string) =>
    (await staff.call('GET', `@/deliveries?${query}`)).json.data.map(({ state }: { state: string }) => state)
  assert.deepEqual(await states(''), ['delivered', 'failed', 'failed'])
  assert.deepEqual(await states('state=failed'), ['failed', 'failed'])
  assert.deepEqual(await states('state=delivered'), ['delivered'])
  assert.deepEqual(await states('type=verification.completed'), [])
  assert.equal((await states('type=verification.failed&state=failed')).length, 2)
  assertRefused(await staff.call('GET', '@/deliveries?state=lost'), 400, 'invalid_request')
  const resend = async (hours: number) =>
    (await staff.call('POST', '@/deliveries/resend-failed', { body: { hours } })).json.resent
  assert.equal(await resend(1), 0, 'tried a moment ago')
  service.clock.advance(10 * 60_000)
  assert.equal(await resend(1), 1)
  assert.equal(await deliverDue(service), 1)
  assert.equal(await resend(24), 1)
  receiver.answer = () => ({ status: 500 })
  assert.equal(await deliverDue(service), 1)
  receiver.answer = () => ({ status: 200 })
  assert.deepEqual(await states(''), ['delivered', 'delivered', 'failed'], 'one attempt, not a new schedule')
  const [entry] = (await staff.call('GET', '@/audit?kind=deliveries')).json.data
  assert.deepEqual([entry.action, entry.details], ['deliveries.resent', { count: 1 }])
})

test('figures of the last day come from counters: attempts, accepted ones, and no content', async () => {
  const own = await service.tenant()
  const ownKey = await service.key(own)
  const staff = await person(service, own, 'viewer')
  receiver.answer = (count) => ({ status: count % 2 === 0 ? 200 : 503 })
  for (let nth = 0; nth < 4; nth += 1) await declined(service, { key: ownKey, url: receiver.url })
  await deliverDue(service)
  receiver.answer = () => ({ status: 200 })
  const { health } = (await staff.call('GET', '@/webhooks')).json
  assert.equal(health.length, 24)
  assert.deepEqual([health.at(-1).attempts, health.at(-1).delivered], [4, 2])
  service.clock.advance(31 * DAY_MS)
  await runJob(deps, 'forget-answers')
  const left = await deps.db.query({ name: 'test_hours', text: 'select from webhook_hours where tenant_id = $1' }, [
    own,
  ])
  assert.equal(left.length, 0)
})

test('the log has the newest twenty test events, by page and by filter, for a week', async () => {
  const shop = await service.tenant()
  const owner = await person(service, shop, 'admin')
  const { id } = (await owner.call('POST', '@/webhooks/endpoints', { body: draft })).json
  const body = { type: 'verification.failed', newest_secret_only: false }
  const isReceived = async () => (await owner.call('GET', '@/overview')).json.steps.webhook
  receiver.answer = () => ({ status: 500 })
  await owner.call('POST', `@/webhooks/endpoints/${id}/test`, { body })
  assert.equal(await isReceived(), false, 'what was not accepted is not a first step')
  receiver.answer = () => ({ status: 200 })
  for (let sent = 0; sent < TEST_EVENTS_KEPT_MAX + 3; sent++) {
    await owner.call('POST', `@/webhooks/endpoints/${id}/test`, { body })
    service.clock.advance(1_000)
  }
  const listed = async (query = '') => (await owner.call('GET', `@/deliveries${query}`)).json.data
  const all = await listed()
  assert.equal(all.length, TEST_EVENTS_KEPT_MAX)
  assert.equal(await isReceived(), true)
  assert.deepEqual(
    all,
    all.toSorted((a: { created_at: string }, b: { created_at: string }) => (a.created_at < b.created_at ? 1 : -1)),
  )
  assert.equal((await listed('?state=failed')).length, 0)
  assert.equal((await listed('?type=verification.completed')).length, 0)
  assert.equal((await listed(`?before=${encodeURIComponent(all[9].created_at)}`)).length, TEST_EVENTS_KEPT_MAX - 10)
  const [stored] = await deps.db.query<{ sealed: Buffer }>(
    { name: 'test_sealed_tests', text: 'select sealed from webhook_test_events where tenant_id = $1' },
    [shop],
  )
  assert.ok(stored !== undefined && !stored.sealed.toString('latin1').includes('127.0.0.1'))
  const damage = { name: 'test_damaged', text: `update webhook_test_events set sealed = '\\x00' where id = $1` }
  await deps.db.query(damage, [all[0].id])
  assert.equal((await listed()).length, TEST_EVENTS_KEPT_MAX - 1, 'one that cannot be opened is left out')
  service.clock.advance(7 * DAY_MS)
  await runJob(deps, 'forget-answers')
  const text = 'select from webhook_test_events where tenant_id = $1'
  assert.equal((await deps.db.query({ name: 'test_left_tests', text }, [shop])).length, 0)
})

test('endpoints of a realm and messages sent by hand are limited', async () => {
  const own = await service.tenant()
  const staff = await person(service, own, 'admin')
  const add = (nth: number) => staff.call('POST', '@/webhooks/endpoints', { body: { ...draft, name: `n${nth}` } })
  const created = await Promise.all(Array.from({ length: ENDPOINTS_MAX + 2 }, (_, nth) => add(nth)))
  assert.equal(created.filter(({ status }) => status === 201).length, ENDPOINTS_MAX)
  assertRefused(await add(99), 409, 'too_many_webhook_endpoints')
  const [{ id }] = (await staff.call('GET', '@/webhooks')).json.endpoints
  const body = { type: 'verification.failed', newest_secret_only: false }
  const sent = await Promise.all(
    Array.from({ length: 31 }, () => staff.call('POST', `@/webhooks/endpoints/${id}/test`, { body })),
  )
  assert.deepEqual([...new Set(sent.map(({ status }) => status))].sort(), [200, 429])
})

test('viewers see the origin of webhooks, and no part of an address that may be secret', async () => {
  const own = await service.tenant()
  const [ownAdmin, ownViewer] = [await person(service, own, 'admin'), await person(service, own, 'viewer')]
  const { origin, host } = new URL(receiver.url)
  const secret = `http://user:s3cret@${host}/hook/s3cret?token=s3cret`
  const url = receiver.url.replace('/hook', '/hook/s3cret?token=s3cret')
  const saved = await ownAdmin.call('POST', '@/webhooks/endpoints', { body: { ...draft, url } })
  assert.equal(saved.status, 201)
  const id = await declined(service, { key: await service.key(own), url })
  await deliverDue(service)
  const [delivery] = (await ownAdmin.call('GET', '@/deliveries')).json.data
  for (const path of ['@/webhooks', '@/deliveries', `@/deliveries/${delivery.id}`, `@/verifications/${id}`]) {
    assert.ok((await ownAdmin.call('GET', path)).text.includes(url), path)
    const { text } = await ownViewer.call('GET', path)
    assert.ok(!text.includes('s3cret'), `${path}: ${text}`)
    assert.ok(text.includes(`"${origin}"`), path)
  }
  assert.equal(shownAddress({ role: 'viewer' }, secret), origin)
})

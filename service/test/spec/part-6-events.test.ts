// Specification part 6: events. One test per sentence.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import test from 'node:test'
import { sealSensitiveFields } from '../../src/core/verifications/store/sealed-sensitive-fields.ts'
import { rotateSecret, showWebhookSecret } from '../../src/features/webhooks/usecases/manage-webhook-secret.ts'
import { readDeliveries } from '../../src/features/webhooks/usecases/read-deliveries.ts'
import type { Refusal } from '../../src/platform/errors.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { declined, deliverDue, LOOPBACK, type Received, startReceiver } from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const { call, clock, deps } = service
const HOUR = 3_600_000

async function realm() {
  const tenantId = await service.tenant()
  return { at: { tenantId, environment: 'test' as const }, key: await service.key(tenantId) }
}

test('6.1 a session with webhook_url that fails sends verification.failed by POST, with the verification as GET returns it', async () => {
  const { key } = await realm()
  const receiver = await startReceiver()
  const id = await declined(service, {
    key,
    url: receiver.url,
    body: { metadata: { order: 'ä"\u2028/😀' }, purpose: 'Beer' },
  })
  assert.equal(await deliverDue(service), 1)
  const [event] = receiver.received
  assert.ok(event !== undefined)
  const payload = JSON.parse(event.body.toString('utf8'))
  assert.deepEqual(Object.keys(payload), ['type', 'verification', 'sent_at'])
  assert.equal(payload.type, 'verification.failed')
  assert.match(payload.sent_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
  const read = await call('GET', `/v1/verifications/${id}`, { key })
  assert.ok(event.body.includes(Buffer.from(`"verification":${read.text},"sent_at"`)), 'byte for byte')
  assert.match(String(event.headers['content-type']), /^application\/json/)
  assert.match(String(event.headers['user-agent']), /^Vidimus/)
  assert.match(String(event.headers['x-service-delivery']), /^dlv_/)
})

test('6.1 a session without webhook_url sends nothing', async () => {
  const { key, at } = await realm()
  const receiver = await startReceiver()
  const created = await call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
  const { decline } = await import('../harness/webhooks.ts')
  await decline(service, created.json.id)
  await deliverDue(service)
  assert.equal(receiver.received.length, 0)
  assert.deepEqual(await readDeliveries(deps, { realm: at, limit: 10, before: null, verificationId: null }), [])
})

for (const status of [301, 302, 303, 307, 308]) {
  test(`6.2 a redirect (${status}) is not followed: it is a failed attempt`, async () => {
    const { key, at } = await realm()
    const [receiver, elsewhere] = [await startReceiver(), await startReceiver()]
    receiver.answer = () => ({ status, headers: { location: elsewhere.url } })
    await declined(service, { key, url: receiver.url })
    await deliverDue(service)
    assert.equal(elsewhere.received.length, 0)
    const [delivery] = await readDeliveries(deps, { realm: at, limit: 1, before: null, verificationId: null })
    assert.deepEqual(
      delivery?.log.map(({ outcome, httpStatus }) => [outcome, httpStatus]),
      [['http_error', status]],
    )
    assert.equal(delivery?.state, 'pending')
  })
}

test('6.2 private, loopback and link-local destinations are refused at creation with invalid_webhook_url', async () => {
  // Only the policy applies here: the operator of the other service lets webhooks reach 127.0.0.1.
  const closed = await testService()
  const key = await closed.key(await closed.tenant())
  for (const url of [
    'http://127.0.0.1/',
    'http://127.0.0.2/',
    'http://10.0.0.1/',
    'http://169.254.169.254/',
    'http://[::1]/',
    'http://localhost/',
    'ftp://merchant.example.org/',
  ]) {
    const body = { template: 'age_over_18', webhook_url: url }
    assertRefused(await closed.call('POST', '/v1/verifications', { key, body }), 422, 'invalid_webhook_url')
  }
})

test('6.2 a destination that became forbidden after creation is refused at delivery, without a connection', async () => {
  const { key, at } = await realm()
  let touched = 0
  const inside = createServer(() => {
    touched += 1
  }).listen(0, '127.0.0.3')
  const id = await declined(service, { key, url: (await startReceiver()).url })
  const address = inside.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const webhookUrl = `http://127.0.0.3:${port}/`
  const moved = sealSensitiveFields(
    deps.db,
    { ...at, id },
    { webhookUrl, redirectUrl: null, metadata: null, origin: null, universal: null },
  )
  await deps.db.query({ name: 'test_move_hook', text: 'update verifications set particulars = $2 where id = $1' }, [
    id,
    moved,
  ])
  await deliverDue(service)
  inside.close()
  assert.equal(touched, 0)
  const [delivery] = await readDeliveries(deps, { realm: at, limit: 1, before: null, verificationId: null })
  assert.equal(delivery?.log[0]?.outcome, 'egress_denied')
})

test('6.3 X-Service-Signature is t=<unix seconds>,v1=<lowercase hex HMAC-SHA256 over t.body>, by an independent implementation', async () => {
  const { key, at } = await realm()
  const receiver = await startReceiver()
  await declined(service, { key, url: receiver.url })
  await deliverDue(service)
  const { secret } = await showWebhookSecret(deps, { realm: at, actor: OPERATOR })
  assert.match(secret, /^whsec_[A-Za-z0-9_-]{43}$/)
  const [event] = receiver.received
  assert.ok(event !== undefined)
  const { t, v1 } = signatureOf(event)
  assert.equal(t, Math.floor(clock.now() / 1000))
  assert.equal(v1.length, 1)
  assert.equal(v1[0], opensslHmac(secret, Buffer.concat([Buffer.from(`${t}.`), event.body])))
})

test('6.5 for 24 hours after a rotation both secrets sign, the new one first; outside a rotation there is exactly one', async () => {
  const { key, at } = await realm()
  const receiver = await startReceiver()
  const old = await showWebhookSecret(deps, { realm: at, actor: OPERATOR })
  const rotated = await rotateSecret(deps, { realm: at, actor: OPERATOR, endPrevious: false })
  assert.notEqual(rotated.secret, old.secret)
  const begin = clock.now()
  for (const [after, secrets] of [
    [0, [rotated.secret, old.secret]],
    [12 * HOUR, [rotated.secret, old.secret]],
    [24 * HOUR - 1, [rotated.secret, old.secret]],
    [24 * HOUR, [rotated.secret]],
    [24 * HOUR + 1, [rotated.secret]],
  ] as const) {
    clock.set(begin + after)
    await declined(service, { key, url: receiver.url })
    await deliverDue(service)
    const event = receiver.received.at(-1)
    assert.ok(event !== undefined)
    const { t, v1 } = signatureOf(event)
    assert.deepEqual(
      v1,
      secrets.map((secret) => hmac(secret, t, event.body)),
      `${after} ms after`,
    )
  }
})

test('6.5 each replaced secret signs for its full 24 hours, however often it is rotated in between, the newest first', async () => {
  const { key, at } = await realm()
  const receiver = await startReceiver()
  const begin = clock.now()
  const rotate = async (hours: number) => {
    clock.set(begin + hours * HOUR)
    return rotateSecret(deps, { realm: at, actor: OPERATOR, endPrevious: false })
  }
  const first = await showWebhookSecret(deps, { realm: at, actor: OPERATOR })
  const second = await rotate(0)
  const third = await rotate(1)
  const fourth = await rotate(5)
  const all = [fourth, third, second, first]
  for (const [hours, signing] of [
    [5, all],
    [24 - 1 / HOUR, all],
    [24, [fourth, third, second]],
    [25 - 1 / HOUR, [fourth, third, second]],
    [25, [fourth, third]],
    [29 - 1 / HOUR, [fourth, third]],
    [29, [fourth]],
  ] as const) {
    clock.set(begin + hours * HOUR)
    await declined(service, { key, url: receiver.url })
    await deliverDue(service)
    const event = receiver.received.at(-1)
    assert.ok(event !== undefined)
    const { t, v1 } = signatureOf(event)
    assert.deepEqual(
      v1,
      signing.map(({ secret }) => hmac(secret, t, event.body)),
      `after ${hours} hours`,
    )
  }
})

test('6.5 at most five secrets sign: a further rotation is refused and ends none; --now ends all old ones at once', async () => {
  const { key, at } = await realm()
  const receiver = await startReceiver()
  const rotate = (endPrevious = false) => rotateSecret(deps, { realm: at, actor: OPERATOR, endPrevious })
  const secrets = [await showWebhookSecret(deps, { realm: at, actor: OPERATOR })]
  for (let count = 0; count < 4; count += 1) secrets.unshift(await rotate())
  const soonest = new Date(clock.now() + 24 * HOUR).toISOString().slice(0, 19)
  await assert.rejects(rotate(), (error: Refusal) => {
    assert.equal(error.code, 'too_many_webhook_secrets')
    return error.publicMessage?.includes(soonest) ?? false
  })
  const signing = async () => {
    await declined(service, { key, url: receiver.url })
    await deliverDue(service)
    return verifyingSecrets(receiver.received.at(-1), secrets)
  }
  assert.deepEqual(
    await signing(),
    secrets.map(({ secret }) => secret),
  )
  const last = await rotate(true)
  secrets.unshift(last)
  assert.deepEqual(await signing(), [last.secret])
  clock.advance(24 * HOUR)
  for (let count = 0; count < 3; count += 1) await rotate()
  const many = await Promise.allSettled(Array.from({ length: 8 }, () => rotate()))
  assert.equal(many.filter(({ status }) => status === 'fulfilled').length, 1, 'also if many rotations come at once')
})

test('6.6 six attempts on the schedule, each with its own t and signature, then no seventh', async () => {
  const { key, at } = await realm()
  const receiver = await startReceiver()
  receiver.answer = () => ({ status: 500 })
  await declined(service, { key, url: receiver.url })
  const waits: number[] = []
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    assert.equal(await deliverDue(service), 1, `attempt ${attempt}`)
    const [delivery] = await readDeliveries(deps, { realm: at, limit: 1, before: null, verificationId: null })
    if (delivery?.nextAt == null) break
    const due = Date.parse(delivery.nextAt)
    waits.push((due - clock.now()) / 1000)
    clock.set(due - 2)
    assert.equal(await deliverDue(service), 0, 'not before it is due')
    clock.set(due + 1)
  }
  for (const [index, planned] of [30, 300, 1_800, 7_200, 64_800].entries()) {
    const waited = waits[index] ?? 0
    assert.ok(waited >= planned * 0.9 - 1 && waited <= planned * 1.1 + 1, `wait ${index + 2}: ${waited}`)
  }
  clock.advance(100 * HOUR)
  assert.equal(await deliverDue(service), 0)
  assert.equal(receiver.received.length, 6)
  assert.equal(new Set(receiver.received.map((event) => signatureOf(event).t)).size, 6)
  assert.equal(new Set(receiver.received.map((event) => event.headers['x-service-delivery'])).size, 1)
  const [delivery] = await readDeliveries(deps, { realm: at, limit: 1, before: null, verificationId: null })
  assert.equal(delivery?.state, 'failed')
  assert.equal(delivery?.log.length, 6)
})

for (const status of [200, 201, 202, 204, 299]) {
  test(`6.6 a ${status} answer is the success signal`, async () => {
    const { key, at } = await realm()
    const receiver = await startReceiver()
    receiver.answer = () => ({ status })
    await declined(service, { key, url: receiver.url })
    await deliverDue(service)
    const [delivery] = await readDeliveries(deps, { realm: at, limit: 1, before: null, verificationId: null })
    assert.equal(delivery?.state, 'delivered')
    assert.deepEqual(
      delivery?.log.map(({ outcome, httpStatus, url }) => [outcome, httpStatus, url]),
      [['delivered', status, receiver.url]],
    )
  })
}

for (const status of [300, 304, 400, 401, 404, 429, 500, 503]) {
  test(`6.6 a ${status} answer is a failure, and is retried`, async () => {
    const { key } = await realm()
    const receiver = await startReceiver()
    receiver.answer = (count) => ({ status: count === 1 ? status : 200 })
    await declined(service, { key, url: receiver.url })
    await deliverDue(service)
    clock.advance(40_000)
    await deliverDue(service)
    assert.equal(receiver.received.length, 2)
  })
}

test('6.7 erasing a verification deletes its delivery log rows', async () => {
  const { key, at } = await realm()
  const receiver = await startReceiver()
  receiver.answer = () => ({ status: 500 })
  const id = await declined(service, { key, url: receiver.url })
  await deliverDue(service)
  const erased = await call('DELETE', `/v1/verifications/${id}`, { key })
  assert.equal(erased.json.deleted.webhook_deliveries, 1)
  assert.deepEqual(await readDeliveries(deps, { realm: at, limit: 10, before: null, verificationId: null }), [])
  const rows = await deps.db.query(
    { name: 'test_attempts_left', text: 'select 1 as one from webhook_attempts where tenant_id = $1' },
    [at.tenantId],
  )
  assert.equal(rows.length, 0)
  clock.advance(HOUR)
  assert.equal(await deliverDue(service), 0)
})

function signatureOf(event: Received): { t: number; v1: string[] } {
  const parts = String(event.headers['x-service-signature']).split(',')
  assert.match(parts.join(','), /^t=\d+(,v1=[0-9a-f]{64})+$/)
  return { t: Number(parts[0]?.slice(2)), v1: parts.slice(1).map((part) => part.slice(3)) }
}

const hmac = (secret: string, t: number, body: Buffer) =>
  createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')

/** Returns which of the secrets made the signatures, in the header's order. */
function verifyingSecrets(event: Received | undefined, known: readonly { secret: string }[]): (string | undefined)[] {
  assert.ok(event !== undefined)
  const { t, v1 } = signatureOf(event)
  return v1.map((signature) => known.find(({ secret }) => hmac(secret, t, event.body) === signature)?.secret)
}

/** Shares no code with ours. */
function opensslHmac(secret: string, data: Buffer): string | undefined {
  const output = execFileSync(
    'openssl',
    ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${Buffer.from(secret).toString('hex')}`],
    { input: data },
  )
  return output.toString().trim().split(' ').at(-1)
}

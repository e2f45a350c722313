// Tests usage: a forecast beside the quota, and one webhook per month for each share of the quota that a day reaches.

import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyWebhook } from '@vidimus/sdk'
import { signingSecrets } from '../../src/features/webhooks/usecases/manage-webhook-secret.ts'
import { runJob } from '../harness/jobs.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { LOOPBACK, type Received, startReceiver } from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const { clock, deps } = service
const DAY_MS = 86_400_000

async function newRealm(quota: number) {
  const tenant = await service.tenant()
  await setQuota(tenant, quota)
  const receiver = await startReceiver()
  const key = await service.key(tenant)
  const admin = await person(service, tenant, 'admin')
  const use = async (many: number) => {
    for (let n = 0; n < many; n += 1)
      await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
  }
  const watch = (thresholds: readonly number[]) =>
    admin.call('POST', '@/usage/alerts', { body: { url: receiver.url, thresholds } })
  return { tenant, receiver, admin, use, watch }
}

const setQuota = (tenantId: string, quota: number) =>
  deps.db.query({ name: 'test_quota', text: 'update tenants set daily_quota = $2 where id = $1' }, [tenantId, quota])

async function eventOf(tenantId: string, { body, headers }: Received) {
  const secrets = await signingSecrets(deps, { tenantId, environment: 'test' })
  const header = String(headers['x-service-signature'])
  return verifyWebhook(body, header, secrets, { now: new Date(clock.now()) })
}

test('reached thresholds are reported once, signed, with an audit entry; others when they are reached', async () => {
  const { tenant, receiver, admin, use, watch } = await newRealm(10)
  assert.equal((await watch([50, 80, 100])).status, 200)
  await use(4)
  await runJob(deps, 'tell-usage')
  assert.equal(receiver.received.length, 0)
  await use(1)
  for (let run = 0; run < 2; run += 1) await runJob(deps, 'tell-usage')
  assert.equal(receiver.received.length, 1)
  const [first] = receiver.received
  assert.ok(first !== undefined)
  const event = await eventOf(tenant, first)
  assert.ok(event.type === 'unknown' && event.name === 'usage.threshold_reached')
  const day = new Date(clock.now()).toISOString().slice(0, 10)
  assert.deepEqual(event.payload.usage, {
    environment: 'test',
    day,
    threshold_percent: 50,
    verifications_created: 5,
    daily_quota: 10,
  })
  await use(5)
  await runJob(deps, 'tell-usage')
  const thresholds = receiver.received.slice(1).map(({ body }) => JSON.parse(body.toString()).usage.threshold_percent)
  assert.deepEqual(thresholds.sort(), [100, 80])
  const shown = (await admin.call('GET', '@/usage/alerts')).json
  assert.deepEqual(
    shown.told.map(({ threshold, outcome }: { threshold: number; outcome: string }) => [threshold, outcome]),
    [
      [100, 'delivered'],
      [80, 'delivered'],
      [50, 'delivered'],
    ],
  )
  const actions = (await admin.call('GET', '@/audit')).json.data.map(({ action }: { action: string }) => action)
  assert.equal(actions.filter((one: string) => one === 'usage.threshold_reached').length, 3)
  assert.equal(actions.filter((one: string) => one === 'usage_alerts.changed').length, 1)
})

test('a threshold is not reported again on the next day of the same month, but in the next month', async () => {
  // The tests begin in the middle of a month.
  const { receiver, use, watch } = await newRealm(2)
  await watch([100])
  await use(2)
  await runJob(deps, 'tell-usage')
  clock.advance(DAY_MS)
  await use(2)
  await runJob(deps, 'tell-usage')
  assert.equal(receiver.received.length, 1)
  clock.advance(31 * DAY_MS)
  await use(2)
  await runJob(deps, 'tell-usage')
  assert.equal(receiver.received.length, 2)
  const ids = receiver.received.map(({ headers }) => headers['x-service-delivery'])
  assert.equal(new Set(ids).size, 2)
})

test('a failed report is retried under the same number until the schedule ends', async () => {
  const { receiver, use, watch } = await newRealm(1)
  receiver.answer = () => ({ status: 503 })
  await watch([100])
  await use(1)
  for (let run = 0; run < 10; run += 1) {
    await runJob(deps, 'tell-usage')
    clock.advance(20 * 3_600_000)
  }
  assert.equal(receiver.received.length, 6)
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size, 1)
})

test('after alerts are turned off none is sent, neither waiting nor new ones', async () => {
  const { receiver, use, watch, admin } = await newRealm(1)
  receiver.answer = () => ({ status: 503 })
  await watch([100])
  await use(1)
  await runJob(deps, 'tell-usage')
  const fresh = await admin.call('POST', '@/usage/alerts', { body: { url: null, thresholds: [] } })
  assert.equal(fresh.status, 200)
  clock.advance(120_000)
  await runJob(deps, 'tell-usage')
  assert.equal(receiver.received.length, 1)
  const shown = (await admin.call('GET', '@/usage/alerts')).json
  assert.deepEqual([shown.url, shown.host, shown.thresholds], [null, null, []])
})

test('forbidden webhook addresses and invalid shares are refused; viewers see no address', async () => {
  const { tenant, watch, admin, receiver } = await newRealm(10)
  const set = (body: object) => admin.call('POST', '@/usage/alerts', { body })
  assertRefused(await set({ url: 'http://169.254.169.254/', thresholds: [80] }), 422, 'invalid_webhook_url')
  assertRefused(await set({ url: receiver.url, thresholds: [] }), 400, 'invalid_request')
  assertRefused(await set({ url: receiver.url, thresholds: [0] }), 400, 'invalid_request')
  assertRefused(await set({ url: receiver.url, thresholds: [1, 2, 3, 4, 5, 6] }), 400, 'invalid_request')
  await watch([80])
  const viewer = await person(service, tenant, 'viewer')
  const seen = (await viewer.call('GET', '@/usage/alerts')).json
  assert.deepEqual([seen.url, seen.host], [null, new URL(receiver.url).host])
  assert.equal((await admin.call('GET', '@/usage/alerts')).json.url, receiver.url)
  const live = (await admin.call('GET', '@/usage/alerts', { environment: 'live' })).json
  assert.equal(live.host, null)
})

test('the page gets the totals of today and this month', async () => {
  const { use, admin } = await newRealm(100)
  await use(3)
  const { forecast, verifications_created: created } = (await admin.call('GET', '@/usage')).json
  assert.equal(created, 3)
  assert.equal(forecast.month.so_far, 3)
  assert.ok(forecast.today === null || forecast.today >= 3)
})

// Specification part 8: rate limits and the daily quota. Limits of single fields are tested with their routes.

import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, testService } from '../harness/service.ts'

const service = await testService({
  rates: {
    key: { perSecond: 2, burst: 3 },
    tenant: { perSecond: 1e6, burst: 1e6 },
    address: { perSecond: 1e6, burst: 1e6 },
    ip: { perSecond: 1, burst: 2 },
    verification: { perSecond: 1, burst: 2 },
    enroll: { perSecond: 1, burst: 2 },
    enrollAll: { perSecond: 1, burst: 2 },
  },
})
const { call, clock } = service

test('8 rate limiting applies per key: a spent budget is refused with Retry-After, and waiting for that succeeds', async () => {
  const tenant = await service.tenant()
  const key = await service.key(tenant)
  const answers = []
  for (let round = 0; round < 4; round += 1) answers.push(await call('GET', '/v1/usage', { key }))
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [200, 200, 200, 429],
  )
  assert.deepEqual(
    answers.map((answer) => answer.headers['ratelimit-remaining']),
    [2, 1, 0, 0].map(String),
  )
  const last = answers[3]
  assert.ok(last !== undefined)
  assertRefused(last, 429, 'rate_limit_exceeded')
  clock.advance(Number(last.headers['retry-after']) * 1000)
  assert.equal((await call('GET', '/v1/usage', { key })).status, 200)
})

test("8 a key does not use another key's budget", async () => {
  const tenant = await service.tenant()
  const [first, second] = [await service.key(tenant), await service.key(tenant)]
  for (let round = 0; round < 4; round += 1) await call('GET', '/v1/usage', { key: first })
  assert.equal((await call('GET', '/v1/usage', { key: second })).status, 200)
})

test('8 daily_quota is the plan of the tenant, or its override', async () => {
  const plans = { free: 100, starter: 1_000, business: 20_000, enterprise: 1_000_000 } as const
  for (const [plan, quota] of Object.entries(plans)) {
    const tenant = await service.tenant({ plan: plan as keyof typeof plans })
    const usage = await call('GET', '/v1/usage', { key: await service.key(tenant) })
    assert.equal(usage.json.daily_quota, quota)
    assert.equal(usage.json.remaining, quota)
  }
  const tenant = await service.tenant({ plan: 'free', dailyQuota: 7 })
  assert.equal((await call('GET', '/v1/usage', { key: await service.key(tenant) })).json.daily_quota, 7)
})

test('8 usage history has at most 30 days, newest first, and none without usage', async () => {
  const tenant = await service.tenant()
  const key = await service.key(tenant)
  await service.deps.db.query(
    {
      name: 'test_fill_usage',
      text: `insert into usage_days (tenant_id, day, created)
             select $1, $2::date - n, case when n % 2 = 0 then n + 1 else 0 end from generate_series(0, 99) n`,
    },
    [tenant, new Date(clock.now()).toISOString().slice(0, 10)],
  )
  const { json } = await call('GET', '/v1/usage', { key })
  assert.equal(json.recent.length, 30)
  assert.equal(json.recent[0].day, json.day)
  assert.equal(json.verifications_created, 1)
  assert.ok(json.recent.every((row: { verifications_created: number }) => row.verifications_created > 0))
  const days = json.recent.map((row: { day: string }) => row.day)
  assert.deepEqual(days, [...days].sort().reverse())
})

test('8 the quota belongs to the UTC day: at midnight the count starts over', async () => {
  const tenant = await service.tenant({ dailyQuota: 5 })
  const key = await service.key(tenant)
  const day = new Date(clock.now()).toISOString().slice(0, 10)
  await service.deps.db.query({ name: 'test_spend', text: 'insert into usage_days values ($1, $2, 5)' }, [tenant, day])
  clock.set(Date.parse(`${day}T23:59:59.999Z`))
  assert.equal((await call('GET', '/v1/usage', { key })).json.remaining, 0)
  clock.advance(1)
  const { json } = await call('GET', '/v1/usage', { key })
  assert.equal(json.remaining, 5)
  assert.equal(json.verifications_created, 0)
  assert.equal(json.recent[0].day, day)
})

test('8 remaining is never negative when the quota is lowered below the usage', async () => {
  const tenant = await service.tenant({ dailyQuota: 2 })
  const key = await service.key(tenant)
  const day = new Date(clock.now()).toISOString().slice(0, 10)
  await service.deps.db.query({ name: 'test_spend', text: 'insert into usage_days values ($1, $2, 5)' }, [tenant, day])
  assert.equal((await call('GET', '/v1/usage', { key })).json.remaining, 0)
})

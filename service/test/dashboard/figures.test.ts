// Tests the figures of the overview: each verification counts once, in the hour of its creation, however it ended.

import assert from 'node:assert/strict'
import test from 'node:test'
import { bucketOf, quantileOf } from '../../src/features/figures/domain/counts.ts'
import { browserAnswer, fetchOffer, postAnswer } from '../harness/dc-api.ts'
import { pairDevice } from '../harness/devices.ts'
import { runJob } from '../harness/jobs.ts'
import { testClient } from '../harness/openid-client.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { CALLBACK, codeFor } from '../oidc/callers.ts'

const service = await testService()
const { clock, deps } = service
const wallet = await testWallet(service)
const HOUR_MS = 3_600_000
/** The start of an hour, so that the tests know the minute. */
clock.advance(HOUR_MS - (clock.now() % HOUR_MS))

async function newRealm() {
  const tenant = await service.tenant()
  const key = await service.key(tenant)
  const owner = await person(service, tenant, 'owner')
  const create = async (body: object = {}, token = key) =>
    (await service.call('POST', '/v1/verifications', { key: token, body: { template: 'identity', ...body } })).json
  // Signs in again each time, because the test moves the clock by days and sessions expire.
  const figures = async (span = 'day') => {
    await runJob(deps, 'count-endings')
    return (await (await person(service, tenant, 'viewer')).call('GET', `@/figures?span=${span}`)).json
  }
  return { tenant, key, owner, create, figures }
}
const NONE = { completed: 0, failed: 0, expired: 0 }

test('completed, declined, expired and cancelled verifications count once each, in every figure of the page', async () => {
  const { key, create, figures } = await newRealm()
  const { access_token: token, device } = await pairedDevice(key)
  const created = [await create(), await create({ template: 'age_over_18' }, token), await create(), await create()]
  const [answered, atTill, left, dropped] = created
  assert.ok(answered !== undefined && atTill !== undefined && left !== undefined && dropped !== undefined)
  clock.advance(10_000)
  await wallet.present(answered.wallet_uri)
  await wallet.present(atTill.wallet_uri, 'declined')
  await service.call('POST', `/v1/verifications/${dropped.id}/cancel`, { key })
  assert.deepEqual((await figures()).total, { completed: 1, failed: 1, expired: 0 })
  clock.advance(300_000 + 60_001)
  for (let run = 0; run < 2; run += 1) await runJob(deps, 'count-endings')
  const found = await figures()
  assert.deepEqual(found.total, { completed: 1, failed: 1, expired: 2 })
  assert.deepEqual(found.bars.at(-1), found.total)
  assert.deepEqual(found.templates, [
    { template: 'identity', completed: 1, failed: 0, expired: 2 },
    { template: 'age_over_18', completed: 0, failed: 1, expired: 0 },
  ])
  assert.deepEqual(found.reasons, [{ code: 'wallet_declined', count: 1 }])
  assert.deepEqual(found.channels, [{ channel: 'qr', completed: 1, failed: 1, expired: 0 }])
  assert.equal(found.keys.length, 1)
  assert.deepEqual(
    { ...found.keys[0], id: null },
    { by: 'api_key', id: null, name: 'test', completed: 1, failed: 0, expired: 2 },
  )
  assert.deepEqual(found.devices, [{ id: device, name: 'Bar 3', completed: 0, failed: 1, expired: 0 }])
  const { median, p90 } = found.answer_ms
  for (const time of [median, p90]) assert.ok(time > 8_000 && time < 12_500, String(time))
})

async function pairedDevice(key: string): Promise<{ access_token: string; device: string }> {
  const paired = await pairDevice(service, key, { name: 'Bar 3' })
  return { access_token: paired.accessToken, device: paired.id }
}

test('answers are counted by channel: a scanned code, the same device, the browser, a sign-in', async () => {
  const { tenant, create, figures } = await newRealm()
  const page = await create()
  const shown = (await service.call('GET', `/verify/${page.id}`)).text
  const link = /href="(openid4vp:[^"]+)"/.exec(shown)?.[1]?.replaceAll('&#38;', '&') ?? ''
  assert.notEqual(link, page.wallet_uri)
  // Answered at once, while the fetch is not written yet.
  await wallet.present(link)
  await wallet.present((await create()).wallet_uri)
  const created = await create()
  await postAnswer(service, created.id, await browserAnswer(wallet, (await fetchOffer(service, created.id)).json))
  const shop = await testClient(service, tenant, { redirectUris: [CALLBACK] })
  await codeFor(service, wallet, shop)
  const { channels, keys } = await figures()
  const counted = channels.map(({ channel, completed }: { channel: string; completed: number }) => [channel, completed])
  assert.deepEqual(
    counted.sort(),
    ['dc_api', 'openid', 'qr', 'same_device'].map((channel) => [channel, 1]),
  )
  assert.deepEqual(
    keys.map(({ by, completed }: { by: string; completed: number }) => [by, completed]),
    [
      ['api_key', 3],
      ['openid', 1],
    ],
  )
})

test('a counted row is removed by the same statement: nothing is counted twice, and nothing is lost', async () => {
  const { create, figures } = await newRealm()
  await wallet.present((await create()).wallet_uri)
  const uncounted = async () =>
    (await deps.db.query({ name: 'test_uncounted', text: 'select 1 from uncounted_batches' })).length
  assert.equal(await uncounted(), 1)
  await Promise.all([runJob(deps, 'count-endings'), runJob(deps, 'count-endings')])
  assert.equal(await uncounted(), 0)
  assert.deepEqual((await figures()).total, { ...NONE, completed: 1 })
})

test('a second answer and a late answer do not count', async () => {
  const { create, figures } = await newRealm()
  const created = await create()
  await wallet.present(created.wallet_uri)
  await wallet.present(created.wallet_uri).catch(() => undefined)
  assert.deepEqual((await figures()).total, { ...NONE, completed: 1 })
})

test('erasure changes no count, and counts belong to one realm', async () => {
  const { create, figures, owner, tenant } = await newRealm()
  const created = await create()
  await wallet.present(created.wallet_uri)
  await owner.call('POST', `@/verifications/${created.id}/erase`, { body: { confirm: created.id.slice(-6) } })
  assert.deepEqual((await figures()).total, { ...NONE, completed: 1 })
  const live = await owner.call('GET', '@/figures?span=day', { environment: 'live' })
  assert.deepEqual(live.json.total, NONE)
  assert.deepEqual((await (await newRealm()).figures()).total, NONE)
  assert.deepEqual(await namedIn(tenant), ['', 'identity', 'qr'])
})

/** Returns every word in the counts of a tenant, except times. */
async function namedIn(tenant: string): Promise<string[]> {
  const rows = await deps.db.query<{ name: string }>(
    {
      name: 'test_counted_names',
      text: `select distinct name from verification_counts where tenant_id = $1 and kind not in ('wait', 'key') order by name`,
    },
    [tenant],
  )
  return rows.map(({ name }) => name)
}

test('a day is shown by hours, a week and a month by days; the span before is counted separately', async () => {
  const { create, figures } = await newRealm()
  await wallet.present((await create()).wallet_uri)
  clock.advance(25 * HOUR_MS)
  const [day, week, month] = [await figures('day'), await figures('week'), await figures('month')]
  assert.deepEqual([day.bars.length, week.bars.length, month.bars.length], [24, 7, 30])
  assert.deepEqual([day.total, day.before], [NONE, { ...NONE, completed: 1 }])
  for (const { total, bars, from, to, step_seconds: step } of [week, month]) {
    assert.deepEqual(total, { ...NONE, completed: 1 })
    assert.equal(bars.filter((bar: { completed: number }) => bar.completed === 1).length, 1)
    assert.equal(Date.parse(to) - Date.parse(from), bars.length * step * 1000)
  }
})

test('the job continues where it stopped: it does not read older rows again, and counts are deleted after 400 days', async () => {
  const { create, figures } = await newRealm()
  for (let n = 0; n < 3; n += 1) await create({ ttl_seconds: 60 })
  clock.advance(60_000 + 60_001)
  await runJob(deps, 'count-endings')
  assert.deepEqual((await figures()).total, { ...NONE, expired: 3 })
  const mark = 'select expires_at as at, id from expiry_count_mark'
  const [before] = await deps.db.query<{ id: string }>({ name: 'test_mark', text: mark })
  await runJob(deps, 'count-endings')
  const [after] = await deps.db.query<{ id: string }>({ name: 'test_mark', text: mark })
  assert.deepEqual(after, before)
  // The job also reads answered verifications between the mark and now once, although it counts none of them.
  await wallet.present((await create({ ttl_seconds: 60 })).wallet_uri)
  clock.advance(HOUR_MS)
  await runJob(deps, 'count-endings')
  const [past] = await deps.db.query<{ at: string }>({ name: 'test_mark', text: mark })
  assert.equal(Date.parse(past?.at ?? ''), clock.now() - 60_000)
  clock.advance(400 * 24 * HOUR_MS + HOUR_MS)
  await runJob(deps, 'forget-counts')
  const [left] = await deps.db.query<{ n: number }>({
    name: 'test_left',
    text: 'select count(*)::int as n from verification_counts',
  })
  assert.equal(left?.n, 0)
})

test('simultaneous endings are all counted; an invalid span is refused', async () => {
  const { create, figures, owner } = await newRealm()
  const created = await Promise.all(Array.from({ length: 12 }, () => create()))
  await Promise.all(created.map(({ wallet_uri: uri }) => wallet.present(uri, 'declined')))
  assert.deepEqual((await figures()).total, { ...NONE, failed: 12 })
  assertRefused(await owner.call('GET', '@/figures?span=year'), 400, 'invalid_request')
  assertRefused(await owner.call('GET', '@/figures'), 400, 'invalid_request')
})

test('buckets of times to answer grow with the time, and a quantile is accurate to a fifth', () => {
  assert.equal(bucketOf(-5), 0)
  assert.equal(bucketOf(Number.MAX_SAFE_INTEGER), 24)
  for (const seconds of [3, 10, 45, 200, 1_000, 3_000]) {
    const found = quantileOf(new Map([[bucketOf(seconds * 1000), 1]]), 0.5) ?? 0
    assert.ok(Math.abs(found / (seconds * 1000) - 1) < 0.2, `${seconds}: ${found}`)
  }
  const many = new Map([
    [4, 80],
    [10, 15],
    [20, 5],
  ])
  assert.deepEqual([quantileOf(many, 0.5), quantileOf(many, 0.9), quantileOf(new Map(), 0.5)], [3364, 26909, null])
})

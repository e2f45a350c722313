// Tests limits on resending webhooks: they protect receivers, which may not belong to the tenant, and readers of the
// log.

import assert from 'node:assert/strict'
import test from 'node:test'
import { ATTEMPTS_SHOWN_MAX } from '../../src/features/webhooks/store/attempts.ts'
import { RESENT_AT_ONCE_MAX, TRIED_MAX } from '../../src/features/webhooks/usecases/resend-failed.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { enqueueMany } from '../harness/webhooks.ts'

const service = await testService()
const { deps, clock } = service

/** Adds `many` failed deliveries, each tried `tried` times, the last time `minutesAgo` minutes ago. */
async function failed(tenantId: string, input: { many: number; tried: number; minutesAgo: number }): Promise<void> {
  await enqueueMany(service, { tenantId, url: 'https://shop.example/hook', many: input.many })
  await fail(tenantId)
  await deps.db.query(
    {
      name: 'test_tried',
      text: `insert into webhook_attempts (delivery_id, tenant_id, environment, trigger, started_at, finished_at, outcome)
             select d.id, d.tenant_id, d.environment, 'schedule', $2, $2, 'nth ' || n
             from webhook_deliveries d, generate_series(1, $3::integer) n where d.tenant_id = $1 order by d.id, n`,
    },
    [tenantId, new Date(clock.now() - input.minutesAgo * 60_000).toISOString(), input.tried],
  )
}

const fail = (tenantId: string) =>
  deps.db.query({ name: 'test_fail', text: `update webhook_deliveries set state = 'failed' where tenant_id = $1` }, [
    tenantId,
  ])

const resend = (staff: Awaited<ReturnType<typeof person>>) =>
  staff.call('POST', '@/deliveries/resend-failed', { body: { hours: 24 } })

test('a delivery that was tried in the last ten minutes, or fifty times in total, is not tried again', async () => {
  for (const [tried, minutesAgo, resent] of [
    [TRIED_MAX - 1, 10, 1],
    [TRIED_MAX - 1, 9, 0],
    [TRIED_MAX, 60, 0],
    [0, 0, 1],
  ] as const) {
    const tenant = await service.tenant()
    await failed(tenant, { many: 1, tried, minutesAgo })
    const staff = await person(service, tenant, 'admin')
    assert.equal((await resend(staff)).json.resent, resent, `${tried} times, the last ${minutesAgo} minutes ago`)
  }
})

test('a tenant can resend two thousand deliveries, and then as many per hour; a call that finds no delivery costs nothing', async () => {
  const tenant = await service.tenant()
  const staff = await person(service, tenant, 'admin')
  for (let nth = 0; nth < 5; nth += 1) assert.equal((await resend(staff)).json.resent, 0)
  await failed(tenant, { many: RESENT_AT_ONCE_MAX + 1, tried: 0, minutesAgo: 0 })
  for (let nth = 0; nth < 4; nth += 1) {
    assert.equal((await resend(staff)).json.resent, RESENT_AT_ONCE_MAX)
    await fail(tenant)
  }
  const refused = await resend(staff)
  assertRefused(refused, 429, 'rate_limit_exceeded')
  assert.equal(refused.headers['retry-after'], '900')
  clock.advance(900_000)
  assert.equal((await resend(staff)).json.resent, RESENT_AT_ONCE_MAX)
  assertRefused(await resend(staff), 429, 'rate_limit_exceeded')
})

test('every page shows only the newest attempts of a delivery, oldest first', async () => {
  const tenant = await service.tenant()
  await failed(tenant, { many: 2, tried: ATTEMPTS_SHOWN_MAX + 5, minutesAgo: 60 })
  const staff = await person(service, tenant, 'admin')
  const { data } = (await staff.call('GET', '@/deliveries')).json
  const shown = Array.from({ length: ATTEMPTS_SHOWN_MAX }, (_, nth) => `nth ${nth + 6}`)
  const outcomes = ({ attempts }: { attempts: { outcome: string }[] }) => attempts.map(({ outcome }) => outcome)
  assert.deepEqual(data.map(outcomes), [shown, shown])
  assert.deepEqual(outcomes((await staff.call('GET', `@/deliveries/${data[0].id}`)).json), shown)
  const { deliveries } = (await staff.call('GET', `@/verifications/${data[0].verification_id}`)).json
  assert.deepEqual(deliveries.map(outcomes), [shown])
})

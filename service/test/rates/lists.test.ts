// Tests what lists of verifications cost: by their stored size from the rate of the tenant, and more with a filter.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Principal } from '../../src/core/tenants/domain/principal.ts'
import { listPage } from '../../src/core/verifications/usecases/reading/list-verifications.ts'
import { testService } from '../harness/service.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const tenantId = await service.tenant()
const [key, another] = [await service.key(tenantId), await service.key(tenantId)]

/** As much as a merchant can store with a verification. */
const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`m${i}`, 'y'.repeat(500)]))
const body = { template: 'age_over_18', metadata, redirect_url: `https://shop.example/${'r'.repeat(1_900)}` }
for (let count = 0; count < 90; count += 1) await create(service, key, body)
const BYTES_OF_EACH = 12_200

test('a list with long metadata comes in parts of a megabyte, and its size is charged, also of cached texts', async () => {
  const charged: number[] = []
  const pay = async (bytes: number) => void charged.push(bytes)
  const scopes = ['verifications:read'] as const
  const principal: Principal = { kind: 'api_key', keyId: 'key_test', scopes, tenantId, environment: 'test' }
  const list = (limit: number) => listPage(service.deps, { principal, pay, limit, before: null })
  const long = await list(90)
  assert.ok(typeof long !== 'string')
  const sizes: number[] = []
  for await (const part of long) sizes.push(part.length)
  assert.ok(Math.max(...sizes) <= 1024 * 1024, `${sizes}`)
  for (const from of ['the store', 'the cache']) assert.equal(typeof (await list(40)), 'string', from)
  for (const [nth, count] of [90, 40, 40].entries())
    assert.ok(Math.abs((charged[nth] ?? 0) - count * BYTES_OF_EACH) < count * 200, `${charged}`)
})

test('each 32 KiB of a list beyond the first 256 is a request more, and a filter three', async () => {
  const [slow, tenant] = [1e-6, { perSecond: 1, burst: 100 }]
  const rates = { ...service.deps.config.rates, key: { perSecond: slow, burst: 100 }, tenant }
  const paid = await testService({ rates }, {}, { sharedWith: service })
  const leftAfter = async (query: string) => {
    service.clock.advance(100_000)
    assert.equal((await paid.call('GET', `/v1/verifications?${query}`, { key })).status, 200)
    const fresh = await service.key(tenantId)
    for (let left = 0; left < tenant.burst; left += 1)
      if ((await paid.call('GET', '/v1/usage', { key: fresh })).status !== 200) return left
    return tenant.burst
  }
  assert.equal(await leftAfter('limit=1'), 99)
  assert.equal(await leftAfter('limit=40'), 99 - Math.ceil((40 * BYTES_OF_EACH - 256 * 1024) / 32_768))
  for (const filter of ['status=failed', 'template=identity', 'reference=x'])
    assert.equal(await leftAfter(`limit=1&${filter}`), 96, filter)
  const { headers } = await paid.call('GET', '/v1/verifications?limit=1&status=failed', { key: another })
  assert.equal(headers['ratelimit-remaining'], '96')
})

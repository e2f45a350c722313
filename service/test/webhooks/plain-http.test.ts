// Tests live webhooks over plain http: a warning, or a refusal if the tenant's setting says so.

import assert from 'node:assert/strict'
import test from 'node:test'
import { changeSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { diagnose } from '../../src/features/operator/usecases/diagnose.ts'
import { lastPlainHttpWebhook } from '../../src/features/webhooks/usecases/watch-plain-http.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { LOOPBACK } from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const { call, clock, deps } = service
const HOUR = 3_600_000
const PLAIN = 'http://127.0.0.1/hook'
const SECURE = 'https://127.0.0.1/hook'

async function tenant() {
  const tenantId = await service.tenant()
  const keys = { test: await service.key(tenantId), live: await service.key(tenantId, { environment: 'live' }) }
  const create = (environment: 'test' | 'live', url: string) =>
    call('POST', '/v1/verifications', {
      key: keys[environment],
      body: { template: 'age_over_18', webhook_url: url },
    })
  const refusePlainHttp = (liveWebhooksHttpsOnly: boolean) =>
    changeSettings(deps, { tenantId, change: { liveWebhooksHttpsOnly }, actor: OPERATOR })
  return { tenantId, create, refusePlainHttp, last: () => lastPlainHttpWebhook(deps, tenantId) }
}

const warnings = async (tenantId: string) =>
  (await diagnose(deps)).filter(({ area, finding }) => area === 'webhooks' && finding.startsWith(tenantId))

test('a live webhook over plain http is accepted, noted to the hour, and causes a warning for thirty days', async () => {
  const { tenantId, create, last } = await tenant()
  for (const [environment, url] of [
    ['test', PLAIN],
    ['test', SECURE],
    ['live', SECURE],
  ] as const) {
    assert.equal((await create(environment, url)).status, 201)
  }
  assert.equal(await last(), null)
  assert.deepEqual(await warnings(tenantId), [])
  assert.equal((await create('live', PLAIN)).status, 201)
  const noted = await last()
  assert.notEqual(noted, null)
  const [warning] = await warnings(tenantId)
  assert.equal(warning?.status, 'warning')
  assert.ok(warning?.remedy?.includes('--live-webhooks-https-only on'))
  clock.advance(HOUR - 1)
  await create('live', PLAIN)
  assert.equal(await last(), noted)
  clock.advance(1)
  await create('live', 'HTTP://127.0.0.1/hook')
  assert.notEqual(await last(), noted)
  clock.advance(30 * 24 * HOUR)
  assert.equal(await last(), null)
  assert.deepEqual(await warnings(tenantId), [])
})

test('if the tenant refuses it, a live webhook over plain http is invalid_webhook_url, and the warning ends', async () => {
  const { tenantId, create, refusePlainHttp, last } = await tenant()
  assert.equal((await create('live', PLAIN)).status, 201)
  await refusePlainHttp(true)
  assert.equal(await last(), null)
  assert.deepEqual(await warnings(tenantId), [])
  const refused = await create('live', PLAIN)
  assertRefused(refused, 422, 'invalid_webhook_url')
  assert.match(refused.json.error.message, /https/)
  assert.equal((await create('live', SECURE)).status, 201)
  assert.equal((await create('test', PLAIN)).status, 201)
  await refusePlainHttp(false)
  assert.equal((await create('live', PLAIN)).status, 201)
})

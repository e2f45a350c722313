// Tests that reads of whole audit chains are limited per tenant, so one tenant's requests do not delay another's.

import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'

const service = await testService()
const tenant = await service.tenant({ name: 'Ours' })
const admin = await person(service, tenant, 'admin')
const other = await service.tenant({ name: 'Theirs' })
const stranger = await person(service, other, 'admin')

test('checks and exports of both environments share a budget that refills; another tenant has its own', async () => {
  for (const environment of ['test', 'live'] as const) {
    assert.equal((await admin.call('POST', '@/audit/verify', { environment })).json.verdict.outcome, 'whole')
    assert.equal((await admin.call('GET', '@/audit/export', { environment })).status, 200)
    assert.equal((await admin.call('POST', '@/audit/verify', { environment })).status, 200)
  }
  const checked = await admin.call('POST', '@/audit/verify')
  assertRefused(checked, 429, 'rate_limit_exceeded')
  assert.equal(checked.headers['retry-after'], '20')
  assertRefused(await admin.call('GET', '@/audit/export'), 429, 'rate_limit_exceeded')
  assert.equal((await admin.call('GET', '@/audit')).status, 200)
  assert.equal((await stranger.call('POST', '@/audit/verify')).status, 200)
  service.clock.advance(20_000)
  assert.equal((await admin.call('POST', '@/audit/verify')).status, 200)
  assertRefused(await admin.call('POST', '@/audit/verify'), 429, 'rate_limit_exceeded')
})

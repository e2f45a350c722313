// Tests that revoking a device ends its pending verifications, whose results would go where a thief chose.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVerification } from '../../src/core/verifications/usecases/asking/create-verification.ts'
import { revokeDevice } from '../../src/features/devices/index.ts'
import { pairDevice, refresh } from '../harness/devices.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const { deps, call } = service
const wallet = await testWallet(service)
const receiver = await startReceiver()
const body = { template: 'age_over_18', webhook_url: receiver.url, ttl_seconds: 3600 }

async function merchant() {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const till = await pairDevice(service, key)
  const create = async (by: string) => (await call('POST', '/v1/verifications', { key: by, body })).json
  const statusOf = async (id: string) => (await call('GET', `/v1/verifications/${id}`, { key })).json.status
  const cancellations = () =>
    deps.db.query<{ actor: string }>(
      {
        name: 'test_cancellations',
        text: `select (convert_from(bytes, 'UTF8')::json->'actor'->>'type') || ' ' || (convert_from(bytes, 'UTF8')::json->'actor'->>'id') as actor from audit_entries
               where tenant_id = $1 and convert_from(bytes, 'UTF8')::json->>'action' = 'verification.cancelled' order by 1`,
      },
      [tenantId],
    )
  const revoke = () => revokeDevice(deps, { tenantId, environment: 'test', deviceId: till.id, actor: OPERATOR })
  return { tenantId, key, till, create, statusOf, cancellations, revoke }
}

test('after a device is revoked, answers to its verifications are refused and nothing is sent', async () => {
  const { key, till, create, statusOf, cancellations, revoke } = await merchant()
  const other = await pairDevice(service, key)
  const [stolen, ofOther, ofKey] = [await create(till.accessToken), await create(other.accessToken), await create(key)]
  await revoke()
  await assert.rejects(wallet.present(stolen.wallet_uri), /410/)
  await deliverDue(service)
  assert.equal(receiver.received.length, 0)
  assert.equal(await statusOf(stolen.id), 'expired')
  assert.deepEqual([await statusOf(ofOther.id), await statusOf(ofKey.id)], ['pending', 'pending'])
  assert.deepEqual(await cancellations(), [{ actor: `${OPERATOR.type} ${OPERATOR.id}` }])
})

test('more verifications than one step takes are ended, each with its audit entry', async () => {
  const { tenantId, till, create, cancellations, revoke } = await merchant()
  const ids = new Set<string>()
  for (let round = 0; round < 2; round += 1) {
    for (const { id } of await Promise.all(Array.from({ length: 65 }, () => create(till.accessToken)))) ids.add(id)
    // The rate of the device is spent.
    service.clock.advance(60_000)
  }
  assert.equal(ids.size, 130)
  await revoke()
  assert.equal((await cancellations()).length, 130)
  const pending = await deps.db.query(
    { name: 'test_pending', text: `select 1 from verifications where tenant_id = $1 and status = 'pending'` },
    [tenantId],
  )
  assert.equal(pending.length, 0)
})

test('unpairing a till and presenting a spent refresh token end them, too', async () => {
  const { till, create, statusOf, cancellations, key } = await merchant()
  const first = await create(till.accessToken)
  assert.equal((await call('DELETE', '/till/pairing', { key: till.accessToken })).status, 200)
  assert.equal(await statusOf(first.id), 'expired')
  const copied = await pairDevice(service, key)
  const second = await create(copied.accessToken)
  for (const status of [200, 400]) assert.equal((await refresh(service, copied.refreshToken)).status, status)
  assert.equal(await statusOf(second.id), 'expired')
  assert.deepEqual(await cancellations(), [{ actor: `device ${till.id}` }, { actor: 'system refresh-reuse' }])
})

test('a creation that was under way when the device was revoked leaves nothing pending', async () => {
  const { tenantId, till, cancellations, revoke } = await merchant()
  const principal = await deps.authenticateDevice(till.accessToken)
  assert.ok(principal !== null)
  await revoke()
  const creation = createVerification(deps, { principal, request: body, idempotencyKey: null })
  await assert.rejects(creation, { code: 'invalid_api_key' })
  assert.equal((await cancellations()).length, 1)
  const created = await deps.db.query<{ status: string }>(
    { name: 'test_statuses', text: 'select status from verifications where tenant_id = $1' },
    [tenantId],
  )
  assert.deepEqual(created, [{ status: 'cancelled' }])
})

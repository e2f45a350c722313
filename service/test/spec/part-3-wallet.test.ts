// Specification 3.1: how wallets change a verification's status. One test per sentence.

import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read, respond, validBody } from '../wallet/verifications.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const wallet = await testWallet(service)
const key = await service.key(await service.tenant())

const rowsOf = async (table: 'webhook_deliveries' | 'verification_results', id: string) => {
  const rows = await service.deps.db.query(
    { name: `test_${table}`, text: `select from ${table} where verification_id = $1` },
    [id],
  )
  return rows.length
}

test('3.1 an accepted wallet response makes a pending verification completed; responded_at is set', async () => {
  const created = await create(service, key)
  service.clock.advance(1500)
  await wallet.present(created.wallet_uri)
  const result = await read(service, key, created.id)
  assert.equal(result.status, 'completed')
  assert.equal(Date.parse(result.responded_at), service.clock.now())
  assert.ok(!('error' in result) && !('wallet_uri' in result) && !('request_uri' in result))
})

test('3.1 or it makes the verification failed, with an error and without claims', async () => {
  const created = await create(service, key)
  await wallet.present(created.wallet_uri, 'untrusted')
  const result = await read(service, key, created.id)
  assert.equal(result.status, 'failed')
  assert.equal(result.error.code, 'issuer_untrusted')
  assert.ok('responded_at' in result && !('claims' in result))
})

test('3.1 a webhook is sent if webhook_url was given, and none otherwise', async () => {
  const hooked = await create(service, key, { template: 'identity', webhook_url: 'http://127.0.0.1:9/hook' })
  await wallet.present(hooked.wallet_uri)
  assert.equal(await rowsOf('webhook_deliveries', hooked.id), 1)
  const failed = await create(service, key, { template: 'identity', webhook_url: 'http://127.0.0.1:9/hook' })
  await wallet.present(failed.wallet_uri, 'declined')
  assert.equal(await rowsOf('webhook_deliveries', failed.id), 1)
  const plain = await create(service, key)
  await wallet.present(plain.wallet_uri)
  assert.equal(await rowsOf('webhook_deliveries', plain.id), 0)
})

test('3.1 when expires_at passes a pending verification is expired, and wallet calls on it answer 410 session_expired', async () => {
  const created = await create(service, key, { template: 'identity', ttl_seconds: 60 })
  const body = await validBody(wallet, await wallet.request(created.wallet_uri))
  service.clock.set(Date.parse(created.expires_at) + 1)
  assertRefused(await service.call('GET', `/wallet/request/${created.id}`), 410, 'session_expired')
  assertRefused(await respond(service, created.id, body), 410, 'session_expired')
  assert.equal((await read(service, key, created.id)).status, 'expired')
  assert.equal(await rowsOf('verification_results', created.id), 0)
})

test('3.1 a second wallet response answers 409 session_already_responded and leaves the verification unchanged', async () => {
  for (const scenario of ['good', 'declined', 'tampered'] as const) {
    const created = await create(service, key)
    const body = await validBody(wallet, await wallet.request(created.wallet_uri))
    await wallet.present(created.wallet_uri, scenario)
    const before = await read(service, key, created.id)
    assertRefused(await respond(service, created.id, body), 409, 'session_already_responded')
    assert.deepEqual(await read(service, key, created.id), before)
  }
})

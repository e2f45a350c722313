// Specification 3.1: the states of a verification for a merchant; part-3-wallet.test.ts has the actions of wallets.

import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read } from '../wallet/verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const { call, clock } = service

test('3.1 an accepted request makes a pending verification; expires_at is creation time plus ttl_seconds', async () => {
  const key = await service.key(await service.tenant())
  for (const [ttl, seconds] of [
    [undefined, 300],
    [60, 60],
    [3600, 3600],
  ] as const) {
    const created = await create(service, key, {
      template: 'identity',
      ...(ttl === undefined ? {} : { ttl_seconds: ttl }),
    })
    const stored = await read(service, key, created.id)
    assert.equal(stored.status, 'pending')
    assert.equal(Date.parse(stored.expires_at) - Date.parse(stored.created_at), seconds * 1000)
    assert.equal(stored.created_at.slice(-8), stored.expires_at.slice(-8), 'to the microsecond')
    assert.ok(stored.wallet_uri !== undefined && stored.request_uri !== undefined)
  }
})

test('3.1 one unit of daily quota is consumed by a creation, and none by anything that follows', async () => {
  const key = await service.key(await service.tenant())
  const used = async () => (await call('GET', '/v1/usage', { key })).json.verifications_created
  const created = await create(service, key)
  assert.equal(await used(), 1)
  await wallet.present(created.wallet_uri)
  await read(service, key, created.id)
  await call('DELETE', `/v1/verifications/${created.id}`, { key })
  assert.equal(await used(), 1)
})

test('3.1 when expires_at passes, every reader sees expired at the same moment, whether or not a job has run', async () => {
  const key = await service.key(await service.tenant())
  const created = await create(service, key, { template: 'identity', ttl_seconds: 60 })
  const statuses = async () => [
    (await read(service, key, created.id)).status,
    (await call('GET', '/v1/verifications', { key })).json.data[0].status,
    (await call('GET', `/v1/verifications/${created.id}/status`)).json.status,
  ]
  clock.set(Date.parse(created.expires_at) - 1)
  assert.deepEqual(await statuses(), ['pending', 'pending', 'pending'])
  clock.set(Date.parse(created.expires_at) + 1)
  assert.deepEqual(await statuses(), ['expired', 'expired', 'expired'])
  assertRefused(await call('GET', `/wallet/request/${created.id}`), 410, 'session_expired')
})

test('3.1 completed and failed are terminal: they do not expire', async () => {
  const key = await service.key(await service.tenant())
  const [done, failed] = [await create(service, key), await create(service, key)]
  await wallet.present(done.wallet_uri)
  await wallet.present(failed.wallet_uri, 'declined')
  clock.advance(2 * 3600_000)
  assert.equal((await read(service, key, done.id)).status, 'completed')
  assert.equal((await read(service, key, failed.id)).status, 'failed')
})

test('3.1 DELETE removes the record in any state; later reads answer 404 session_not_found', async () => {
  const key = await service.key(await service.tenant())
  const [pending, done, failed, expired] = await Promise.all(
    Array.from({ length: 4 }, () => create(service, key, { template: 'identity', ttl_seconds: 60 })),
  )
  assert.ok(pending && done && failed && expired)
  await wallet.present(done.wallet_uri)
  await wallet.present(failed.wallet_uri, 'declined')
  assert.equal((await call('DELETE', `/v1/verifications/${pending.id}`, { key })).status, 200)
  clock.advance(60_001)
  for (const { id } of [done, failed, expired]) {
    assert.equal((await call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
  }
  for (const { id } of [pending, done, failed, expired]) {
    assertRefused(await call('GET', `/v1/verifications/${id}`, { key }), 404, 'session_not_found')
    assertRefused(await call('GET', `/v1/verifications/${id}/status`), 404, 'session_not_found')
    assertRefused(await call('GET', `/wallet/request/${id}`), 404, 'session_not_found')
    assertRefused(await call('DELETE', `/v1/verifications/${id}`, { key }), 404, 'session_not_found')
  }
})

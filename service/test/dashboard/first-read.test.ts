// Tests that the merchant's first read of a result is recorded once, without delay, and erased with the verification.

import assert from 'node:assert/strict'
import test from 'node:test'
import { testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read } from '../wallet/verifications.ts'

const service = await testService()
const tenant = await service.tenant()
const viewer = await person(service, tenant, 'viewer')
const key = await service.key(tenant)
const wallet = await testWallet(service)

const notedOf = async (id: string) => {
  await service.deps.readNotes.flush()
  return (await viewer.call('GET', `@/verifications/${id}`)).json.first_read_at
}

test('the first read of an answer is noted, and only that one', async () => {
  const { id, wallet_uri } = await create(service, key)
  await read(service, key, id)
  assert.equal(await notedOf(id), null, 'there was nothing to read yet')
  await wallet.present(wallet_uri)
  assert.equal((await service.call('GET', '/v1/verifications', { key })).json.data.length, 1)
  assert.equal(await notedOf(id), null, 'neither a list nor the dashboard is a read')
  service.clock.advance(5_000)
  const at = service.clock.now()
  await Promise.all([read(service, key, id), read(service, key, id)])
  assert.equal(Date.parse(await notedOf(id)), at)
  service.clock.advance(5_000)
  await read(service, key, id)
  assert.equal(Date.parse(await notedOf(id)), at)
})

test('the note skips a locked row, and does not wait for it', async () => {
  const { id, wallet_uri } = await create(service, key)
  await wallet.present(wallet_uri)
  await service.deps.db.transaction(async (tx) => {
    const text = 'select 1 as held from verification_results where verification_id = $1 for update'
    await tx.query({ name: 'test_hold', text }, [id])
    await read(service, key, id)
    await service.deps.readNotes.flush()
  })
  assert.equal(await notedOf(id), null)
  await read(service, key, id)
  assert.notEqual(await notedOf(id), null)
})

test('a late note for an erased verification writes nothing', async () => {
  const { id, wallet_uri } = await create(service, key)
  await wallet.present(wallet_uri)
  await read(service, key, id)
  const erased = await service.call('DELETE', `/v1/verifications/${id}`, {
    key: await service.key(tenant, { scopes: ['verifications:delete'] }),
  })
  assert.equal(erased.status, 200)
  await service.deps.readNotes.flush()
  assert.equal((await viewer.call('GET', `@/verifications/${id}`)).status, 404)
})

// Tests that only verifications that can still be answered count as pending on the first page.

import assert from 'node:assert/strict'
import test from 'node:test'
import { testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)
const owner = await person(service, tenant, 'owner')
const create = async (ttl: number) =>
  (await service.call('POST', '/v1/verifications', { key, body: { template: 'identity', ttl_seconds: ttl } })).json

test('neither expired nor cancelled verifications count as pending', async () => {
  const created = [await create(60), await create(600), await create(600), await create(600), await create(600)]
  await wallet.present(created[1].wallet_uri)
  await wallet.present(created[2].wallet_uri, 'declined')
  await service.call('POST', `/v1/verifications/${created[3].id}/cancel`, { key })
  service.clock.advance(60_001)
  const { json } = await owner.call('GET', '@/overview')
  assert.equal(json.waiting, 1)
  const ids = async (status: string) =>
    (await owner.call('GET', `@/verifications?status=${status}`)).json.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(await ids('pending'), [created[4].id])
  assert.deepEqual(await ids('expired'), [created[3].id, created[0].id])
  assert.deepEqual(await ids('completed'), [created[1].id])
  const detail = async (id: string) => (await owner.call('GET', `@/verifications/${id}`)).json
  assert.deepEqual([(await detail(created[3].id)).cancelled, (await detail(created[0].id)).cancelled], [true, false])
})

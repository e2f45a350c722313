// Tests what a certificate costs the rates of its key and tenant, and of staff.

import assert from 'node:assert/strict'
import test from 'node:test'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'

const { deps } = await testService()
const rates = { ...deps.config.rates, key: { perSecond: 1, burst: 45 }, tenant: { perSecond: 1, burst: 110 } }
const service = await testService({ rates })

test('a certificate costs as much as twenty small requests', async () => {
  const tenantId = await service.tenant()
  const [key, other, last] = [await service.key(tenantId), await service.key(tenantId), await service.key(tenantId)]
  const viewer = await person(service, tenantId, 'viewer')
  const created = await create(service, key)
  await (await testWallet(service)).present(created.wallet_uri)
  await growLog(service.deps)
  service.clock.advance(120_000)
  const read = (by: string) => service.call('GET', `/v1/verifications/${created.id}/certificate`, { key: by })
  for (const by of [key, other]) {
    assert.deepEqual([(await read(by)).status, (await read(by)).status], [200, 200])
    assertRefused(await read(by), 429, 'rate_limit_exceeded')
    assert.equal((await service.call('GET', '/v1/usage', { key: by })).status, 200)
  }
  assert.equal((await read(last)).status, 200)
  assertRefused(await read(last), 429, 'rate_limit_exceeded')
  const ofStaff = () => viewer.call('GET', `@/verifications/${created.id}/certificate`)
  assert.deepEqual([(await ofStaff()).status, (await ofStaff()).status], [200, 200])
  assertRefused(await ofStaff(), 429, 'rate_limit_exceeded')
})

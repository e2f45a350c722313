// Tests both response modes, both client id prefixes, both formats, and both device proofs.

import assert from 'node:assert/strict'
import test from 'node:test'
import { loadTenantSettings, updateTenantSettings } from '../../src/core/tenants/store/settings.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read } from './verifications.ts'

const service = await testService()
const wallet = await testWallet(service)

for (const responseMode of ['direct_post.jwt', 'direct_post'] as const) {
  for (const clientIdPrefix of ['x509_hash', 'x509_san_dns'] as const) {
    test(`${responseMode} with ${clientIdPrefix}`, async (t) => {
      const tenant = await service.tenant()
      const settings = await loadTenantSettings(service.deps.db, tenant)
      assert.ok(settings !== null)
      await updateTenantSettings(service.deps.db, tenant, { ...settings, responseMode, clientIdPrefix })
      const key = await service.key(tenant)
      for (const format of ['dc+sd-jwt', 'mso_mdoc'] as const) {
        for (const method of ['get', 'post'] as const) {
          await t.test(`${format}, request by ${method}`, async () => {
            const created = await create(service, key)
            const presented = await wallet.present(created.wallet_uri, 'good', { formats: [format], method })
            assert.equal(presented.status, 200)
            assert.equal(presented.request.responseMode, responseMode)
            assert.ok(presented.request.clientId.startsWith(`${clientIdPrefix}:`))
            const result = await read(service, key, created.id)
            assert.equal(result.status, 'completed', JSON.stringify(result))
            assert.equal(result.credentials[0].format, format)
          })
        }
      }
      if (responseMode === 'direct_post.jwt') {
        await t.test('mso_mdoc with a device MAC', async () => {
          const created = await create(service, key)
          await wallet.present(created.wallet_uri, 'good', { formats: ['mso_mdoc'], deviceAuth: 'mac' })
          assert.equal((await read(service, key, created.id)).status, 'completed')
        })
      }
    })
  }
}

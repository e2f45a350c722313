// Tests whose presentations are trusted: none by default in live, the sandbox only in test.

import assert from 'node:assert/strict'
import test from 'node:test'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read } from './verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant()

for (const format of ['dc+sd-jwt', 'mso_mdoc'] as const) {
  test(`live refuses the sandbox issuer (${format})`, async () => {
    const key = await service.key(tenant, { environment: 'live' })
    const created = await create(service, key)
    await wallet.present(created.wallet_uri, 'good', { formats: [format] })
    const result = await read(service, key, created.id)
    assert.equal(result.status, 'failed')
    assert.equal(result.error.code, 'issuer_untrusted')
    assert.equal(result.credentials[0].trusted, false)
  })
}

test('no table has an anchor of the sandbox', async () => {
  const rows = await service.deps.db.query({ name: 'test_anchor_rows', text: 'select from anchors' })
  assert.equal(rows.length, 0)
})

test('without the sandbox no issuer is trusted in test either', async () => {
  const off = await testService({ sandbox: false })
  assert.equal(off.deps.sandbox, null)
  const key = await off.key(await off.tenant())
  const created = await create(off, key)
  const { fetchInto } = await import('../harness/wallet.ts')
  await wallet.present(created.wallet_uri, 'good', { fetch: fetchInto(off), now: Math.floor(off.clock.now() / 1000) })
  assert.equal((await read(off, key, created.id)).error.code, 'issuer_untrusted')
})

// Tests each scenario of the test wallet from creation to result.

import assert from 'node:assert/strict'
import test from 'node:test'
import { SCENARIO_NAMES, SCENARIOS } from '@vidimus/wallet'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)

for (const format of ['dc+sd-jwt', 'mso_mdoc'] as const) {
  for (const name of SCENARIO_NAMES) {
    test(`${name} (${format}): ${SCENARIOS[name].title}`, async () => {
      const created = await service.call('POST', '/v1/verifications', { key, body: { template: 'identity' } })
      assert.equal(created.status, 201, created.text)
      const presented = await wallet.present(created.json.wallet_uri, name, { formats: [format] })
      assert.equal(presented.status, 200)
      const { json: read } = await service.call('GET', `/v1/verifications/${created.json.id}`, { key })
      const expected: { status: string; code?: string } = SCENARIOS[name].expected
      assert.equal(read.status, expected.status, JSON.stringify(read))
      assert.equal(read.error?.code, expected.code, JSON.stringify(read))
      if (expected.status === 'completed') {
        assert.deepEqual(read.claims, { given_name: 'Vida', family_name: 'Specimen', birth_date: '1990-07-14' })
        assert.deepEqual(Object.keys(read.credentials[0].claims).length, 3)
      } else {
        assert.equal(read.claims, undefined)
        for (const credential of read.credentials) assert.deepEqual(credential.claims, {})
      }
    })
  }
}

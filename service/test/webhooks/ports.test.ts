// Tests to which ports a webhook may be sent: the three default ones, or those that the operator has set.

import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, testService } from '../harness/service.ts'

for (const [title, env, taken, refused] of [
  ['by default', {}, [80, 443, 8443], [22, 9443]],
  ['with ports that the operator set', { VIDIMUS_EGRESS_PORTS: '443,9443' }, [443, 9443], [22, 80, 8443]],
] as const) {
  test(`${title} a webhook may be sent to the ports ${taken.join(', ')} and to no other`, async (t) => {
    const service = await testService({}, env, { ends: t })
    const tenant = await service.tenant()
    for (const environment of ['test', 'live'] as const) {
      const key = await service.key(tenant, { environment })
      const ask = (port: number) => {
        const body = { template: 'age_over_18', webhook_url: `https://hooks.merchant.com:${port}/vidimus` }
        return service.call('POST', '/v1/verifications', { key, body })
      }
      for (const port of taken) assert.equal((await ask(port)).status, 201, `${port}`)
      for (const port of refused) assertRefused(await ask(port), 422, 'invalid_webhook_url')
    }
  })
}

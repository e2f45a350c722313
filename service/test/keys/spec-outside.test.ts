// Runs tests of the specification and of full flows on a service whose every key is in SoftHSM.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveKeys } from '../harness/keys/move-keys.ts'
import { startSoftHsm, whyNoSoftHsm } from '../harness/servers/soft-hsm.ts'
import { startServicesBy, type TestService } from '../harness/service.ts'

const missing = whyNoSoftHsm()
if (missing === null) {
  const hsm = await startSoftHsm()
  let prepared = 0
  const services: TestService[] = []
  startServicesBy({
    env: { ...hsm.env, VIDIMUS_OIDC_KEYS: hsm.reference('oidc') },
    // A busy machine must not fail this test.
    remoteKeyOptions: { deadlineMs: 60_000 },
    prepare(service) {
      prepared += 1
      return moveKeys(service, (object) => hsm.reference(`${prepared}-${object}`))
    },
    started: (service) => void services.push(service),
  })
  await import('../spec/part-3-wallet.test.ts')
  await import('../spec/part-3-verifications.test.ts')
  await import('../spec/part-4-wallet.test.ts')
  await import('../spec/part-4-verifications.test.ts')
  await import('../spec/part-6-events.test.ts')
  await import('../oidc/token.test.ts')
  await import('../wallet/dc-api.test.ts')
  await import('../oidc/forwarded.test.ts')
  await import('../oidc/fapi2.test.ts')
  await import('../dashboard/downloads.test.ts')

  test('the services signed with the keys in SoftHSM, and no signature failed', async () => {
    assert.equal(services.length, prepared)
    const counts = new Map<string, number>()
    for (const { deps } of services)
      for (const { labels, value } of (await deps.metrics.keySignatures.get()).values)
        counts.set(String(labels.outcome), (counts.get(String(labels.outcome)) ?? 0) + value)
    assert.deepEqual([...counts.keys()], ['signed'])
    assert.ok((counts.get('signed') ?? 0) > 100, `${counts.get('signed')}`)
  })
}
// The runner prints this line next to the file's name.
else test('the specification with every key in SoftHSM', () => console.log(`not tried: ${missing}`))

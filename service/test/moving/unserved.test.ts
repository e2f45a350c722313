// Tests that reports to the operator leave out tenants that this installation does not serve.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { redeemResponseCode } from '../../src/core/verifications/usecases/reading/redeem-response-code.ts'
import { diagnose } from '../../src/features/operator/usecases/diagnose.ts'
import { copyTenant, switchTenant } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { measureQueueAcrossTenants } from '../../src/features/webhooks/store/deliveries.ts'
import { instantOf } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { addTo, registerTenant, testRegistrar } from '../harness/registrar.ts'
import { type TestService, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { declined, deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { moveOf, NEW, OLD, run } from './installations.ts'

const source = await testService({ baseUrl: OLD }, LOOPBACK)
const target = await testService({ baseUrl: NEW }, LOOPBACK, { masterKey: randomBytes(32) })
const both = { source, target }
const HOUR = 3_600_000

const pass = (ms: number) => {
  for (const { clock } of [source, target]) clock.advance(ms)
}
const measured = ({ deps, clock }: TestService) => measureQueueAcrossTenants(deps.db, instantOf(clock.now()))
const NOTHING = { pending: 0, oldestDueSeconds: 0 }

it('a webhook that waits for a retry is reported only where its tenant is served', async () => {
  const receiver = await startReceiver()
  receiver.answer = () => ({ status: 500 })
  const tenantId = await source.tenant()
  await declined(source, { key: await source.key(tenantId), url: receiver.url })
  assert.equal(await deliverDue(source), 1)
  await copyTenant(moveOf(both, tenantId))
  pass(HOUR)
  assert.equal((await measured(source)).pending, 1)
  assert.deepEqual(await measured(target), NOTHING)
  await switchTenant(moveOf(both, tenantId), { stopSeconds: 30 })
  pass(HOUR)
  assert.equal((await measured(target)).pending, 1)
  assert.deepEqual(await measured(source), NOTHING)
})

it('registrations are checked only where their tenant is served', async () => {
  const tenantId = await source.tenant()
  const realm = { tenantId, environment: 'test' } as const
  const registrar = await testRegistrar(source)
  await registerTenant(source, registrar, realm)
  assert.equal((await addTo(source, realm, registrar.certify())).outcome, 'added')
  const checks = async (service: TestService) => ({
    registers: await run(service, 'select looked_at from register_looks where tenant_id = $1', [tenantId]),
    certificates: await run(service, 'select checked_at from registration_certificates where tenant_id = $1', [
      tenantId,
    ]),
  })
  const named = async ({ deps }: TestService) =>
    (await diagnose(deps)).filter(({ area, finding }) => area.startsWith('regist') && finding.includes(tenantId)).length
  const look = async (service: TestService) => {
    await runJob(service.deps, 'look-at-registers')
    await runJob(service.deps, 'watch-registrations')
    return { ...(await checks(service)), named: await named(service) }
  }
  await copyTenant(moveOf(both, tenantId))
  const copied = await checks(target)
  pass(24 * HOUR)
  assert.deepEqual(await look(target), { ...copied, named: 0 })
  const served = await look(source)
  assert.notDeepEqual(served.certificates, copied.certificates)
  assert.equal(served.registers.length, 1)
  assert.notEqual(served.named, 0)
  await switchTenant(moveOf(both, tenantId), { stopSeconds: 30 })
  const left = await checks(source)
  pass(24 * HOUR)
  assert.deepEqual(await look(source), { ...left, named: 0 })
  assert.notDeepEqual((await look(target)).certificates, left.certificates)
})

it('a response code that was presented before the tenant moved is redeemed only where the tenant is served', async () => {
  const wallet = await testWallet(source)
  const tenantId = await source.tenant()
  const key = await source.key(tenantId)
  const body = { template: 'age_over_18', redirect_url: 'https://shop.example/back' }
  const created = (await source.call('POST', '/v1/verifications', { key, body })).json
  const { redirectUri } = await wallet.present(created.wallet_uri)
  const code = new URLSearchParams(new URL(redirectUri ?? '').hash.slice(1)).get('response_code') ?? ''
  await switchTenant(moveOf(both, tenantId), { stopSeconds: 30 })
  const principal = { kind: 'api_key', keyId: 'key', tenantId, environment: 'test', scopes: [] } as const
  // What a request does that was authenticated before the move.
  const late = () => redeemResponseCode(source.deps, { principal, id: created.id, code })
  await assert.rejects(late(), { code: 'unavailable', movedTo: NEW })
  const path = `/v1/verifications/${created.id}/redeem`
  const there = () => target.call('POST', path, { key, body: { response_code: code } })
  assert.equal((await there()).status, 200)
  await assert.rejects(late(), { code: 'unavailable', movedTo: NEW })
})

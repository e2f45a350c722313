// Tests `vidimus device` against a running service.

import assert from 'node:assert/strict'
import test from 'node:test'
import { enroll, refresh } from '../harness/devices.ts'
import { listeningService } from '../harness/listening.ts'
import { commandLine } from '../harness/servers/command-line.ts'

const service = await listeningService()
const tenant = await service.tenant()

const { run: vidimus, json } = commandLine(service)

test('a device is registered, paired, listed with the reason of its revocation, and revoked', async () => {
  const created = await json('device', 'register', '--tenant', tenant, '--name', 'Bar 3', '--template', 'age_over_18')
  assert.match(created.pairing_code, /^VD-/)
  const pair = (await enroll(service, created.pairing_code)).json
  assert.equal(pair.device.name, 'Bar 3')
  await refresh(service, pair.refresh_token)
  await refresh(service, pair.refresh_token)
  const [listed] = (await json('device', 'list', '--tenant', tenant)).data
  assert.deepEqual([listed.status, listed.revoked_reason], ['revoked', 'refresh_reuse'])
  assert.match((await vidimus('device', 'list', '--tenant', tenant)).out, /revoked \(a spent token was used\)/)
  const other = await json('device', 'register', '--tenant', tenant, '--name', 'Bar 4', '--template', 'a', 'b')
  assert.deepEqual(other.device.allowed_templates, ['a', 'b'])
  const revoked = await json('device', 'revoke', other.device.id, '--tenant', tenant)
  assert.deepEqual([revoked.status, revoked.revoked_reason], ['revoked', 'merchant'])
})

test('mistakes are named: no such tenant, no such device, a lifetime out of range', async () => {
  const register = ['device', 'register', '--name', 'x', '--template', 'y'] as const
  const nobody = await vidimus(...register, '--tenant', 'ten_nobody')
  assert.deepEqual([nobody.code, nobody.err], [2, 'there is no tenant ten_nobody\n'])
  assert.equal((await vidimus('device', 'revoke', 'nothing', '--tenant', tenant)).code, 1)
  assert.equal((await vidimus(...register, '--tenant', tenant, '--pairing-ttl-seconds', '59')).code, 2)
})

test('simulate pairs a device, runs verifications against the test wallet, and leaves no device behind', async () => {
  const result = await json('device', 'simulate', '--tenant', tenant, '--count', '2')
  assert.equal(result.device.name, 'Simulated till')
  assert.deepEqual(
    result.verifications.map(({ status, claims }: { status: string; claims: unknown }) => [status, claims]),
    [
      ['completed', { age_over_18: true }],
      ['completed', { age_over_18: true }],
    ],
  )
  const devices = (await json('device', 'list', '--tenant', tenant)).data
  assert.equal(devices.find(({ id }: { id: string }) => id === result.device.id).status, 'revoked')
})

test('simulate accepts a pairing code and a scenario, and names mistakes', async () => {
  const created = await json('device', 'register', '--tenant', tenant, '--name', 'Bar 5', '--template', 'identity')
  const simulate = ['device', 'simulate', '--template', 'identity', '--scenario', 'declined'] as const
  const result = await json(...simulate, '--code', created.pairing_code)
  assert.equal(result.verifications[0].error.code, 'wallet_declined')
  const again = await vidimus(...simulate, '--code', created.pairing_code)
  assert.equal(again.code, 2)
  assert.match(again.err, /invalid_pairing_code/)
  assert.equal((await vidimus('device', 'simulate')).code, 2)
})

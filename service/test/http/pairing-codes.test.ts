// Tests that a device gets a new pairing code, and another name and templates without pairing again.

import assert from 'node:assert/strict'
import test from 'node:test'
import { enroll, pairDevice, registerDevice } from '../harness/devices.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'

const service = await testService()
const tenant = await service.tenant()
const key = await service.key(tenant)
const admin = await person(service, tenant, 'admin')
const renew = (id: string) => admin.call('POST', `@/devices/${id}/code`)

test('a new code pairs the device, also after the old code has expired', async () => {
  const { device, pairing_code: old } = (await registerDevice(service, key, { name: 'Bar 3', ttlSeconds: 60 })).json
  service.clock.advance(120_000)
  const answer = await renew(device.id)
  assert.equal(answer.status, 201, answer.text)
  const { device: renewed, pairing_code: code } = answer.json
  assert.equal(renewed.id, device.id)
  assert.ok(Date.parse(renewed.pairing_expires_at) > service.clock.now())
  assertRefused(await enroll(service, old), 400, 'invalid_pairing_code')
  const paired = await enroll(service, code)
  assert.equal(paired.status, 200, paired.text)
  assert.equal(paired.json.device.id, device.id)
  const { data } = (await admin.call('GET', '@/audit')).json
  assert.ok(data.some(({ action }: { action: string }) => action === 'device.code_renewed'))
})

test('each new code replaces the one before', async () => {
  const { device } = (await registerDevice(service, key)).json
  const first = (await renew(device.id)).json.pairing_code
  const second = (await renew(device.id)).json.pairing_code
  assertRefused(await enroll(service, first), 400, 'invalid_pairing_code')
  assert.equal((await enroll(service, second)).status, 200)
})

test('a paired or revoked device gets no new code', async () => {
  const paired = await pairDevice(service, key)
  assertRefused(await renew(paired.id), 400, 'invalid_request')
  await admin.call('POST', `@/devices/${paired.id}/revoke`)
  assertRefused(await renew(paired.id), 400, 'invalid_request')
})

const change = (id: string, body: object) => admin.call('POST', `@/devices/${id}`, { body })
const ask = (token: string, template: string) =>
  service.call('POST', '/v1/verifications', { key: token, body: { template } })

test('a paired device asks for the new templates from the next request on, and for no other', async () => {
  const { id, accessToken: token } = await pairDevice(service, key)
  assertRefused(await ask(token, 'identity'), 403, 'template_not_allowed')
  const changed = await change(id, { name: 'Bar 4', allowed_templates: ['identity'] })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual([changed.json.name, changed.json.allowed_templates], ['Bar 4', ['identity']])
  assert.equal((await ask(token, 'identity')).status, 201)
  assertRefused(await ask(token, 'age_over_18'), 403, 'template_not_allowed')
  const { data } = (await admin.call('GET', '@/audit')).json
  const entry = data.find(({ action }: { action: string }) => action === 'device.changed')
  assert.deepEqual(entry.details, { name: 'Bar 4', allowed_templates: ['identity'] })
})

test('a removed or unknown device is not changed', async () => {
  const { id } = await pairDevice(service, key)
  await admin.call('POST', `@/devices/${id}/revoke`)
  const body = { name: 'Bar', allowed_templates: ['identity'] }
  assertRefused(await change(id, body), 404, 'device_not_found')
  assertRefused(await change('no-such-device', body), 404, 'device_not_found')
})

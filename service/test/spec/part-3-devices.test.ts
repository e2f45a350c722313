// Specification 2.3, 2.4 and 3.2: devices and their states. One test per sentence.

import assert from 'node:assert/strict'
import test from 'node:test'
import { millisecondsOf } from '../../src/platform/world.ts'
import { enroll, pairDevice, refresh, registerDevice } from '../harness/devices.ts'
import { assertRefused, testService } from '../harness/service.ts'

const service = await testService()
const { call, clock } = service
const tenant = await service.tenant()
const key = await service.key(tenant)
const SECOND = 1000
const DAY = 86_400 * SECOND

const deviceOf = async (id: string) => {
  const { json } = await call('GET', '/v1/devices', { key })
  return json.data.find((device: { id: string }) => device.id === id)
}

test('2.3 a pending device has the required fields, the expiry of its code, and no other properties', async () => {
  const { json } = await registerDevice(service, key, { name: 'Bar 3', templates: ['age_over_18', 'identity'] })
  const { id, created_at, pairing_expires_at, ...rest } = json.device
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual(rest, { name: 'Bar 3', status: 'pending', allowed_templates: ['age_over_18', 'identity'] })
  assert.match(created_at, /^2027-.*Z$/)
  assert.match(pairing_expires_at, /^2027-.*Z$/)
})

test('2.3 an active device has enrolled_at and last_seen_at, a revoked device has revoked_at, and neither has a reason or secret', async () => {
  const device = await pairDevice(service, key)
  assert.deepEqual(Object.keys(await deviceOf(device.id)).sort(), [
    'allowed_templates',
    'created_at',
    'enrolled_at',
    'id',
    'last_seen_at',
    'name',
    'status',
  ])
  const revoked = await call('DELETE', `/v1/devices/${device.id}`, { key })
  assert.deepEqual(Object.keys(revoked.json).sort(), [
    'allowed_templates',
    'created_at',
    'enrolled_at',
    'id',
    'last_seen_at',
    'name',
    'revoked_at',
    'status',
  ])
})

test('2.4 a token pair has exactly its six fields', async () => {
  const registered = await registerDevice(service, key)
  const { json } = await enroll(service, registered.json.pairing_code)
  assert.deepEqual(Object.keys(json).sort(), [
    'access_token',
    'device',
    'expires_in',
    'refresh_expires_in',
    'refresh_token',
    'token_type',
  ])
  assert.match(json.access_token, /^vd_/)
  assert.match(json.refresh_token, /^vdr_/)
  assert.equal(json.token_type, 'Bearer')
  assert.equal(json.expires_in, 900)
  assert.equal(json.refresh_expires_in, 30 * 86_400)
  assert.equal(json.device.status, 'active')
})

test('3.2 (none) to pending: a pairing code is returned once', async () => {
  const { json } = await registerDevice(service, key)
  assert.equal(json.device.status, 'pending')
  const list = await call('GET', '/v1/devices', { key })
  assert.ok(!list.text.includes(json.pairing_code))
})

test('3.2 pending to active: a token pair is issued and enrolled_at is set', async () => {
  const { json } = await registerDevice(service, key)
  clock.advance(SECOND)
  const enrolled = await enroll(service, json.pairing_code)
  assert.equal(enrolled.status, 200)
  assert.equal(enrolled.json.device.status, 'active')
  assert.equal(enrolled.json.device.id, json.device.id)
  assert.ok(enrolled.json.device.enrolled_at >= json.device.created_at)
  assert.equal((await call('GET', '/v1/usage', { key: enrolled.json.access_token })).status, 200)
})

test('3.2 of two simultaneous attempts exactly one succeeds; the other only learns that the code is invalid', async () => {
  const { json } = await registerDevice(service, key)
  const answers = await Promise.all([enroll(service, json.pairing_code), enroll(service, json.pairing_code)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  const wrong = await enroll(service, 'VD-0000-0000')
  assert.equal(answers.find(({ status }) => status === 400)?.text, wrong.text)
})

test('3.2 the code expires at pairing_expires_at, not before, and the device stays pending', async () => {
  const early = (await registerDevice(service, key, { ttlSeconds: 60 })).json
  clock.advance(60 * SECOND - 1)
  assert.equal((await enroll(service, early.pairing_code)).status, 200)
  const late = (await registerDevice(service, key, { ttlSeconds: 60 })).json
  clock.set(millisecondsOf(late.device.pairing_expires_at))
  assertRefused(await enroll(service, late.pairing_code), 400, 'invalid_pairing_code')
  assert.equal((await deviceOf(late.device.id)).status, 'pending')
})

test('3.2 an unused refresh token is invalidated, and a new pair is issued', async () => {
  const device = await pairDevice(service, key)
  const next = await refresh(service, device.refreshToken)
  assert.equal(next.status, 200)
  assert.equal(next.json.device.status, 'active')
  assert.notEqual(next.json.access_token, device.accessToken)
  assert.notEqual(next.json.refresh_token, device.refreshToken)
  assert.equal((await call('GET', '/v1/usage', { key: next.json.access_token })).status, 200)
  assert.equal((await refresh(service, next.json.refresh_token)).status, 200)
})

test('3.2 a used refresh token revokes the device at once, with the tokens just issued', async () => {
  const device = await pairDevice(service, key)
  const next = await refresh(service, device.refreshToken)
  assertRefused(await refresh(service, device.refreshToken), 400, 'invalid_refresh_token')
  assert.equal((await deviceOf(device.id)).status, 'revoked')
  for (const token of [device.accessToken, next.json.access_token]) {
    assertRefused(await call('GET', '/v1/usage', { key: token }), 401, 'invalid_api_key')
  }
  assertRefused(await refresh(service, next.json.refresh_token), 400, 'invalid_refresh_token')
})

test('3.2 a used token from two rotations or a month ago revokes the device, too', async () => {
  const device = await pairDevice(service, key)
  const second = await refresh(service, device.refreshToken)
  const third = await refresh(service, second.json.refresh_token)
  clock.advance(29 * DAY)
  const fourth = await refresh(service, third.json.refresh_token)
  assert.equal(fourth.status, 200)
  clock.advance(10 * DAY)
  assertRefused(await refresh(service, device.refreshToken), 400, 'invalid_refresh_token')
  assert.equal((await deviceOf(device.id)).status, 'revoked')
  assertRefused(await refresh(service, fourth.json.refresh_token), 400, 'invalid_refresh_token')
})

test('3.2 DELETE revokes a pending device, and its code with it', async () => {
  const { json } = await registerDevice(service, key)
  const revoked = await call('DELETE', `/v1/devices/${json.device.id}`, { key })
  assert.equal(revoked.json.status, 'revoked')
  assertRefused(await enroll(service, json.pairing_code), 400, 'invalid_pairing_code')
})

test('3.2 DELETE revokes an active device: all its tokens stop working, and so does a queued refresh', async () => {
  const device = await pairDevice(service, key)
  assert.equal((await call('DELETE', `/v1/devices/${device.id}`, { key })).json.status, 'revoked')
  assertRefused(await call('GET', '/v1/usage', { key: device.accessToken }), 401, 'invalid_api_key')
  assertRefused(await refresh(service, device.refreshToken), 400, 'invalid_refresh_token')
})

test('3.2 DELETE of a revoked device answers 200 with the same row', async () => {
  const device = await pairDevice(service, key)
  const first = await call('DELETE', `/v1/devices/${device.id}`, { key })
  clock.advance(5 * SECOND)
  const second = await call('DELETE', `/v1/devices/${device.id}`, { key })
  assert.equal(second.status, 200)
  assert.equal(second.text, first.text)
})

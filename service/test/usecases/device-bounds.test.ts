// Tests the maximum number of devices per realm, and when unpaired ones are deleted.

import assert from 'node:assert/strict'
import test from 'node:test'
import { pairDevice } from '../harness/devices.ts'
import { runJob } from '../harness/jobs.ts'
import { assertRefused, testService } from '../harness/service.ts'

const service = await testService({}, { VIDIMUS_DEVICES_MAX: '3' })
const { call, clock } = service
const DAY = 86_400_000
const registration = { name: 'Till', allowed_templates: ['age_over_18'] }

const register = (key: string, more: object = {}) =>
  call('POST', '/v1/devices', { key, body: { ...registration, ...more } })
const listed = async (key: string): Promise<string[]> =>
  (await call('GET', '/v1/devices', { key })).json.data.map(({ id }: { id: string }) => id)

test('concurrent registrations cannot exceed the limit of devices, which counts per environment', async () => {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const answers = await Promise.all(Array.from({ length: 8 }, () => register(key)))
  assert.equal(answers.filter(({ status }) => status === 201).length, 3)
  for (const answer of answers) if (answer.status !== 201) assertRefused(answer, 409, 'device_limit_reached')
  assert.equal((await listed(key)).length, 3)
  const live = await service.key(tenantId, { environment: 'live' })
  assert.equal((await register(live)).status, 201)
  assert.equal((await register(await service.key(await service.tenant()))).status, 201)
})

test('at the limit, a registration deletes the device that was revoked longest ago, with its tokens', async () => {
  const key = await service.key(await service.tenant())
  const devices = [await pairDevice(service, key), await pairDevice(service, key), await pairDevice(service, key)]
  const [kept, first, second] = devices.map(({ id }) => id)
  for (const id of [first, second]) {
    clock.advance(1_000)
    assert.equal((await call('DELETE', `/v1/devices/${id}`, { key })).status, 200)
  }
  const created = await register(key)
  assert.equal(created.status, 201)
  assert.deepEqual(await listed(key), [created.json.device.id, second, kept])
  const again = await Promise.all([register(key), register(key)])
  assert.deepEqual(again.map(({ status }) => status).sort(), [201, 409])
  assert.ok(!(await listed(key)).includes(second ?? ''))
  const tokens = await service.deps.db.query(
    { name: 'test_tokens_left', text: 'select from device_token_pairs where device_id = any ($1::uuid[])' },
    [[first, second]],
  )
  assert.equal(tokens.length, 0)
})

test('an unpaired device is deleted seven days after its code expired, and not before; others stay', async () => {
  const key = await service.key(await service.tenant())
  const paired = await pairDevice(service, key)
  const lapsing = (await register(key, { pairing_ttl_seconds: 60 })).json.device.id
  clock.advance(60_000 + 7 * DAY)
  await runJob(service.deps, 'forget-devices')
  assert.deepEqual(await listed(key), [lapsing, paired.id])
  clock.advance(1)
  await runJob(service.deps, 'forget-devices')
  assert.deepEqual(await listed(key), [paired.id])
})

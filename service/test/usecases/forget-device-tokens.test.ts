// Tests when device tokens are deleted: those that can still reveal a thief stay.

import assert from 'node:assert/strict'
import test from 'node:test'
import { pairDevice, refresh } from '../harness/devices.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const DAY = 86_400_000

async function pairs(deviceId: string): Promise<number> {
  const rows = await service.deps.db.query(
    { name: 'test_pairs_of_device', text: 'select from device_token_pairs where device_id = $1' },
    [deviceId],
  )
  return rows.length
}

test('a pair is deleted thirty days after its refresh token expired, and not before', async () => {
  const key = await service.key(await service.tenant())
  const device = await pairDevice(service, key)
  service.clock.advance(20 * DAY)
  const next = (await refresh(service, device.refreshToken)).json
  service.clock.advance(40 * DAY)
  await runJob(service.deps, 'forget-device-tokens')
  assert.equal(await pairs(device.id), 2)
  service.clock.advance(1)
  await runJob(service.deps, 'forget-device-tokens')
  assert.equal(await pairs(device.id), 1)
  // A deleted token is unknown and identifies no device.
  assert.equal((await refresh(service, device.refreshToken)).status, 400)
  const [listed] = (await service.call('GET', '/v1/devices', { key })).json.data
  assert.equal(listed.status, 'active')
  service.clock.advance(20 * DAY)
  await runJob(service.deps, 'forget-device-tokens')
  assert.equal(await pairs(device.id), 0)
  assert.equal((await refresh(service, next.refresh_token)).status, 400)
})

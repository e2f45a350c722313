// Tests that a secret whose hash two tenants have gives access to neither: hashes are looked up without a tenant.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { enroll, pairDevice, registerDevice } from '../harness/devices.ts'
import { testService } from '../harness/service.ts'
import { person, post, tokenOf } from '../harness/staff.ts'

const service = await testService()
const { db } = service.deps
const [own, other] = [await service.tenant(), await service.tenant()]

/** Copies the rows of one tenant to another, as a faulty copy might. */
async function copyRows(table: string): Promise<void> {
  const rows = await db.query(
    {
      name: `test_copy_${table}`,
      text: `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('tenant_id', $2::text))).*
             from ${table} t where t.tenant_id = $1 on conflict do nothing returning 1`,
    },
    [own, other],
  )
  assert.ok(rows.length > 0, `nothing of ${table} was copied`)
}

it('an API key of two tenants gives access to neither', async () => {
  const key = await service.key(own)
  const call = () => service.call('GET', '/v1/verifications', { key })
  assert.equal((await call()).status, 200)
  await copyRows('api_keys')
  service.clock.advance(1_100)
  assert.equal((await call()).status, 401)
})

it('tokens of a device of two tenants give access to neither', async () => {
  const device = await pairDevice(service, await service.key(own))
  const refresh = () => service.call('POST', '/v1/devices/token', { body: { refresh_token: device.refreshToken } })
  const call = () => service.call('GET', '/v1/verifications', { key: device.accessToken })
  assert.equal((await call()).status, 200)
  await copyRows('devices')
  await copyRows('device_token_pairs')
  assert.equal((await call()).status, 401)
  assert.equal((await refresh()).status, 400)
  const states = await db.query<{ status: string; spent: boolean }>({
    name: 'test_device_states',
    text: `select d.status, t.spent_at is not null as spent from devices d
           join device_token_pairs t on t.tenant_id = d.tenant_id and t.device_id = d.id`,
  })
  assert.deepEqual(states, Array(2).fill({ status: 'active', spent: false }))
})

it('a pairing code of two tenants gives access to neither', async () => {
  const registered = await registerDevice(service, await service.key(own))
  await db.query({ name: 'test_drop_key', text: 'alter table devices drop constraint devices_pairing_code_hash_key' })
  await copyRows('devices')
  assert.equal((await enroll(service, registered.json.pairing_code)).status, 400)
  const waiting = await db.query({ name: 'test_waiting', text: `select from devices where status = 'pending'` })
  assert.equal(waiting.length, 2)
})

it('a link of two tenants gives access to neither', async () => {
  const link = await service.call('POST', '/v1/links', { key: await service.key(own), body: { template: 'identity' } })
  assert.equal(link.status, 201, link.text)
  const { pathname } = new URL(link.json.url)
  const open = () => service.app.inject({ method: 'GET', url: pathname, remoteAddress: '203.0.113.9' })
  assert.equal((await open()).statusCode, 200)
  await copyRows('links')
  assert.equal((await open()).statusCode, 404)
})

it('an invitation of two tenants gives access to neither', async () => {
  const owner = await person(service, own, 'owner')
  const invitation = await owner.call('POST', '@/team/invite', { body: { email: 'new@example.com', role: 'viewer' } })
  const token = tokenOf(invitation.json.url)
  const from = { from: '203.0.113.10' }
  assert.equal((await post(service, '/links/look', { token }, from)).status, 200)
  await copyRows('sign_in_links')
  assert.equal((await post(service, '/links/look', { token }, from)).status, 400)
  const use = { token, password: 'nine horses count to a' }
  assert.equal((await post(service, '/links/use', use, from)).status, 400)
  const members = await db.query({ name: 'test_members', text: `select from members where role = 'viewer'` })
  assert.equal(members.length, 0)
})

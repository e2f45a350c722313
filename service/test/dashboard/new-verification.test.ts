// Tests that staff create a verification once per idempotency key, within the quota, audited, and cancel it.

import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await testService()
const tenant = await service.tenant()
const admin = await person(service, tenant, 'admin')
const viewer = await person(service, tenant, 'viewer')

let keys = 0
const newKey = () => `page-made-key-${++keys}`.padEnd(20, '0')
const bodyOf = (more: object = {}) => ({ template: 'age_over_18', idempotency_key: newKey(), ...more })

test('the input of the panel is what the wallet is asked; the reference is found as metadata', async () => {
  for (const environment of ['test', 'live'] as const) {
    const body = bodyOf({ purpose: 'To sell you wine', ttl_seconds: 3600, reference: 'Order 1024' })
    const created = await admin.call('POST', '@/verifications', { environment, body })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(created.json.metadata, { reference: 'Order 1024' })
    assert.equal(Date.parse(created.json.expires_at) - Date.parse(created.json.created_at), 3_600_000)
    const headers = { 'vidimus-search': encodeURIComponent('Order 1024') }
    const { json: found } = await admin.call('GET', '@/verifications', { environment, headers })
    assert.deepEqual(
      found.data.map((row: { id: string; actor: object }) => [row.id, row.actor]),
      [[created.json.id, { type: 'user', id: admin.id, name: admin.email }]],
    )
    const [entry] = (await admin.call('GET', '@/audit', { environment })).json.data
    assert.deepEqual(
      [entry.action, entry.actor],
      ['verification.created', { type: 'user', id: admin.id, name: admin.email }],
    )
  }
})

test('a second click creates no second verification; another person with the same key creates their own', async () => {
  const body = bodyOf()
  const [first, second] = await Promise.all([1, 2].map(() => admin.call('POST', '@/verifications', { body })))
  const again = await admin.call('POST', '@/verifications', { body })
  assert.equal(again.status, 201)
  const created = [first, second].filter((answer) => answer?.status === 201)
  assert.ok(created.length > 0)
  for (const answer of created) assert.equal(answer?.json.id, again.json.id)
  const colleague = await person(service, tenant, 'admin')
  const theirs = await colleague.call('POST', '@/verifications', { body })
  assert.notEqual(theirs.json.id, again.json.id)
  const other = await admin.call('POST', '@/verifications', { body: { ...body, template: 'identity' } })
  assertRefused(other, 422, 'idempotency_key_reused')
})

test('nothing is created without a key, or by a viewer', async () => {
  assertRefused(await admin.call('POST', '@/verifications', { body: { template: 'identity' } }), 400, 'invalid_request')
  assertRefused(await viewer.call('POST', '@/verifications', { body: bodyOf() }), 403, 'role_insufficient')
})

test("a verification of staff counts towards the tenant's quota", async () => {
  const small = await service.tenant({ plan: 'starter' })
  const staff = await person(service, small, 'admin')
  const { json: before } = await staff.call('GET', '@/usage')
  await staff.call('POST', '@/verifications', { body: bodyOf() })
  assert.equal((await staff.call('GET', '@/usage')).json.remaining, before.remaining - 1)
  await service.deps.db.query(
    { name: 'test_spend', text: 'update usage_days set created = 100000000 where tenant_id = $1' },
    [small],
  )
  assertRefused(await staff.call('POST', '@/verifications', { body: bodyOf() }), 429, 'quota_exceeded')
})

test('staff who may create verifications get link and code while one is pending', async () => {
  const { json: created } = await admin.call('POST', '@/verifications', { body: bodyOf() })
  const detail = async (who = admin) => (await who.call('GET', `@/verifications/${created.id}`)).json
  const { open } = await detail()
  assert.equal(open.wallet_uri, created.wallet_uri)
  assert.match(open.page_url, new RegExp(`/verify/${created.id}$`))
  assert.equal((await detail(viewer)).open, null)
  await (await testWallet(service)).present(created.wallet_uri)
  assert.equal((await detail()).open, null)
  assertRefused(await admin.call('POST', `@/verifications/${created.id}/cancel`), 409, 'session_already_responded')
})

test('a cancel ends the link and has an audit entry; a second cancel changes nothing', async () => {
  const { json: created } = await admin.call('POST', '@/verifications', { body: bodyOf() })
  for (let time = 0; time < 2; time += 1) {
    const answer = await admin.call('POST', `@/verifications/${created.id}/cancel`)
    assert.deepEqual([answer.status, answer.json.status], [200, 'expired'])
  }
  const { json: detail } = await admin.call('GET', `@/verifications/${created.id}`)
  assert.deepEqual([detail.cancelled, detail.open], [true, null])
  const { data } = (await admin.call('GET', '@/audit')).json
  const entries = data.filter((row: { action: string; object: { id: string } }) => row.object.id === created.id)
  assert.deepEqual(
    entries.map(({ action, actor }: { action: string; actor: object }) => [action, actor]),
    [
      ['verification.cancelled', { type: 'user', id: admin.id, name: admin.email }],
      ['verification.created', { type: 'user', id: admin.id, name: admin.email }],
    ],
  )
})

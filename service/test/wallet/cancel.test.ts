// Tests that a cancelled verification cannot be answered, and an answered one cannot be cancelled.

import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { pairDevice } from '../harness/devices.ts'
import { repeats } from '../harness/repeats.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, newCredentials, read, respond, validBody } from './verifications.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const { call, clock } = service
const wallet = await testWallet(service)
const tenant = await service.tenant({ plan: 'enterprise' })
const key = await service.key(tenant)
const credentials = newCredentials(wallet)
const question = { template: 'identity', webhook_url: 'http://127.0.0.1:9/hook' }
const cancel = (id: string, bearer = key) => call('POST', `/v1/verifications/${id}/cancel`, { key: bearer })

async function entriesOf(id: string): Promise<{ action: string; actor: { type: string }; details: unknown }[]> {
  const rows = await service.deps.db.query<{ bytes: Buffer; details: unknown }>(
    {
      name: 'test_entries_of',
      text: `select e.bytes, d.details from audit_entries e left join audit_details d using (tenant_id, environment, seq)
             where e.object_id = $1 order by e.seq`,
    },
    [id],
  )
  return rows.map(({ bytes, details }) => ({ ...JSON.parse(bytes.toString()), details }))
}

async function countDeliveries(id: string): Promise<number> {
  const rows = await service.deps.db.query(
    { name: 'test_deliveries_of', text: 'select 1 from webhook_deliveries where verification_id = $1' },
    [id],
  )
  return rows.length
}

test('a cancelled verification is expired: the wallet gets 410, no webhook is sent, its key is deleted', async () => {
  const created = await create(service, key, question)
  const request = await wallet.request(created.wallet_uri)
  const body = await validBody(wallet, request, { credentials })
  clock.advance(1_000)
  const answer = await cancel(created.id)
  assert.equal(answer.status, 200, answer.text)
  const { status, expires_at, wallet_uri, responded_at } = answer.json
  assert.deepEqual([status, wallet_uri, responded_at], ['expired', undefined, undefined])
  assert.equal(Date.parse(expires_at), Math.floor(clock.now()))
  assert.deepEqual(await read(service, key, created.id), answer.json)
  assert.equal((await call('GET', `/v1/verifications/${created.id}/status`)).json.status, 'expired')
  assertRefused(await respond(service, created.id, body), 410, 'session_expired')
  assertRefused(await call('GET', `/wallet/request/${created.id}`), 410, 'session_expired')
  assert.equal(await countDeliveries(created.id), 0)
  const [row] = await service.deps.db.query<{ encryption_key: unknown }>(
    { name: 'test_key_of', text: 'select encryption_key from verifications where id = $1' },
    [created.id],
  )
  assert.equal(row?.encryption_key, null)
})

test('a cancelled verification is over on every replica, whatever its clock', async () => {
  const created = await create(service, key, question)
  const body = await validBody(wallet, await wallet.request(created.wallet_uri), { credentials })
  assert.equal((await cancel(created.id)).status, 200)
  clock.advance(-50)
  assertRefused(await respond(service, created.id, body), 410, 'session_expired')
  assert.equal((await read(service, key, created.id)).status, 'expired')
  clock.advance(50)
})

test('cancelling again, or after its time, answers the same and is recorded at most once', async () => {
  const created = await create(service, key, question)
  const first = await cancel(created.id)
  clock.advance(5_000)
  const again = await cancel(created.id)
  assert.deepEqual([again.status, again.text], [200, first.text])
  assert.deepEqual(
    (await entriesOf(created.id)).map(({ action }) => action),
    ['verification.created', 'verification.cancelled'],
  )
  const lapsed = await create(service, key, { ...question, ttl_seconds: 60 })
  clock.advance(60_000)
  const answer = await cancel(lapsed.id)
  assert.deepEqual([answer.status, answer.json.status, answer.json.expires_at], [200, 'expired', lapsed.expires_at])
  assert.equal((await entriesOf(lapsed.id)).length, 1)
})

test('an answered verification is not cancelled: the call gets 409, and the answer stays', async () => {
  for (const scenario of ['good', 'declined'] as const) {
    const created = await create(service, key, question)
    await wallet.present(created.wallet_uri, scenario)
    const before = await read(service, key, created.id)
    assertRefused(await cancel(created.id), 409, 'session_already_responded')
    assert.deepEqual(await read(service, key, created.id), before)
    assert.equal((await entriesOf(created.id)).length, 2)
  }
})

test('a device cancels only its own verifications, and the trail names the device; erasure removes the name', async () => {
  const device = await pairDevice(service, key)
  const created = await create(service, device.accessToken, { template: 'age_over_18' })
  const merchants = await create(service, key, { template: 'age_over_18' })
  assertRefused(await cancel(merchants.id, device.accessToken), 404, 'session_not_found')
  assert.equal((await cancel(created.id, device.accessToken)).status, 200)
  const [, entry] = await entriesOf(created.id)
  assert.equal(entry?.actor.type, 'device')
  assert.match(JSON.stringify(entry?.details), /"actor_name":"[^"]+"/)
  assert.equal((await call('DELETE', `/v1/verifications/${created.id}`, { key })).status, 200)
  assert.deepEqual(
    (await entriesOf(created.id)).map(({ details }) => details),
    [null, null, null],
  )
  const realm = { tenantId: tenant, environment: 'test' } as const
  assert.equal((await verifyStored(service.deps, { realm, log: 'whole' })).outcome, 'whole')
})

test('a verification that is cancelled at the moment of its creation does not expire before it was created', async () => {
  const created = await Promise.all([create(service, key, question), create(service, key, question)])
  for (const { id } of created) {
    const { json } = await cancel(id)
    assert.equal(json.status, 'expired')
    assert.ok(json.expires_at >= json.created_at, `${json.expires_at} < ${json.created_at}`)
  }
})

test('a cancellation uses the budget of the key', async () => {
  const strict = await testService({ rates: { ...service.deps.config.rates, key: { perSecond: 1, burst: 3 } } })
  const bearer = await strict.key(await strict.tenant())
  const created = await create(strict, bearer)
  const again = () => strict.call('POST', `/v1/verifications/${created.id}/cancel`, { key: bearer })
  assert.deepEqual([(await again()).status, (await again()).status], [200, 200])
  assertRefused(await again(), 429, 'rate_limit_exceeded')
})

const RACES = repeats(60, 200)
const AT_ONCE = 20

test(`in ${RACES} races of a wallet's answer and a cancellation exactly one wins`, { timeout: 120_000 }, async () => {
  const winners = { answer: 0, cancellation: 0 }
  const race = async (cancelFirst: boolean) => {
    const created = await create(service, key, question)
    const body = await validBody(wallet, await wallet.request(created.wallet_uri), { credentials })
    const answering = () => respond(service, created.id, body)
    const cancelling = () => cancel(created.id)
    const begun = cancelFirst ? [cancelling(), answering()] : [answering(), cancelling()]
    const answers = await Promise.all(begun)
    const [cancelled, answered] = cancelFirst ? answers : answers.toReversed()
    const { status } = await read(service, key, created.id)
    const won = cancelled?.status === 200 ? 'cancellation' : 'answer'
    winners[won] += 1
    const expected = won === 'cancellation' ? [200, 410, 'expired', 0] : [409, 200, 'completed', 1]
    assert.deepEqual([cancelled?.status, answered?.status, status, await countDeliveries(created.id)], expected)
    const actions = (await entriesOf(created.id)).map(({ action }) => action)
    const ending = won === 'cancellation' ? 'verification.cancelled' : 'verification.completed'
    assert.deepEqual(actions, ['verification.created', ending])
  }
  for (let done = 0; done < RACES; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => race(i % 2 === 0)))
  }
  assert.equal(winners.answer + winners.cancellation, RACES)
})

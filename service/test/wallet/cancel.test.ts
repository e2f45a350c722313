// Cancelling: a cancelled verification cannot be answered, and an answered one cannot be cancelled.

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
const held = newCredentials(wallet)
const asked = { template: 'identity', webhook_url: 'http://127.0.0.1:9/hook' }
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
  const made = await create(service, key, asked)
  const request = await wallet.request(made.wallet_uri)
  const body = await validBody(wallet, request, { held })
  clock.advance(1_000)
  const answer = await cancel(made.id)
  assert.equal(answer.status, 200, answer.text)
  const { status, expires_at, wallet_uri, responded_at } = answer.json
  assert.deepEqual([status, wallet_uri, responded_at], ['expired', undefined, undefined])
  assert.equal(Date.parse(expires_at), Math.floor(clock.now()))
  assert.deepEqual(await read(service, key, made.id), answer.json)
  assert.equal((await call('GET', `/v1/verifications/${made.id}/status`)).json.status, 'expired')
  assertRefused(await respond(service, made.id, body), 410, 'session_expired')
  assertRefused(await call('GET', `/wallet/request/${made.id}`), 410, 'session_expired')
  assert.equal(await countDeliveries(made.id), 0)
  const [row] = await service.deps.db.query<{ encryption_key: unknown }>(
    { name: 'test_key_of', text: 'select encryption_key from verifications where id = $1' },
    [made.id],
  )
  assert.equal(row?.encryption_key, null)
})

test("it is over whatever the clock of the replica that gets the wallet's answer says", async () => {
  const made = await create(service, key, asked)
  const body = await validBody(wallet, await wallet.request(made.wallet_uri), { held })
  assert.equal((await cancel(made.id)).status, 200)
  clock.advance(-50)
  assertRefused(await respond(service, made.id, body), 410, 'session_expired')
  assert.equal((await read(service, key, made.id)).status, 'expired')
  clock.advance(50)
})

test('cancelling again, or after its time, answers the same and is recorded at most once', async () => {
  const made = await create(service, key, asked)
  const first = await cancel(made.id)
  clock.advance(5_000)
  const again = await cancel(made.id)
  assert.deepEqual([again.status, again.text], [200, first.text])
  assert.deepEqual(
    (await entriesOf(made.id)).map(({ action }) => action),
    ['verification.created', 'verification.cancelled'],
  )
  const lapsed = await create(service, key, { ...asked, ttl_seconds: 60 })
  clock.advance(60_000)
  const answer = await cancel(lapsed.id)
  assert.deepEqual([answer.status, answer.json.status, answer.json.expires_at], [200, 'expired', lapsed.expires_at])
  assert.equal((await entriesOf(lapsed.id)).length, 1)
})

test('an answered one is not cancelled: 409, and its answer stays', async () => {
  for (const scenario of ['good', 'declined'] as const) {
    const made = await create(service, key, asked)
    await wallet.present(made.wallet_uri, scenario)
    const before = await read(service, key, made.id)
    assertRefused(await cancel(made.id), 409, 'session_already_responded')
    assert.deepEqual(await read(service, key, made.id), before)
    assert.equal((await entriesOf(made.id)).length, 2)
  }
})

test('a device cancels only its own, and the trail names it; erasure removes the name', async () => {
  const device = await pairDevice(service, key)
  const made = await create(service, device.accessToken, { template: 'age_over_18' })
  const merchants = await create(service, key, { template: 'age_over_18' })
  assertRefused(await cancel(merchants.id, device.accessToken), 404, 'session_not_found')
  assert.equal((await cancel(made.id, device.accessToken)).status, 200)
  const [, entry] = await entriesOf(made.id)
  assert.equal(entry?.actor.type, 'device')
  assert.match(JSON.stringify(entry?.details), /"actor_name":"[^"]+"/)
  assert.equal((await call('DELETE', `/v1/verifications/${made.id}`, { key })).status, 200)
  assert.deepEqual(
    (await entriesOf(made.id)).map(({ details }) => details),
    [null, null, null],
  )
  const realm = { tenantId: tenant, environment: 'test' } as const
  assert.equal((await verifyStored(service.deps, { realm, log: 'whole' })).outcome, 'whole')
})

test('at the moment of its creation: it does not expire before it was created', async () => {
  const made = await Promise.all([create(service, key, asked), create(service, key, asked)])
  for (const { id } of made) {
    const { json } = await cancel(id)
    assert.equal(json.status, 'expired')
    assert.ok(json.expires_at >= json.created_at, `${json.expires_at} < ${json.created_at}`)
  }
})

test('it uses the budget of the key', async () => {
  const strict = await testService({ rates: { ...service.deps.config.rates, key: { perSecond: 1, burst: 3 } } })
  const bearer = await strict.key(await strict.tenant())
  const made = await create(strict, bearer)
  const again = () => strict.call('POST', `/v1/verifications/${made.id}/cancel`, { key: bearer })
  assert.deepEqual([(await again()).status, (await again()).status], [200, 200])
  assertRefused(await again(), 429, 'rate_limit_exceeded')
})

const RACES = repeats(60, 200)
const AT_ONCE = 20

test(`${RACES} races of a wallet's answer and a cancellation: exactly one wins`, { timeout: 120_000 }, async () => {
  const winners = { answer: 0, cancellation: 0 }
  const race = async (cancelFirst: boolean) => {
    const made = await create(service, key, asked)
    const body = await validBody(wallet, await wallet.request(made.wallet_uri), { held })
    const answering = () => respond(service, made.id, body)
    const cancelling = () => cancel(made.id)
    const begun = cancelFirst ? [cancelling(), answering()] : [answering(), cancelling()]
    const told = await Promise.all(begun)
    const [cancelled, answered] = cancelFirst ? told : told.toReversed()
    const { status } = await read(service, key, made.id)
    const won = cancelled?.status === 200 ? 'cancellation' : 'answer'
    winners[won] += 1
    const expected = won === 'cancellation' ? [200, 410, 'expired', 0] : [409, 200, 'completed', 1]
    assert.deepEqual([cancelled?.status, answered?.status, status, await countDeliveries(made.id)], expected)
    const actions = (await entriesOf(made.id)).map(({ action }) => action)
    const ending = won === 'cancellation' ? 'verification.cancelled' : 'verification.completed'
    assert.deepEqual(actions, ['verification.created', ending])
  }
  for (let done = 0; done < RACES; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => race(i % 2 === 0)))
  }
  assert.equal(winners.answer + winners.cancellation, RACES)
})

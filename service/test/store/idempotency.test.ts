// Tests leases of idempotency keys, statement by statement: each decides again what an earlier read could not see.

import assert from 'node:assert/strict'
import test from 'node:test'
import { leaseKeys, releaseKey, takeOverKey } from '../../src/core/verifications/store/idempotency.ts'
import { testDatabase } from '../harness/servers/database.ts'

const { db } = await testDatabase()
const realm = { tenantId: 'ten_a', environment: 'test' } as const
const at = (seconds: number) => new Date(Date.UTC(2027, 5, 15, 12, 0, seconds)).toISOString().replace('Z', '000Z')
const terms = (seconds: number) => ({ leaseUntil: at(seconds + 30), expiresAt: at(seconds + 86_400) })
const lease = (key: string, fence: string, body = 1) => ({ realm, key, fence, fingerprint: Buffer.alloc(32, body) })

test('of leases on one key in one statement one succeeds, and the others try again', async () => {
  const leases = [lease('k1', 'a'), lease('k1', 'b'), lease('k2', 'c')]
  const [first, second, other] = await leaseKeys(db, { leases, ...terms(0) })
  assert.deepEqual(new Set([first, second]), new Set(['taken', null]))
  assert.equal(other, 'taken')
  const [again] = await leaseKeys(db, { leases: [lease('k1', 'd')], ...terms(1) })
  assert.ok(again !== null && again !== 'taken' && again !== undefined)
  assert.equal(again.leaseUntil, at(30))
  assert.equal(again.sealedResponse, null)
})

test("tenants and environments that lease together do not affect each other's keys", async () => {
  const others = [
    { tenantId: 'ten_b', environment: 'test' },
    { tenantId: 'ten_a', environment: 'live' },
  ] as const
  const leases = [lease('k0', 'a'), ...others.map((other, i) => ({ ...lease('k0', `other-${i}`, 2), realm: other }))]
  assert.deepEqual(await leaseKeys(db, { leases, ...terms(0) }), ['taken', 'taken', 'taken'])
  const again = await leaseKeys(db, {
    leases: leases.map((one) => ({ ...one, fence: `${one.fence} again` })),
    ...terms(1),
  })
  assert.deepEqual(
    again.map((known) => (known === null || known === 'taken' ? known : known.fingerprint[0])),
    [1, 2, 2],
  )
})

test('an expired lease goes only to the same request; after its window a key goes to any', async () => {
  await leaseKeys(db, { leases: [lease('k3', 'a')], ...terms(0) })
  const take = (fence: string, body: number, seconds: number) =>
    takeOverKey(db, { ...lease('k3', fence, body), now: at(seconds), ...terms(seconds) })
  assert.equal(await take('b', 1, 29), false)
  assert.equal(await take('b', 2, 30), false)
  assert.equal(await take('b', 1, 30), true)
  assert.equal(await take('c', 1, 30), false)
  assert.equal(await take('d', 2, 30 + 86_400), true)
})

test('a lease does not wait for a locked row', async () => {
  await leaseKeys(db, { leases: [lease('k4', 'a')], ...terms(0) })
  await db.transaction(async (tx) => {
    await tx.query({ name: 'test_hold', text: `select from idempotency_keys where key = 'k4' for update` })
    // The lock is released after both calls, so waiting for it would end in an error.
    assert.equal(await takeOverKey(db, { ...lease('k4', 'b'), now: at(60), ...terms(60) }), false)
    const [found] = await leaseKeys(db, { leases: [lease('k4', 'c')], ...terms(60) })
    assert.ok(found !== 'taken')
  })
})

test('a key that is being answered or erased is skipped, and no lease waits for it', async () => {
  for (const [key, text] of [
    ['k7', `update idempotency_keys set verification_id = 'ver_1', answer = 'x' where key = 'k7'`],
    ['k8', `delete from idempotency_keys where key = 'k8'`],
  ] as const) {
    await leaseKeys(db, { leases: [lease(key, 'a')], ...terms(0) })
    await db.transaction(async (tx) => {
      await tx.query({ name: `test_in_hand_${key}`, text })
      // The lock is released after the leases, so waiting for it would end in an error.
      const found = await leaseKeys(db, { leases: [lease(key, 'b'), lease(`${key} other`, 'c')], ...terms(1) })
      assert.ok(found[0] !== 'taken' && found[0] !== null, key)
      assert.equal(found[1], 'taken', key)
    })
  }
})

test('only the owner of the lease frees a key', async () => {
  await leaseKeys(db, { leases: [lease('k5', 'a')], ...terms(0) })
  await releaseKey(db, realm, { key: 'k5', fence: 'b' })
  assert.notEqual((await leaseKeys(db, { leases: [lease('k5', 'c')], ...terms(1) }))[0], 'taken')
  await releaseKey(db, realm, { key: 'k5', fence: 'a' })
  assert.equal((await leaseKeys(db, { leases: [lease('k5', 'd')], ...terms(1) }))[0], 'taken')
})

test('only the commit of a lease does not wait for the disk', async (t) => {
  const single = await testDatabase({ after: (work) => t.after(work) }, { poolMax: 1 })
  const setting = { name: 'test_setting', text: `select current_setting('synchronous_commit') as value` }
  const read = async () => (await single.db.query<{ value: string }>(setting))[0]?.value
  const before = await read()
  assert.deepEqual(await leaseKeys(single.db, { leases: [lease('k6', 'a')], ...terms(0) }), ['taken'])
  assert.equal(before, 'on')
  assert.equal(await read(), before)
})

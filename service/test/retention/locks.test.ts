// Tests that a statement for one verification locks only partitions of its own day: the number of locks is limited.

import assert from 'node:assert/strict'
import test from 'node:test'
import { takeCode } from '../../src/core/transactions/store/codes.ts'
import { loadSealedTransaction } from '../../src/core/transactions/store/sealed.ts'
import { holdVerification } from '../../src/core/verifications/store/browser-holds.ts'
import { cancelPending } from '../../src/core/verifications/store/cancellation.ts'
import { forgetContent as forgetResult } from '../../src/core/verifications/store/forgetting.ts'
import { redeemCode } from '../../src/core/verifications/store/response-codes.ts'
import { loadSensitiveFields } from '../../src/core/verifications/store/sensitive-fields.ts'
import { keepServedRequest } from '../../src/core/verifications/store/served-requests.ts'
import { loadVerification, loadVersions } from '../../src/core/verifications/store/verifications.ts'
import { loadSentRequests } from '../../src/core/verifications/store/wallet-verifications.ts'
import { eraseVerification } from '../../src/core/verifications/usecases/forgetting/erase-verification.ts'
import { forgetContent } from '../../src/core/verifications/usecases/forgetting/forget-content.ts'
import type { Deps } from '../../src/deps.ts'
import { takeBundle } from '../../src/features/evidence/store/bundles.ts'
import { findCorrelated, insertCorrelation } from '../../src/features/oidc/store/correlations.ts'
import { makeDay } from '../../src/features/retention/store/day-partitions.ts'
import { insertStepDelivery } from '../../src/features/webhooks/store/deliveries.ts'
import { DAY_MS, dayAt } from '../../src/platform/postgres/days.ts'
import type { Transaction, Tx } from '../../src/platform/postgres/db.ts'
import { instantOf } from '../../src/platform/world.ts'
import { testService } from '../harness/service.ts'
import { decline } from '../harness/webhooks.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const { clock, deps } = service
const { db } = deps
const realm = { tenantId: await service.tenant(), environment: 'test' } as const
const key = await service.key(realm.tenantId)
const today = dayAt(clock.now())
for (let day = today - 45; day <= today + 14; day += 1) await db.transaction((tx) => makeDay(tx, day))
/** More often than PostgreSQL plans a statement before it keeps a plan. */
const ROUNDS = 8
const answered: string[] = []
for (let round = 0; round < 2 * ROUNDS; round += 1) {
  const { id } = await create(service, key)
  await decline(service, id)
  answered.push(id)
}
const old = (await create(service, key)).id
// Only the newest two days have prepared statements of their own.
clock.set((today + 3) * DAY_MS + 3_600_000)
const now = instantOf(clock.now())
const newest = (await create(service, key)).id

async function locksIn(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>({
    name: 'test_locks',
    text: 'select count(*)::int as count from pg_locks where pid = pg_backend_pid()',
  })
  return row?.count ?? Number.NaN
}

const STATEMENTS: Readonly<Record<string, (tx: Transaction, id: string) => Promise<unknown>>> = {
  cancel: (tx, id) => cancelPending(tx, realm, { id, deviceId: null, at: now }),
  redeem: (tx, id) => redeemCode(tx, realm, { id, codeHash: Buffer.alloc(32), deviceId: null, now }),
  hold: (tx, id) => holdVerification(tx, realm, { id, browserHash: Buffer.alloc(32), now }),
  'forget the result': (tx, id) => forgetResult(tx, realm, { id, at: now, left: null }),
  'keep the request': (tx, id) => keepServedRequest(tx, { ...realm, id }, 'e', instantOf(service.clock.now())),
  'load what was sent': (tx, id) => loadSentRequests(tx, realm, id),
  'load the transaction': (tx, id) => loadSealedTransaction(tx, realm, id),
  'load sensitive fields': (tx, id) => loadSensitiveFields(tx, realm, [id]),
  'load it': (tx, id) => loadVerification(tx, realm, { id, deviceId: null }),
  'take its evidence': (tx, id) => takeBundle(tx, realm, { id, now }),
  'take a code': (tx, id) => takeCode(tx, realm, { digest: Buffer.alloc(32, 1), verificationId: id, now }),
  'correlate it': (tx, id) => insertCorrelation(tx, realm, { correlation: Buffer.alloc(32, 1), verificationId: id }),
  'find it by correlation': (tx, id) => findCorrelated(tx, realm, { correlation: Buffer.alloc(32, 2), id }),
  'report a step': (tx, id) =>
    insertStepDelivery(tx, realm, { id, verificationId: id, type: 'authorization_request_retrieved', createdAt: now }),
}

for (const [what, run] of Object.entries(STATEMENTS))
  test(`${what}: the statement takes few locks, however often it ran`, async () => {
    for (const id of [old, newest])
      for (let round = 0; round < ROUNDS; round += 1) {
        const undone = new Error('undone')
        let lockCount = Number.NaN
        const work = async (tx: Transaction) => {
          await run(tx, id)
          lockCount = await locksIn(tx)
          throw undone
        }
        await assert.rejects(db.transaction(work), (error) => error === undone)
        assert.ok(lockCount < 60, `${lockCount} locks in round ${round}`)
      }
  })

test('on one connection a statement may read one day and then several', async () => {
  const read = await db.transaction(async (tx) => {
    const one = await loadVersions(tx, realm, { ids: [old], deviceId: null })
    return [...one, ...(await loadVersions(tx, realm, { ids: [old, newest], deviceId: null }))]
  })
  assert.deepEqual(new Set(read.map(({ id }) => id)), new Set([old, newest]))
})

const WHOLE: Readonly<Record<string, (watched: Deps, id: string) => Promise<unknown>>> = {
  'forget content': (watched, id) => forgetContent(watched, { realm, id, actor: { type: 'system', id: 'test' } }),
  erase: (watched, id) => eraseVerification(watched, { realm, id, actor: { type: 'system', id: 'test' } }),
}

for (const [what, run] of Object.entries(WHOLE))
  test(`${what}: the whole transaction takes few locks`, async () => {
    let lockCount = Number.NaN
    const transaction = <T>(work: (tx: Transaction) => Promise<T>) =>
      db.transaction(async (tx) => {
        const done = await work(tx)
        lockCount = await locksIn(tx)
        return done
      })
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = answered.pop()
      assert.ok(id !== undefined)
      await run({ ...deps, db: { ...db, transaction } }, id)
      assert.ok(lockCount < 200, `${lockCount} locks in round ${round}`)
    }
  })

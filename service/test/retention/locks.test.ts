// With a partition for each of many days, an erasure locks those of its own day: the store has room for a limited number of locks.

import assert from 'node:assert/strict'
import test from 'node:test'
import { eraseLocked, lockForErasure } from '../../src/core/verifications/store/erasure.ts'
import { eraseDetails } from '../../src/features/audit/store/trail.ts'
import { makeDay } from '../../src/features/retention/store/day-partitions.ts'
import { dayAt } from '../../src/platform/postgres/days.ts'
import { testService } from '../harness/service.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const { db } = service.deps

test('an erasure holds few locks, however often its statements ran', async () => {
  const today = dayAt(service.clock.now())
  for (let day = today - 45; day <= today + 14; day += 1) await db.transaction((tx) => makeDay(tx, day))
  const realm = { tenantId: await service.tenant(), environment: 'test' } as const
  const key = await service.key(realm.tenantId)
  for (let round = 0; round < 8; round += 1) {
    const { id } = await create(service, key)
    const held = await db.transaction(async (tx) => {
      const locked = await lockForErasure(tx, realm, id)
      assert.ok(locked !== null)
      await eraseDetails(tx, realm, [id])
      assert.equal((await eraseLocked(tx, realm, [locked])).verification_sessions, 1)
      const [row] = await tx.query<{ count: number }>({
        name: 'test_locks',
        text: 'select count(*)::int as count from pg_locks where pid = pg_backend_pid()',
      })
      return row?.count ?? Number.NaN
    })
    assert.ok(held < 150, `${held} locks in round ${round}`)
  }
})

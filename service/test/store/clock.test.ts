// Tests that each process follows the database's clock.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { followDatabaseClock } from '../../src/platform/postgres/clock.ts'
import type { Queries } from '../../src/platform/postgres/db.ts'
import { testDatabase } from '../harness/servers/database.ts'
import { waitUntil, within } from '../harness/wait.ts'

const { db } = await testDatabase()
const DAY_MS = 86_400_000

/** Simulates a machine whose clock differs from the database's by this much. */
function seenWithClockOff(byMs: () => number): Queries {
  return {
    async query<R extends object>(statement: { name: string; text: string }) {
      const rows = await db.query<{ ms: number }>(statement)
      return rows.map(({ ms }) => ({ ms: ms + byMs() })) as unknown as R[]
    },
  }
}

it('follows the database, not the machine', async () => {
  const clock = await followDatabaseClock(seenWithClockOff(() => DAY_MS))
  assert.ok(Math.abs(clock.now() - (Date.now() + DAY_MS)) < DAY_MS / 2)
  assert.ok(Math.abs(clock.offsetMs() - DAY_MS) < 1_000)
  clock.stop()
})

it('measures within its stated accuracy if both clocks agree', async () => {
  const clock = await followDatabaseClock(db)
  // Date.now counts whole milliseconds.
  assert.ok(Math.abs(clock.offsetMs()) <= clock.roundTripMs() + 2)
  const before = clock.now()
  assert.ok(clock.now() >= before)
  clock.stop()
})

it('measures again, reports a jump, and keeps its time while the database does not answer', async () => {
  let offset = 0
  let failing = false
  const tx = seenWithClockOff(() => {
    if (failing) throw new Error('away')
    return offset
  })
  const jumped = Promise.withResolvers<string>()
  const failed = Promise.withResolvers<string>()
  const report = (event: string) => (event.includes('jumped') ? jumped : failed).resolve(event)
  const clock = await followDatabaseClock(tx, { intervalMs: 5, report })
  offset = DAY_MS
  await waitUntil('the clock follows', () => clock.offsetMs() >= DAY_MS / 2)
  assert.match(
    await within('the jump is reported', jumped.promise),
    /by 86\d{6} ms, and ours with it: run a time service/,
  )
  failing = true
  assert.match(await within('the failure is reported', failed.promise), /could not be read/)
  assert.ok(Math.abs(clock.now() - (Date.now() + DAY_MS)) < DAY_MS / 2)
  clock.stop()
})

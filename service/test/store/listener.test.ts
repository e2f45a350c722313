// Tests that notifications arrive after their commit.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openDb } from '../../src/platform/postgres/db.ts'
import { testDatabase } from '../harness/servers/database.ts'
import { testSealer } from '../harness/servers/master-key.ts'
import { waitUntil } from '../harness/wait.ts'

const { db, connection } = await testDatabase()

const NOTIFY = { name: 'notify', text: 'select pg_notify($1, $2)' }

/** Collects values and lets a test wait for the next one. */
function inbox<T>() {
  const values: T[] = []
  return {
    values,
    put(value: T) {
      values.push(value)
    },
    async until(length: number): Promise<T[]> {
      await waitUntil(`${length} messages are there`, () => values.length >= length)
      return values
    },
  }
}

it('receives each message of its channel, odd names included, until it stops', async () => {
  const channel = 'Keys "changed"'
  const first = inbox<string>()
  const second = inbox<string>()
  const stopFirst = await db.listen(channel, first.put)
  const stopSecond = await db.listen(channel, second.put)
  await db.query(NOTIFY, ['other', 'not for us'])
  await db.query(NOTIFY, [channel, 'one'])
  assert.deepEqual(await first.until(1), ['one'])
  assert.deepEqual(await second.until(1), ['one'])
  await stopFirst()
  await db.query(NOTIFY, [channel, 'two'])
  assert.deepEqual(await second.until(2), ['one', 'two'])
  assert.deepEqual(first.values, ['one'])
  await stopSecond()
})

it('receives a notification only when its transaction commits', async () => {
  const heard = inbox<string>()
  const stop = await db.listen('committed', heard.put)
  const failed = db.transaction(async (tx) => {
    await tx.query(NOTIFY, ['committed', 'rolled back'])
    throw new Error('no')
  })
  await assert.rejects(failed, /no/)
  await db.transaction((tx) => tx.query(NOTIFY, ['committed', 'done']))
  assert.deepEqual(await heard.until(1), ['done'])
  await stop()
})

it('reconnects after its connection was lost, and reports the gap, before and after', async (t) => {
  const own = await openDb({ connection, sealer: testSealer(), poolMax: 1, applicationName: 'gap test' })
  t.after(() => own.close())
  const heard = inbox<string>()
  const gaps = inbox<string>()
  await own.listen('gap', heard.put, () => gaps.put('gap'))
  await own.query(NOTIFY, ['gap', 'before'])
  await heard.until(1)
  const cut = {
    name: 'cut_listener',
    text: `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gap test' and query like 'listen%'`,
  }
  assert.equal((await db.query(cut)).length, 1)
  await gaps.until(2)
  await own.query(NOTIFY, ['gap', 'after'])
  assert.deepEqual(await heard.until(2), ['before', 'after'])
  assert.deepEqual(gaps.values, ['gap', 'gap'])
})

it('a listener that throws is reported and does not affect others', async (t) => {
  const reports: string[] = []
  const own = await openDb({ connection, sealer: testSealer(), poolMax: 1, report: (event) => reports.push(event) })
  t.after(() => own.close())
  const heard = inbox<string>()
  await own.listen('throwing', () => {
    throw new Error('oops')
  })
  await own.listen('throwing', heard.put)
  await own.query(NOTIFY, ['throwing', 'message'])
  assert.deepEqual(await heard.until(1), ['message'])
  assert.deepEqual(reports, ['a listener failed'])
})

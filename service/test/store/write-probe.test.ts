// Tests the shared proof that the store takes writes and has space: invalid if old, missing or in the future.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openDb } from '../../src/platform/postgres/db.ts'
import { requireRoom, requireRoomForWrites } from '../../src/platform/postgres/writes.ts'
import { testDatabase } from '../harness/servers/database.ts'
import { testSealer } from '../harness/servers/master-key.ts'

const { db, connection } = await testDatabase()

const writtenAt = async () => {
  const text = 'select written_at as "at" from write_probe'
  return (await db.query<{ at: string }>({ name: 'test_written_at', text }))[0]?.at
}
const set = (name: string, text: string) => db.query({ name: `test_${name}`, text })

it('a fresh proof serves every process, and is not repeated', async () => {
  await requireRoomForWrites(db)
  const first = await writtenAt()
  const other = await openDb({ connection, sealer: testSealer(), poolMax: 2, applicationName: 'vidimus test ~9999' })
  try {
    await Promise.all([requireRoomForWrites(other), requireRoomForWrites(other), requireRoomForWrites(db)])
  } finally {
    await other.close()
  }
  assert.equal(await writtenAt(), first)
})

it('of many processes that find an old proof, one writes a new one', async () => {
  await set('old', `update write_probe set written_at = clock_timestamp() - interval '11 seconds'`)
  await set('seen', 'create table proofs_seen (at timestamptz)')
  await set(
    'note',
    `create function note_proof() returns trigger language plpgsql as
     $$ begin insert into proofs_seen values (new.written_at); return new; end $$`,
  )
  await set('trigger', 'create trigger noted before update on write_probe for each row execute function note_proof()')
  await Promise.all(Array.from({ length: 5 }, () => requireRoomForWrites(db)))
  assert.deepEqual(await set('count', 'select count(*)::int as many from proofs_seen'), [{ many: 1 }])
})

it('a missing proof, or one in the future, proves nothing', async () => {
  await set('ahead', `update write_probe set written_at = clock_timestamp() + interval '1 day'`)
  await requireRoomForWrites(db)
  assert.ok(Date.parse(String(await writtenAt())) < Date.now() + 60_000)
  await set('gone', 'delete from write_probe')
  await requireRoomForWrites(db)
  assert.ok((await writtenAt()) !== undefined)
})

it('the probe leaves no setting', async () => {
  const before = await settings()
  await requireRoom(db)
  assert.equal(await settings(), before)
})

const settings = async () => {
  const text = `select current_setting('work_mem') || current_setting('temp_tablespaces') as "set"`
  return (await db.query<{ set: string }>({ name: 'test_settings', text }))[0]?.set
}

// Tests that schema.sql is the result of the migrations.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it } from 'node:test'
import { SCHEMA_FILE, SCHEMA_HEADER } from '../../../tools/dump-schema.ts'
import { describeSchema } from '../../../tools/schema/describe-schema.ts'
import { testDatabase } from '../harness/servers/database.ts'

const { db } = await testDatabase()

it('schema.sql is the result of the migrations (otherwise: node tools/dump-schema.ts)', async () => {
  assert.equal(await readFile(SCHEMA_FILE, 'utf8'), SCHEMA_HEADER + (await describeSchema(db)))
})

it('the description shows every kind of change', async () => {
  const before = await describeSchema(db)
  for (const [index, text] of CHANGES.entries()) {
    await db
      .transaction(async (tx) => {
        await tx.query({ name: `change_${index}`, text })
        assert.notEqual(await describeSchema(tx), before, text)
        throw ROLL_BACK
      })
      .catch(isRollBack)
  }
  assert.equal(await describeSchema(db), before)
})

const ROLL_BACK = new Error('roll back')

function isRollBack(error: unknown): void {
  if (error !== ROLL_BACK) throw error
}

const CHANGES = [
  'create table added (id int)',
  'create unlogged table added (id int)',
  'alter table schema_migrations add column added int',
  'alter table schema_migrations alter column name drop not null',
  `alter table schema_migrations alter column name set default 'x'`,
  'alter table schema_migrations alter column number type bigint',
  'alter table schema_migrations add constraint added check (number > -1)',
  'alter table schema_migrations add constraint added unique (name)',
  'alter table schema_migrations drop constraint schema_migrations_pkey',
  'alter table schema_migrations add column added int generated always as identity',
  'alter table schema_migrations alter column name set statistics 0',
  'alter table schema_migrations enable row level security',
  'alter table schema_migrations set (fillfactor = 50)',
  'create index added on schema_migrations (name)',
  `create index added on schema_migrations (name) where name <> ''`,
  'create view added as select 1 as one',
  `create function added() returns int language sql as 'select 1'`,
  'create sequence added',
  `create type added as enum ('a')`,
  `create policy added on schema_migrations using (true)`,
  `comment on table schema_migrations is 'added'`,
]

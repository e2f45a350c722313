// Tests that every table with rows of a tenant moves, or has a reason not to.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { MOVED_TABLES, NOT_MOVED } from '../../src/features/operator/domain/moved-tables.ts'
import { testDatabase } from '../harness/servers/database.ts'

const { db } = await testDatabase()

it('every table with a tenant is in one of the lists, and only in one', async () => {
  const rows = await db.query<{ table: string }>({
    name: 'test_tenant_tables',
    text: `select table_name::text as table from information_schema.columns
           where table_schema = current_schema() and column_name = 'tenant_id'
             and not (select relispartition from pg_class where oid = table_name::regclass) order by 1`,
  })
  const listed = [...MOVED_TABLES.map(({ table }) => table), ...Object.keys(NOT_MOVED)]
  assert.deepEqual(
    listed.toSorted(),
    rows.map(({ table }) => table),
  )
})

it('a table whose rows belong to rows of a moved table moves, or has a reason not to', async () => {
  const rows = await db.query<{ child: string; parent: string }>({
    name: 'test_children',
    text: `select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint where contype = 'f'`,
  })
  const moved = new Set(MOVED_TABLES.map(({ table }) => table))
  const known = new Set([...moved, ...Object.keys(NOT_MOVED)])
  assert.deepEqual(
    rows.filter(({ child, parent }) => moved.has(parent) && !known.has(child)),
    [],
  )
})

it('the keys in the lists are primary keys, or unique', async () => {
  const rows = await db.query<{ table: string; keys: string[] }>({
    name: 'test_unique_keys',
    text: `select i.indrelid::regclass::text as table, array_agg(
             (select string_agg(a.attname, ',' order by a.attname) from pg_attribute a
              where a.attrelid = i.indrelid and a.attnum = any (i.indkey::int2[]))) as keys
           from pg_index i where i.indisunique and i.indpred is null group by 1`,
  })
  const keysOf = new Map(rows.map(({ table, keys }) => [table, keys]))
  for (const { table, partition, key } of MOVED_TABLES.filter((one) => one.key.length > 0))
    assert.ok(keysOf.get(partition ?? table)?.includes([...key].sort().join(',')), `${table} has no such key`)
})

it('a table comes after the tables that its foreign keys name', async () => {
  const rows = await db.query<{ child: string; parent: string }>({
    name: 'test_foreign_keys',
    text: `select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint where contype = 'f'`,
  })
  const order = new Map(MOVED_TABLES.map(({ table }, at) => [table, at]))
  for (const { child, parent } of rows) {
    const [at, after] = [order.get(child), order.get(parent)]
    assert.ok(at === undefined || after === undefined || after <= at, `${child} comes before ${parent}`)
  }
})

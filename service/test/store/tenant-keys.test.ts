// Tests that keys of tables with a tenant begin with the tenant, so that the tables can be split by it.

import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import type { Queries } from '../../src/platform/postgres/db.ts'
import { MIGRATIONS_DIRECTORY, migrate } from '../../src/platform/postgres/migrate.ts'
import { testDatabase } from '../harness/servers/database.ts'

const { db } = await testDatabase()

const OPERATOR = 'rows of the operator have no tenant: the table is small, and every shard has all of it'
const RELEASE_BEFORE = 'the release before infers it in an `on conflict`: drop it in the next release'
const FLOWS = 'a table of every flow, whose statements look rows up by the id alone'

const UNIQUE: Readonly<Record<string, string>> = {
  access_keys_pkey: OPERATOR,
  anchors_pkey: OPERATOR,
  mails_pkey: OPERATOR,
  trust_lists_pkey: OPERATOR,
  listed_keys_pkey: OPERATOR,
  access_keys_current: 'begins with the tenant, which is empty for the operator',
  api_key_days_of_release_before: RELEASE_BEFORE,
  devices_pairing_code_hash_key: RELEASE_BEFORE,
  receipts_pkey: FLOWS,
  verification_results_pkey: FLOWS,
  verification_results_unplanned_pkey: FLOWS,
  verifications_pkey: FLOWS,
  verifications_unplanned_pkey: FLOWS,
  webhook_answers_pkey: FLOWS,
  webhook_attempts_pkey: FLOWS,
  webhook_deliveries_pkey: FLOWS,
  webhook_deliveries_told_once: FLOWS,
}

const REFERENCES: Readonly<Record<string, string>> = {
  anchors_list_id_fkey: OPERATOR,
  listed_keys_list_id_fkey: OPERATOR,
  webhook_answers_delivery_id_fkey: FLOWS,
}

const TENANT_TABLES = `select a.attrelid from pg_attribute a join pg_class c on c.oid = a.attrelid
  where a.attname = 'tenant_id' and c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace`

async function namesOf(name: string, text: string): Promise<string[]> {
  return (await db.query<{ name: string }>({ name: `test_${name}`, text })).map((row) => row.name)
}

it('every primary key and unique index of a tenant table begins with the tenant, or has a reason', async () => {
  const found = await namesOf(
    'unique_indexes',
    `select i.indexrelid::regclass::text as name from pg_index i
     where i.indisunique and i.indrelid in (${TENANT_TABLES})
       and not exists (select from pg_attribute a
         where a.attrelid = i.indrelid and a.attnum = i.indkey[0] and a.attname = 'tenant_id')
     order by 1`,
  )
  assert.deepEqual(found, Object.keys(UNIQUE).sort())
})

it('every foreign key between tenant tables has both tenants, or a reason', async () => {
  const found = await namesOf(
    'references',
    `select k.conname::text as name from pg_constraint k
     where k.contype = 'f' and k.conrelid in (${TENANT_TABLES}) and k.confrelid in (${TENANT_TABLES})
       and not exists (select from pg_attribute a, pg_attribute b
         where a.attrelid = k.conrelid and a.attnum = k.conkey[1] and a.attname = 'tenant_id'
           and b.attrelid = k.confrelid and b.attnum = k.confkey[1] and b.attname = 'tenant_id')
     order by 1`,
  )
  assert.deepEqual(found, Object.keys(REFERENCES).sort())
  const unchecked = `select conname::text as name from pg_constraint where contype = 'f' and not convalidated`
  assert.deepEqual(await namesOf('unchecked_references', unchecked), [])
})

const KEYS = `select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) as name from pg_constraint
  where contype in ('p', 'u', 'f') and connamespace = current_schema()::regnamespace
  union all select pg_get_indexdef(indexrelid) || indisvalid from pg_index where indrelid in (${TENANT_TABLES}) order by 1`

const keysOf = (of: Queries) => of.query<{ name: string }>({ name: 'test_keys', text: KEYS })

it('a migration that ended after its last step has the same keys when it runs again', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'vidimus-migrations-'))
  t.after(() => rm(directory, { recursive: true }))
  await cp(MIGRATIONS_DIRECTORY, directory, { recursive: true })
  const file = join(directory, '0073_tenant_in_every_key.sql')
  const whole = await readFile(file, 'utf8')
  const failing = whole.replace(/^-- then, in one transaction:$/m, '$&\nselect 1/0;')
  assert.notEqual(failing, whole)
  await writeFile(file, failing)
  const fresh = await testDatabase(t, { migrated: false })
  const run = () => migrate({ connection: fresh.connection, directory })
  await assert.rejects(run(), /migration 0073_tenant_in_every_key failed \(22012\)/)
  await assert.rejects(run(), /22012/)
  await writeFile(file, whole)
  await run()
  assert.deepEqual(await keysOf(fresh.db), await keysOf(db))
})

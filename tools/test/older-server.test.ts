// Tests that a statement fails the run if the older PostgreSQL cannot plan it or no test sent it.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { testDatabase } from '../../service/test/harness/servers/database.ts'
import { notedStatements, noteEach, unplannable } from '../../service/test/harness/servers/statements.ts'
import { findPostgres } from '../setup/programs.mjs'
import { testFiles, usesDatabase } from '../suite/choose-files.ts'
import {
  blocksNotRun,
  fragmentsOf,
  notSent,
  runsOnOlder,
  statementProblems,
  statementsOf,
} from '../suite/older-server.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const all = testFiles(ROOT)

it('tests of server behaviour and few others run on both servers; --thorough adds more', () => {
  const older = all.filter((file) => runsOnOlder(ROOT, file, false))
  const store = all.filter((file) => file.startsWith('service/test/store/') && usesDatabase(ROOT, file))
  assert.ok(store.length > 5)
  assert.deepEqual(
    store.filter((file) => !older.includes(file)),
    [],
  )
  assert.ok(older.length < 35 && older.every((file) => usesDatabase(ROOT, file)), older.join())
  const thorough = all.filter((file) => runsOnOlder(ROOT, file, true))
  for (const folder of ['http', 'spec', 'usecases'])
    assert.ok(thorough.filter((file) => file.startsWith(`service/test/${folder}/`)).length > 10, folder)
  assert.deepEqual(
    older.filter((file) => !thorough.includes(file)),
    [],
  )
})

it('finds the statements of the source in every form', () => {
  const names = statementsOf(ROOT)
  assert.ok(names.length > 350, `${names.length} statements`)
  for (const name of ['load_passkey', 'write_audit_head_mac', 'write_creation', 'lock_tenant_name', 'mark_set_back'])
    assert.ok(names.includes(name), name)
  for (const name of ['append_audit', 'write_receipts', 'enqueue_deliveries'])
    assert.ok(fragmentsOf(ROOT).includes(name), `${name} ${fragmentsOf(ROOT)}`)
  // Columns, rates and metrics have names too.
  assert.deepEqual(
    names.filter((name) => ['tenant_id', 'created_at', 'mac', 'key', 'ip', 'vidimus_build_info'].includes(name)),
    [],
  )
})

it('reports a statement that no test sent; if its name has a variable part, one name is enough', () => {
  const open =
    statementsOf(ROOT).find((name) => /^mark_destination_\$/.test(name)) ?? assert.fail('no name has a variable part')
  const names = ['load_passkey', open, 'write_audit_head_mac']
  const noted = ['load_passkey', 'mark_destination_due', 'write_audit_head_mac'].map((name) => ({ name }))
  assert.deepEqual(notSent(names, noted), [])
  assert.deepEqual(notSent(names, noted.slice(2)), ['no test sent load_passkey', `no test sent ${open}`])
})

it('records accepted statements with their text, however they are sent, and no statement that the server refused', async (t) => {
  const { db } = await testDatabase(t)
  const noted: string[] = []
  noteEach(db, ({ name, text }) => void noted.push(`${name}: ${text}`))
  const statement = (name: string) => ({ name, text: `select '${name}'` })
  await db.query(statement('alone'))
  await db.probe.query(statement('aside'))
  await db.transaction(async (tx) => {
    await tx.query(statement('in_one'))
    await tx.finish(statement('last'))
  })
  await assert.rejects(db.query({ name: 'broken', text: 'select from nowhere' }))
  assert.deepEqual(noted, [
    ...["alone: select 'alone'", "aside: select 'aside'"],
    ...["in_one: select 'in_one'", "last: select 'last'"],
  ])
})

it('plans a statement without values and without running it, and reports what the server does not know', async (t) => {
  const { url } = await testDatabase(t)
  const statements = [
    { name: 'good', text: 'select id from tenants where id = $1 or name = any($2)' },
    { name: 'writes', text: 'delete from tenants where id = $1' },
    { name: 'no_values', text: 'select count(*) from tenants' },
    { name: 'bad_column', text: 'select nothing_like_it from tenants' },
    { name: 'bad_function', text: 'select not_yet_known(id) from tenants where id = $1' },
  ]
  assert.deepEqual(await unplannable(url, statements), [
    'bad_column: column "nothing_like_it" does not exist',
    'bad_function: function not_yet_known(text) does not exist',
  ])
})

it('plans a statement that is recorded twice only once', () => {
  const one = { name: 'a', text: 'select 1', postgres: null }
  assert.deepEqual(notedStatements(`${JSON.stringify(one)}\n${JSON.stringify(one)}\n`), [one])
})

it('requires that a block, which has no plan, ran on the older server', () => {
  const block = { name: 'probe', text: 'do $$ begin end $$', postgres: null }
  const query = { name: 'load', text: 'select 1', postgres: null }
  assert.deepEqual(blocksNotRun([block, query], '15'), ['no test ran probe on PostgreSQL 15'])
  assert.deepEqual(blocksNotRun([block, query, { ...block, postgres: '15' }], '15'), [])
})

it("syntax of the newer server is a problem on the older one; tests' own statements are ignored", async (t) => {
  const postgres = findPostgres() ?? assert.fail('no PostgreSQL is installed')
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-older-'))
  t.after(() => rm(folder, { recursive: true }))
  const notedIn = join(folder, 'noted')
  const noted = [
    { name: 'load_passkey', text: 'select uuidv7()' },
    { name: 'write_audit_head_mac', text: 'do $$ begin end $$' },
    { name: 'read_own_table', text: 'select from a_table_of_the_test' },
  ]
  await writeFile(notedIn, noted.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const refused = Number(postgres) < 18 ? ['load_passkey: function uuidv7() does not exist'] : []
  assert.deepEqual(await statementProblems(ROOT, { notedIn, postgres, complete: false }), refused)
  const complete = await statementProblems(ROOT, { notedIn, postgres, complete: true })
  assert.equal(complete.length, refused.length + statementsOf(ROOT).length - 2 + 1)
  assert.equal(complete.at(-1), `no test ran write_audit_head_mac on PostgreSQL ${postgres}`)
})

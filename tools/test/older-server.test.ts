// What runs on the older PostgreSQL, and that a statement which did not is told.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { testFiles, usesDatabase } from '../suite/choose-files.ts'
import { runsOnOlder, statementsNotRun, statementsOf } from '../suite/older-server.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const all = testFiles(ROOT)

it('what is about the server runs on both, of the rest few files, and more of them where time does not matter', () => {
  const older = all.filter((file) => runsOnOlder(ROOT, file, false))
  const store = all.filter((file) => file.startsWith('service/test/store/') && usesDatabase(ROOT, file))
  assert.ok(store.length > 5)
  assert.deepEqual(
    store.filter((file) => !older.includes(file)),
    [],
  )
  assert.ok(older.length < 70 && older.every((file) => usesDatabase(ROOT, file)), older.join())
  const thorough = all.filter((file) => runsOnOlder(ROOT, file, true))
  for (const folder of ['http', 'spec', 'usecases'])
    assert.ok(thorough.filter((file) => file.startsWith(`service/test/${folder}/`)).length > 10, folder)
  assert.deepEqual(
    older.filter((file) => !thorough.includes(file)),
    [],
  )
})

it('the statements are those of the source, whichever way they are written', () => {
  const names = statementsOf(ROOT)
  assert.ok(names.length > 350, `${names.length} statements`)
  for (const name of ['load_passkey', 'append_audit', 'write_creation', 'lock_tenant_name'])
    assert.ok(names.includes(name), name)
  // Columns have names too.
  assert.deepEqual(
    names.filter((name) => ['tenant_id', 'created_at', 'mac'].includes(name)),
    [],
  )
})

it('one that no file ran is a failure, and of one with an open name it is enough that it ran once', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-older-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'names')
  const closed = (name: string) => name.replace(/\$\{[^}]*\}/g, 'any')
  const note = (names: readonly string[]) =>
    writeFile(path, names.map((name) => `a.test.ts\t${closed(name)}\n`).join(''))
  const names = statementsOf(ROOT)
  await note(names)
  assert.deepEqual(await statementsNotRun(ROOT, path), [])
  const open = names.find((name) => name.includes('$')) ?? assert.fail('none is open')
  await note(names.filter((name) => name !== 'load_passkey' && name !== open))
  assert.deepEqual(
    (await statementsNotRun(ROOT, path)).map((told) => told.split(' there')[0]),
    names.filter((name) => name === 'load_passkey' || name === open).map((name) => `no test ran ${name}`),
  )
  await assert.rejects(statementsNotRun(ROOT, join(folder, 'nothing')), /ENOENT/)
})

// Tests that `npm test -- --changed` runs the tests that the changed files reach, or all if the reach is unknown.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { changedFiles, reverseGraph, testsOfChanges } from '../suite/changed.ts'
import { testFiles, usesDatabase } from '../suite/choose-files.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const all = testFiles(ROOT)
const graph = reverseGraph(ROOT, all)
const choose = (...changed: string[]) => testsOfChanges(ROOT, all, changed, graph)

it('changed code reaches tests through imports, our packages, and programs that tests start', () => {
  const { files } = choose('engine/src/json.ts')
  for (const file of [
    'engine/test/json.test.ts',
    'service/test/wallet/zk.test.ts',
    'service/test/spec/part-3-wallet.test.ts',
  ])
    assert.ok(files.includes(file), file)
  assert.deepEqual(choose('service/test/harness/children/log-child.ts').files, [
    'service/test/log/log.test.ts',
    'service/test/log/receipt-batches.test.ts',
  ])
  const started = choose('service/src/cli/program.ts').files
  for (const name of ['serve', 'npm-start', 'cli/commands', 'docs/quickstart', 'log/witness'])
    assert.ok(started.includes(`service/test/${name}.test.ts`), name)
  assert.ok(!started.includes('service/test/domain/password.test.ts'))
  assert.deepEqual(choose('engine/test/json.test.ts').files, ['engine/test/json.test.ts'])
})

it('a migration reaches every test with a database, a page reaches its browser tests, a guide reaches the tests that name it', () => {
  const { files } = choose('service/src/platform/postgres/migrations/0001_tenants.sql')
  // This file names the migration, too.
  assert.deepEqual(
    files,
    all.filter((file) => usesDatabase(ROOT, file) || file === 'tools/test/changed.test.ts'),
  )
  assert.ok(choose('till/src/main.tsx').files.includes('service/test/browser/till.test.ts'))
  assert.ok(choose('dashboard/src/main.tsx').files.includes('service/test/browser/dashboard/pages.test.ts'))
  assert.ok(choose('docs/webhooks.md').files.includes('service/test/webhooks/event-types.test.ts'))
  assert.ok(choose('sdk/go/webhook.go').files.includes('service/test/sdk/go.test.ts'))
  assert.deepEqual(choose('.editorconfig').files, [])
})

it('an unknown file, or a file that all tests depend on, runs everything; code that no test reaches is named', () => {
  for (const path of ['package-lock.json', 'some.bin', 'service/src/model.onnx'])
    assert.deepEqual(choose(path), { files: all, unknown: [path], unreached: [] })
  assert.deepEqual(choose('bench/src/none.ts'), { files: [], unknown: [], unreached: ['bench/src/none.ts'] })
})

it('changed files are those of commits since the branch left main, uncommitted and new files; without git the list is null', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-changed-'))
  t.after(() => rm(folder, { recursive: true }))
  assert.equal(changedFiles(folder), null)
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], { cwd: folder, env })
  const commit = async (file: string) => {
    await writeFile(join(folder, file), file)
    git('add', '.')
    git('commit', '-q', '-m', file)
  }
  git('init', '-q', '-b', 'main')
  await commit('base')
  git('checkout', '-q', '-b', 'work')
  await commit('committed')
  await writeFile(join(folder, 'base'), 'changed')
  await writeFile(join(folder, 'new'), '')
  await writeFile(join(folder, '.gitignore'), 'ignored\n')
  await writeFile(join(folder, 'ignored'), '')
  assert.deepEqual(changedFiles(folder), ['.gitignore', 'base', 'committed', 'new'])
})

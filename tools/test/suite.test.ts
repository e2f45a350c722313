// Tests that the end of the output says what failed, where and why, because often only the end of a long log is kept.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { it } from 'node:test'
import { tally } from '../suite/tally.ts'

const ROOT = dirname(dirname(import.meta.dirname))

const FILES = {
  'throws.test.ts': `import test from 'node:test'
    test('says why', () => { throw new Error('the till is open', { cause: new Error('the key is lost') }) })`,
  'dies.test.ts': `import test from 'node:test'
    test('takes the process along', () => process.kill(process.pid, 'SIGKILL'))`,
  'breaks.test.ts': `throw new Error('throws at import')`,
  'hangs.test.ts': `import test from 'node:test'
    test('never ends', { timeout: 10 }, () => new Promise((resolve) => setTimeout(resolve, 2000)))`,
  'leaves.test.ts': `import test, { after } from 'node:test'
    test('is fine', () => undefined)
    after(() => { throw new Error('left something behind') })`,
  'is-empty.test.ts': `export const nothing = true`,
  'skips.test.ts': `import test from 'node:test'
    test('is put off', { skip: 'until spring' }, () => undefined)`,
}

it('repeats every failure right before the count: thrown, timed out, crashed, in a hook, empty or skipped', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-suite-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const files = Object.keys(FILES).map((name) => relative(ROOT, join(folder, name)))
  const args = [join(ROOT, 'tools', 'test.mjs'), ...files]
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' })
  assert.equal(status, 1)
  const [, end = ''] = stdout.split(/^took .*\n/m)
  for (const expected of [
    /throws\.test\.ts:2 says why\n\s+Error: the till is open\n\s+at .*throws\.test\.ts:2:.*\n\s+caused by Error: the key is lost/,
    /dies\.test\.ts\n\s+its process ended with SIGKILL/,
    /breaks\.test\.ts\n\s+its process ended with code 1\n[\s\S]*Error: throws at import/,
    /hangs\.test\.ts:2 never ends\n\s+test timed out after 10ms/,
    /leaves\.test\.ts\n\s+Error: left something behind/,
    /is-empty\.test\.ts\n\s+holds no tests/,
    /skips\.test\.ts:2 is put off\n\s+skipped or unfinished: until spring/,
  ])
    assert.match(end, expected)
  assert.match(end, /\n1 passed, 7 failed\n$/)
})

it('reports many failures in a few lines each', () => {
  const printed: string[] = []
  const result = tally((line) => void printed.push(line))
  for (let i = 0; i < 30; i += 1) result.fail(`file.test.ts:${i} test`, Array(50).fill('x'.repeat(1000)).join('\n'))
  printed.splice(0)
  result.printBrief()
  assert.equal(printed.length, 30)
  for (const line of printed) assert.ok(line.split('\n').length === 5 && line.length < 1100)
})

it('a file that prints that its optional language is missing passes, and its line says so; other messages do not excuse it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-suite-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'go.test.ts'), `console.log('skipped: no Go on this machine')`)
  await writeFile(join(folder, 'here.test.ts'), `import test from 'node:test'\ntest('is fine', () => undefined)`)
  await writeFile(join(folder, 'time.test.ts'), `console.log('skipped: no time')`)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const files = ['go.test.ts', 'here.test.ts', 'time.test.ts'].map((name) => relative(ROOT, join(folder, name)))
  const options = { cwd: ROOT, env, encoding: 'utf8' } as const
  const { stdout } = spawnSync(process.execPath, [join(ROOT, 'tools', 'test.mjs'), ...files], options)
  assert.match(stdout, /^ok .*go\.test\.ts \(0 tests, no Go on this machine, /m)
  assert.match(stdout, /FAILED {2}.*time\.test\.ts\n\s+holds no tests/)
  assert.match(stdout, /\n1 passed, 1 failed\n$/)
})

it('only "--thorough" has the fuzzers create the promised number of mutants', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-suite-'))
  t.after(() => rm(folder, { recursive: true }))
  const text = (runs: string) => `import assert from 'node:assert/strict'
    import test from 'node:test'
    test('as many', () => assert.equal(process.env.VIDIMUS_FUZZ_RUNS, ${runs}))`
  const { NODE_TEST_CONTEXT: _, VIDIMUS_FUZZ_RUNS: __, ...env } = process.env
  for (const [args, runs] of [
    [['--thorough'], "'100000'"],
    [[], 'undefined'],
  ] as const) {
    await writeFile(join(folder, 'runs.test.ts'), text(runs))
    const command = [join(ROOT, 'tools', 'test.mjs'), ...args, relative(ROOT, join(folder, 'runs.test.ts'))]
    const { stdout } = spawnSync(process.execPath, command, { cwd: ROOT, env, encoding: 'utf8' })
    assert.match(stdout, /^1 passed, 0 failed$/m, stdout)
  }
})

it('files that use a database get the server that the runner keeps', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-suite-'))
  t.after(() => rm(folder, { recursive: true }))
  const harness = relative(folder, join(ROOT, 'service', 'test', 'harness', 'servers'))
  await writeFile(
    join(folder, 'handed.test.ts'),
    `import assert from 'node:assert/strict'
    import test from 'node:test'
    import { testCluster } from '${harness}/cluster.ts'
    import { testDatabase } from '${harness}/database.ts'
    test('is passed on', async (t) => {
      const handed = JSON.parse(process.env.VIDIMUS_TEST_CLUSTER)
      assert.equal((await testCluster()).home, handed.home)
      const { db } = await testDatabase(t)
      const leases = { name: 'leases', text: "select from pg_stat_activity where application_name = 'vidimus lease'" }
      const before = (await db.query(leases)).length
      const again = await testCluster()
      assert.deepEqual([again.adopted, (await db.query(leases)).length], [true, before])
      await again.stop()
    })`,
  )
  const { NODE_TEST_CONTEXT: _, VIDIMUS_TEST_CLUSTER: __, ...env } = process.env
  const command = [join(ROOT, 'tools', 'test.mjs'), relative(ROOT, join(folder, 'handed.test.ts'))]
  const { stdout } = spawnSync(process.execPath, command, { cwd: ROOT, env, encoding: 'utf8' })
  assert.match(stdout, /^1 passed, 0 failed$/m, stdout)
})

// Tests files that share a process: each is reported separately, and no failure of the process is lost.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { it, type TestContext } from 'node:test'
import { inGroups, inOrder, TOGETHER, testFiles } from '../suite/choose-files.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const all = testFiles(ROOT)

const FINE = `import test from 'node:test'
  test('is fine', () => undefined)`

/** Runs the files as one group; returns the output, and the failures that remain after all were run again alone. */
async function together(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-group-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const isTest = (name: string) => name.endsWith('.test.ts')
  const names = Object.keys(files)
    .filter(isTest)
    .map((name) => relative(ROOT, join(folder, name)))
  const script = `
    const { runFiles } = await import(${JSON.stringify(join(ROOT, 'tools/suite/test-files.ts'))})
    const { retryFailed } = await import(${JSON.stringify(join(ROOT, 'tools/suite/flaky.ts'))})
    const { tally } = await import(${JSON.stringify(join(ROOT, 'tools/suite/tally.ts'))})
    const jobs = ${JSON.stringify(names)}.map((file) => ({ file, label: '', env: process.env }))
    const result = tally()
    const failed = await runFiles(${JSON.stringify(ROOT)}, [jobs], result)
    await retryFailed(${JSON.stringify(ROOT)}, failed, result)
    result.printFailures()
    console.log(result.passed, 'passed,', result.failed, 'failed')`
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  await writeFile(join(folder, 'run.ts'), script)
  const { stdout, stderr } = spawnSync(process.execPath, ['run.ts'], { cwd: folder, env, encoding: 'utf8' })
  return (stdout + stderr).replaceAll(`${relative(ROOT, folder)}/`, '')
}

/** Asserts that the files were in one process. */
const SHARED = `import assert from 'node:assert/strict'
  import test from 'node:test'
  test('another was here before', () => assert.equal(process.env.VIDIMUS_TEST_LEFT, 'by another'))`
const LEAVES = `import test from 'node:test'
  process.env.VIDIMUS_TEST_LEFT = 'by another'
  test('leaves something', () => undefined)`

it('runs the files of a group in one process, and prints a line for each', async (t) => {
  const output = await together(t, { 'a.test.ts': LEAVES, 'b.test.ts': SHARED })
  assert.match(output, /^ok {6}a\.test\.ts \(1 tests, [\d.]+ s\)\nok {6}b\.test\.ts \(1 tests, /)
  assert.match(output, /\n2 passed, 0 failed\n$/)
})

it('runs a file that fails among others again alone, and reports it as flaky if it passes', async (t) => {
  const output = await together(t, {
    'a.test.ts': LEAVES,
    'b.test.ts': `import 'node:child_process'
      import test from 'node:test'
      test('wants to be alone', () => {
        if (process.env.VIDIMUS_TEST_LEFT !== undefined) throw new Error('not alone', { cause: new Error('others') })
      })
      test('is fine', () => undefined)`,
    'c.test.ts': FINE,
  })
  assert.match(output, /^failed {2}b\.test\.ts:3 wants to be alone\n/m)
  assert.match(output, /\nFLAKY {3}b\.test\.ts\n[\s\S]*Error: not alone\n[\s\S]*caused by Error: others/)
  assert.match(output, /\n4 passed, 0 failed\n$/)
})

for (const [what, text, failure] of [
  ['fails', `test('x', () => { throw new Error('broken') })`, /x\.test\.ts:2 x\n\s+Error: broken/],
  ['is skipped', `test('x', { skip: 'until spring' }, () => undefined)`, /skipped or unfinished: until spring/],
  ['fails in a hook', `test('x', () => undefined)\nafter(() => { throw new Error('left behind') })`, /left behind/],
  ['fails while it is loaded', `test('x', () => undefined)\nthrow new Error('fails on import')`, /fails on import/],
  ['takes the process along', `test('x', () => process.kill(process.pid, 'SIGKILL'))`, /ended with SIGKILL/],
  ['ends the process', `test('x', () => process.exit(0))`, /x\.test\.ts/],
  [
    'fails after its end',
    `test('x', () => void setTimeout(() => Promise.reject(new Error('late')), 50))`,
    /ended with code 1[\s\S]*generated asynchronous activity[\s\S]*late/,
  ],
  ['holds nothing', `export const nothing = 1`, /x\.test\.ts\n\s+holds no tests/],
] as const) {
  it(`reports a file that ${what} as the only failure`, async (t) => {
    const x = `import test, { after } from 'node:test'\n${text}`
    const output = await together(t, { 'a.test.ts': FINE, 'x.test.ts': x, 'z.test.ts': FINE })
    assert.match(output, failure)
    assert.match(output, /\n\d passed, 1 failed\n$/)
    for (const name of ['a', 'z']) assert.match(output, new RegExp(`^ok {6}${name}\\.test\\.ts \\(1 tests`, 'm'))
  })
}

it('counts a test that another file defines once, for the file that runs it', async (t) => {
  const helper = (body: string) => `import test from 'node:test'
    export const define = () => test('from elsewhere', () => { ${body} })`
  const x = `import { define } from './helper.ts'\ndefine()`
  const good = await together(t, { 'a.test.ts': FINE, 'helper.ts': helper(''), 'x.test.ts': x })
  assert.match(good, /\n2 passed, 0 failed\n$/)
  const bad = await together(t, { 'a.test.ts': FINE, 'helper.ts': helper(`throw new Error('no')`), 'x.test.ts': x })
  assert.match(bad, /from elsewhere\n\s+Error: no[\s\S]*\n1 passed, 1 failed\n$/)
  const skipping = `import test from 'node:test'
    export const define = () => test('from elsewhere', { skip: 'until spring' }, () => undefined)`
  const both = await together(t, { 'a.test.ts': FINE, 'helper.ts': skipping, 'x.test.ts': `${x}\n${FINE}` })
  assert.match(both, /skipped or unfinished: until spring[\s\S]*\n\d passed, 1 failed\n$/)
})

it('reports a file that fails at the end of the process, even if another file failed before', async (t) => {
  const output = await together(t, {
    'a.test.ts': LEAVES,
    'b.test.ts': `import 'node:child_process'
      import test from 'node:test'
      test('wants to be alone', () => {
        if (process.env.VIDIMUS_TEST_LEFT !== undefined) throw new Error('not alone')
      })`,
    'c.test.ts': `import test from 'node:test'
      test('x', () => void setTimeout(() => Promise.reject(new Error('late')), 50))`,
  })
  assert.match(output, /\nFLAKY {3}b\.test\.ts\n/)
  assert.match(output, /FAILED {2}c\.test\.ts/)
  assert.match(output, /\n3 passed, 1 failed\n$/)
})

it('runs each file alone if one lacks an optional program, so that the right line says so', async (t) => {
  const output = await together(t, {
    'a.test.ts': FINE,
    'b.test.ts': `console.log('skipped: no vectors here')\n${FINE}`,
  })
  assert.match(output, /^ok {6}a\.test\.ts \(1 tests, [\d.]+ s\)\nok {6}b\.test\.ts \(1 tests, no vectors here, /m)
  assert.match(output, /\n2 passed, 0 failed\n$/)
})

it('reports a failure if a process breaks, but no file of it fails alone', async (t) => {
  const output = await together(t, {
    'a.test.ts': LEAVES,
    'b.test.ts': `import test from 'node:test'
      test('x', () => { if (process.env.VIDIMUS_TEST_LEFT !== undefined) process.kill(process.pid, 'SIGKILL') })`,
  })
  assert.match(output, /FAILED {2}a\.test\.ts b\.test\.ts in one process\n[\s\S]*ended with SIGKILL/)
  assert.match(output, /\n2 passed, 1 failed\n$/)
})

it('runs files alone that are slow, start lasting servers or change their process, and lets browser files share processes', () => {
  const groups = inGroups(ROOT, inOrder(all, 7))
  assert.deepEqual(groups.flat().sort(), [...all].sort())
  const shared = groups.filter(({ length }) => length > 1)
  assert.ok(shared.flat().length > 300, `${shared.flat().length} files`)
  const isBrowser = (file: string) =>
    /\/browser\/|typescript\/test\/element\.|\/docs\/(?:(?:sign-in-)?shop|authjs-site)\.test/.test(file)
  for (const group of shared) {
    assert.ok(group.length <= (group.some(isBrowser) ? TOGETHER.browser : TOGETHER.plain), `${group.length} files`)
    assert.ok(group.every(isBrowser) || !group.some(isBrowser), group.join())
  }
  assert.deepEqual(
    shared.flat().filter((file) => /\/(?:fuzz|faults)\//.test(file)),
    [],
  )
  for (const alone of [
    'service/test/http/tiny-chunks.test.ts',
    'service/test/device-races.test.ts',
    'tools/test/dev.test.ts',
  ])
    assert.ok(all.includes(alone) && !shared.flat().includes(alone), alone)
})

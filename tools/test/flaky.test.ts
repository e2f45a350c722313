// Tests the reports of flaky test files, and when a flaky file fails the run.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { it, type TestContext } from 'node:test'

const ROOT = dirname(dirname(import.meta.dirname))
const FOLDER = 'service/test/browser'

/** Fails the given number of times, then passes; its second test always passes. */
const failing = (times: number, imports = '', title = 'is slow now and then') => `${imports}
  import { appendFileSync, readFileSync } from 'node:fs'
  import test from 'node:test'
  test('${title}', () => {
    appendFileSync(import.meta.filename + '.runs', 'x')
    const runs = readFileSync(import.meta.filename + '.runs', 'utf8').length
    if (runs <= ${times}) throw new Error('too slow, at run ' + runs, { cause: new Error('the till was busy') })
  })
  test('is fine', () => undefined)`

async function suite(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-suite-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    const path = join(folder, name)
    await writeFile(path, text.replace('ROOT', relative(dirname(path), ROOT)))
  }
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const paths = Object.keys(files).map((name) => relative(ROOT, join(folder, name)))
  const args = [join(ROOT, 'tools', 'test.mjs'), ...paths]
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' })
  const [begin = '', end = ''] = stdout.split(/^took .*\n/m)
  const runs = async (name: string) => (await readFile(join(folder, `${name}.runs`))).length
  return { begin, end, status, runs }
}

it('runs a file that failed once alone three times, after all others, and reports it in full and again at the end', async (t) => {
  const { begin, end, status, runs } = await suite(t, {
    [`${FOLDER}/once.test.ts`]: failing(1),
    [`${FOLDER}/a.test.ts`]: failing(0),
    [`${FOLDER}/b.test.ts`]: failing(0),
  })
  assert.equal(status, 0, begin)
  const order = [...begin.matchAll(/^ok .*?(\w+)\.test\.ts \(2 tests/gm)].map(([, name]) => name)
  assert.deepEqual([order.length, order.at(-1)], [3, 'once'])
  assert.equal(await runs(`${FOLDER}/once.test.ts`), 4)
  assert.match(begin, /^FLAKY {3}.*once\.test\.ts$/m)
  assert.match(
    begin,
    /\nFLAKY {3}.*once\.test\.ts\n.*is slow now and then\n\s+Error: too slow, at run 1\n[\s\S]*till was/,
  )
  assert.match(end, /^FLAKY {3}.*once\.test\.ts\n[\s\S]*too slow, at run 1[\s\S]*\n6 passed, 0 failed\n$/)
})

it('reports a file that also fails alone as failed, with the failures of both runs', async (t) => {
  const { end, status } = await suite(t, { [`${FOLDER}/again.test.ts`]: failing(2) })
  assert.equal(status, 1)
  assert.match(end, /^FAILED {2}.*again\.test\.ts:\d+ is slow now and then\n\s+Error: too slow, at run 2/)
  assert.match(end, /\n1 passed, 1 failed\n$/)
  assert.doesNotMatch(end, /FLAKY/)
})

it('reports a file that passes alone only sometimes as failed', async (t) => {
  const file = failing(0).replace('runs <= 0', 'runs % 2 === 1')
  const { end, status } = await suite(t, { [`${FOLDER}/at-times.test.ts`]: file })
  assert.equal(status, 1)
  assert.match(end, /^FAILED {2}.*at-times\.test\.ts:\d+ is slow now and then\n\s+Error: too slow, at run 3/)
})

const NEVER: readonly (readonly [what: string, name: string, text: string, why: RegExp])[] = [
  ['a kill', 'some', failing(1, `process.on('SIGKILL'.slice(3), () => undefined)`), /it kills, or runs/],
  [
    'a server that is killed',
    'some',
    failing(1, `import type {} from 'ROOT/service/test/harness/servers/own-postgres.ts'`),
    /it kills, or runs/,
  ],
  ['random cases', 'some', failing(1, `import type {} from 'fast-check'`), /draws its cases at random/],
  ['the name durability', 'durability', failing(1), /may not be: "durability test ts" is about a race, a kill or/],
  [
    'a title about money',
    'some',
    failing(1, '', 'a guest pays once'),
    /"a guest pays once" is about a race, a kill or/,
  ],
]

for (const [what, name, text, why] of NEVER)
  it(`reports a flaky file as failed because of ${what}`, async (t) => {
    const { end, status } = await suite(t, { [`${FOLDER}/${name}.test.ts`]: text })
    assert.equal(status, 1)
    assert.match(end, why)
    assert.match(end, /FLAKY, [\s\S]*too slow, at run 1[\s\S]*\n2 passed, 1 failed\n$/)
  })

it('ignores the title of a test that passed, unless the file failed as a whole', async (t) => {
  const other = `${failing(1)}\ntest('nothing is lost', () => undefined)`
  const forgiven = await suite(t, { [`${FOLDER}/some.test.ts`]: other })
  assert.equal(forgiven.status, 0, forgiven.end)
  const whole = `${failing(0)}\ntest('nothing is lost', () => undefined)
    appendFileSync(import.meta.filename + '.loads', 'x')
    if (readFileSync(import.meta.filename + '.loads', 'utf8').length === 1) throw new Error('not loaded')`
  const { end, status } = await suite(t, { [`${FOLDER}/whole.test.ts`]: whole })
  assert.equal(status, 1)
  assert.match(end, /FLAKY, and may not be: "nothing is lost" is about a race/)
})

const files = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${FOLDER}/file-${n}.test.ts`, failing(1)] as const))

it('accepts two flaky files, and fails on three', async (t) => {
  const forgiven = await suite(t, files(2))
  assert.equal(forgiven.status, 0)
  assert.match(forgiven.end, /\n4 passed, 0 failed\n$/)
  const { end, status } = await suite(t, files(3))
  assert.equal(status, 1)
  assert.equal(end.match(/FLAKY, one of 3 such files, more than 2/g)?.length, 3)
  assert.match(end, /\n6 passed, 3 failed\n$/)
})

it('runs no file again if more than ten failed', async (t) => {
  const { end, status } = await suite(t, files(11))
  assert.equal(status, 1)
  assert.match(end, /\n11 passed, 11 failed\n$/)
})

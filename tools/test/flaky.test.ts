// A file that fails among others and passes alone is reported in full. It is a failure unless the file declares that it may be
// flaky, and no file about races, kills or money may.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { flakyProblems } from '../suite/flaky.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const DECLARED = '// flaky: the window of the browser opens late'
/** What another process does may be slow; nothing here is. */
const WITH_PROCESSES = `${DECLARED}\nimport 'node:child_process'`
/** Tests of this folder wait for browsers. */
const BROWSER = 'service/test/browser'

/** Fails as often as is said, then passes; its second test always does. */
const failing = (times: number, imports = WITH_PROCESSES) => `${imports}
  import { appendFileSync, readFileSync } from 'node:fs'
  import test from 'node:test'
  test('is slow now and then', () => {
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
    await writeFile(join(folder, name), text)
  }
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const paths = Object.keys(files).map((name) => relative(ROOT, join(folder, name)))
  const args = [join(ROOT, 'tools', 'test.mjs'), ...paths]
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' })
  const [begin = '', end = ''] = stdout.split(/^took .*\n/m)
  return { begin, end, status }
}

it('a file that declares itself and fails once is run again after all others, reported in full and again at the end', async (t) => {
  const { begin, end, status } = await suite(t, {
    [`${BROWSER}/once.test.ts`]: failing(1),
    [`${BROWSER}/a.test.ts`]: failing(0),
    [`${BROWSER}/b.test.ts`]: failing(0),
  })
  assert.equal(status, 0, begin)
  const order = [...begin.matchAll(/^ok .*?(\w+)\.test\.ts \(2 tests/gm)].map(([, name]) => name)
  assert.deepEqual([order.length, order.at(-1)], [3, 'once'])
  assert.match(begin, /^FLAKY {3}.*once\.test\.ts$/m)
  assert.match(
    begin,
    /\nFLAKY {3}.*once\.test\.ts\n.*is slow now and then\n\s+Error: too slow, at run 1\n[\s\S]*till was/,
  )
  assert.match(end, /^FLAKY {3}.*once\.test\.ts\n[\s\S]*too slow, at run 1[\s\S]*\n6 passed, 0 failed\n$/)
})

it('a file that fails alone too has failed, with what failed either time', async (t) => {
  const { end, status } = await suite(t, { [`${BROWSER}/again.test.ts`]: failing(2) })
  assert.equal(status, 1)
  assert.match(end, /^FAILED {2}.*again\.test\.ts:\d+ is slow now and then\n\s+Error: too slow, at run 2/)
  assert.match(end, /\n1 passed, 1 failed\n$/)
  assert.doesNotMatch(end, /FLAKY/)
})

for (const [what, name, text, why] of [
  ['does not declare it', `${BROWSER}/plain.test.ts`, failing(1, `import 'node:child_process'`), /does not declare/],
  [
    'may not declare it',
    `${BROWSER}/durability.test.ts`,
    failing(1),
    /may not be: "durability test ts" is about a race/,
  ],
] as const)
  it(`a file that ${what} has failed when it fails once`, async (t) => {
    const { end, status } = await suite(t, { [name]: text })
    assert.equal(status, 1)
    assert.match(end, why)
    assert.match(end, /FLAKY, [\s\S]*too slow, at run 1[\s\S]*\n2 passed, 1 failed\n$/)
  })

const REFUSED: readonly (readonly [what: string, name: string, text: string, why: RegExp])[] = [
  [
    'no reason',
    `${BROWSER}/bare.test.ts`,
    `// flaky\nimport 'node:child_process'`,
    /the form is "\/\/ flaky: a reason/,
  ],
  ['another folder', 'service/test/webhooks/some.test.ts', WITH_PROCESSES, /wait for nothing but our own code/],
  ['no folder that is known', 'some.test.ts', WITH_PROCESSES, /wait for nothing but our own code/],
  ['a fuzzer', 'engine/test/fuzz/some.test.ts', WITH_PROCESSES, /wait for nothing but our own code/],
  ['nothing to wait for', `${BROWSER}/unit.test.ts`, DECLARED, /nothing in it depends on the speed/],
  ['a kill', `${BROWSER}/some.test.ts`, `${WITH_PROCESSES}\nprocess.kill(1, 'SIGKILL')`, /it kills, or runs/],
  [
    'a server that is killed',
    `${BROWSER}/some.test.ts`,
    `${WITH_PROCESSES}\nimport 'ROOT/service/test/harness/servers/own-postgres.ts'`,
    /it kills, or runs/,
  ],
  ['random cases', `${BROWSER}/some.test.ts`, `${WITH_PROCESSES}\nimport 'fast-check'`, /draws its cases at random/],
  ...['till-races', 'durability', 'failover', 'cancel', 'quota', 'paying'].map(
    (name) => [`the name ${name}`, `${BROWSER}/${name}.test.ts`, WITH_PROCESSES, /is about a race, a kill or/] as const,
  ),
  [
    'a title about money',
    `${BROWSER}/some.test.ts`,
    `${WITH_PROCESSES}\ntest('a guest pays once', () => undefined)`,
    /"a guest pays once" is about a race, a kill or money/,
  ],
]

describe('a declaration that does not count is refused before any test runs', () => {
  for (const [what, name, text, why] of REFUSED)
    it(what, async (t) => assert.match((await problemsOf(t, name, text)).join('\n'), why))
  it('and one that counts is not, nor is there one of ours that does not', async (t) => {
    assert.deepEqual(await problemsOf(t, `${BROWSER}/some.test.ts`, WITH_PROCESSES), [])
    assert.deepEqual(
      await problemsOf(t, 'some.test.ts', `import 'node:child_process'\n${DECLARED}`),
      [],
      'below the head',
    )
    assert.deepEqual(flakyProblems(ROOT), [])
  })
})

async function problemsOf(t: TestContext, name: string, text: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-flaky-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text.replace('ROOT', relative(dirname(file), ROOT)))
  return flakyProblems(ROOT, [relative(ROOT, file)])
}

const files = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${BROWSER}/file-${n}.test.ts`, failing(1)] as const))

it('four may be flaky, five may not', async (t) => {
  const forgiven = await suite(t, files(4))
  assert.equal(forgiven.status, 0)
  assert.match(forgiven.end, /\n8 passed, 0 failed\n$/)
  const { end, status } = await suite(t, files(5))
  assert.equal(status, 1)
  assert.equal(end.match(/FLAKY, one of 5 files that are: at most 4 may be/g)?.length, 5)
  assert.match(end, /\n10 passed, 5 failed\n$/)
})

it('where more than ten files failed, none is run again', async (t) => {
  const { end, status } = await suite(t, files(11))
  assert.equal(status, 1)
  assert.match(end, /\n11 passed, 11 failed\n$/)
})

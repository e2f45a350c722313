// What fails among others and passes alone is told in full, and forgiven to few files and to none that has no excuse.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { it, type TestContext } from 'node:test'

const ROOT = dirname(dirname(import.meta.dirname))
/** What another process does may be slow; nothing here is. */
const WITH_PROCESSES = `import 'node:child_process'`

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

it('a file that fails once is run again after all others, and told in full and once more at the end', async (t) => {
  const { begin, end, status } = await suite(t, {
    'once.test.ts': failing(1),
    'a.test.ts': failing(0),
    'b.test.ts': failing(0),
  })
  assert.equal(status, 0, begin)
  const order = [...begin.matchAll(/^ok .*?(\w+)\.test\.ts \(2 tests/gm)].map(([, name]) => name)
  assert.deepEqual([order.length, order.at(-1)], [3, 'once'])
  assert.match(begin, /^UNSTEADY .*once\.test\.ts$/m)
  assert.match(
    begin,
    /\nUNSTEADY .*once\.test\.ts\n.*is slow now and then\n\s+Error: too slow, at run 1\n[\s\S]*till was/,
  )
  assert.match(end, /^UNSTEADY .*once\.test\.ts\n[\s\S]*too slow, at run 1[\s\S]*\n6 passed, 0 failed\n$/)
})

it('a file that fails alone too is failed, with what failed either time', async (t) => {
  const { end, status } = await suite(t, { 'twice.test.ts': failing(2) })
  assert.equal(status, 1)
  assert.match(end, /^FAILED {2}.*twice\.test\.ts:\d+ is slow now and then\n\s+Error: too slow, at run 2/)
  assert.match(end, /\n1 passed, 1 failed\n$/)
  assert.doesNotMatch(end, /UNSTEADY/)
})

for (const [name, text, why] of [
  ['unit.test.ts', failing(1, ''), /UNSTEADY, though nothing in it depends on the speed of the machine/],
  ['races.test.ts', failing(1), /UNSTEADY, and what it tests is what happens now and then/],
  ['engine/test/fuzz/some.test.ts', failing(1), /UNSTEADY, and what it tests is what happens now and then/],
  ['drawn.test.ts', `${failing(1)}\nif (!test) await import('fast-check')`, /UNSTEADY, and what it tests is what/],
] as const)
  it(`${name} has no excuse: what fails once has failed`, async (t) => {
    const { end, status } = await suite(t, { [name]: text })
    assert.equal(status, 1)
    assert.match(end, why)
    assert.match(end, /too slow, at run 1[\s\S]*\n2 passed, 1 failed\n$/)
  })

it('four may be unsteady, five may not', async (t) => {
  const files = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`file-${n}.test.ts`, failing(1)] as const))
  const forgiven = await suite(t, files(4))
  assert.equal(forgiven.status, 0)
  assert.match(forgiven.end, /\n8 passed, 0 failed\n$/)
  const { end, status } = await suite(t, files(5))
  assert.equal(status, 1)
  assert.equal(end.match(/UNSTEADY, one of 5 files that are: at most 4 may be/g)?.length, 5)
  assert.match(end, /\n10 passed, 5 failed\n$/)
})

it('where more than ten files failed, none is run again', async (t) => {
  const files = Array.from({ length: 11 }, (_, n) => [`file-${n}.test.ts`, failing(1)] as const)
  const { end, status } = await suite(t, Object.fromEntries(files))
  assert.equal(status, 1)
  assert.match(end, /\n11 passed, 11 failed\n$/)
})

// Tests which files need neither a database nor a browser, and in which order all files run.

import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { it } from 'node:test'
import { inOrder, isUnit, testFiles, usesDatabase } from '../suite/choose-files.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const all = testFiles(ROOT)

it('the quick tests need neither database nor browser nor another process', () => {
  const quick = all.filter((file) => isUnit(ROOT, file))
  assert.ok(quick.length > 100, `${quick.length} files`)
  assert.ok(quick.includes('engine/test/mutations.test.ts'))
  assert.deepEqual(
    quick.filter((file) => usesDatabase(ROOT, file) || /\/(?:browser|fuzz)[/.]/.test(file)),
    [],
  )
  const others = [
    'store/embedded-postgres',
    'serve',
    'cli/commands',
    'cli/master-key',
    'cli/device',
    'outbound/zk-verifier',
  ]
  for (const slow of others.map((name) => `service/test/${name}.test.ts`))
    assert.ok(all.includes(slow) && !quick.includes(slow), slow)
})

it('the seed decides the order, which contains every file and has long files first', () => {
  const order = inOrder(all, 7)
  assert.deepEqual(order, inOrder(all, 7))
  assert.notDeepEqual(order, inOrder(all, 8))
  assert.deepEqual([...order].sort(), [...all].sort())
  const long = all.filter((file) => /\/test\/(?:browser|fuzz)\/|embedded-postgres/.test(file))
  assert.deepEqual(order.slice(0, long.length).sort(), long.sort())
})

// Tests which parts of Node the service loads: undici (Node's fetch) only in processes that use it.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import test from 'node:test'

const SOURCE = new URL('../../src/', import.meta.url)

function loadedBy(files: readonly string[]): readonly string[] {
  const imports = files.map((file) => `await import(${JSON.stringify(new URL(file, SOURCE).href)})`)
  const program = [...imports, 'process.stdout.write(JSON.stringify(process.moduleLoadList))'].join('\n')
  const loaded: unknown = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }),
  )
  assert.ok(Array.isArray(loaded))
  return loaded.filter((name) => typeof name === 'string')
}

test('a process of the service loads node:http without undici', () => {
  const loaded = loadedBy([
    'assemble.ts',
    'http-server.ts',
    'cli/serve.ts',
    'features/transparency/http/witness-server.ts',
  ])
  assert.ok(loaded.includes('NativeModule http'), 'the list has another form')
  assert.deepEqual(
    loaded.filter((name) => name.includes('undici')),
    [],
  )
})

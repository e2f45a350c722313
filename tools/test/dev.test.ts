// Tests `npm run dev`: it serves service, dashboard and till at one address, and Ctrl-C ends them all.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { it } from 'node:test'
import { testBrowser } from '../../service/test/harness/pages/browser.ts'
import { waitUntil } from '../../service/test/harness/wait.ts'
import { readableLine } from '../dev/readable-line.ts'
import { webAppAt } from '../dev/web-app.ts'

const ROOT = dirname(dirname(import.meta.dirname))
const START_MS_MAX = 90_000
const browser = await testBrowser()

it('one command serves pages and API at one address, and Ctrl-C ends it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidimus-dev-'))
  await chmod(dataDir, 0o755)
  const npm = spawn('npm', ['run', 'dev', '--ignore-scripts'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', VIDIMUS_DATA_DIR: dataDir, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A terminal signals the whole process group, so the command needs its own group.
    detached: true,
  })
  let printed = ''
  npm.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk
  })
  let hasEnded = false
  npm.stdout.once('end', () => {
    hasEnded = true
  })
  try {
    const isUp = () => {
      if (hasEnded) assert.fail(printed)
      return /running at \S+\s[\s\S]*Store +/.test(printed)
    }
    await waitUntil('the service says where it is', isUp, START_MS_MAX)
    const url = /running at (\S+)/.exec(printed)?.[1] ?? ''
    await checkPages(url)
    await checkService(url)
    await checkHotReload(url)
    await checkInBrowser(url)
    assert.match(printed, /^\d\d:\d\d:\d\d info {2}GET \/readyz 200 in [\d.]+ ms$/m)
    interrupt(npm)
    await waitUntil('everything has ended', () => hasEnded)
    assert.match(printed, /^\d\d:\d\d:\d\d info {2}stopping$/m)
    await assert.rejects(fetch(`${url}/readyz`))
    const { address } = JSON.parse(await readFile(join(dataDir, 'service.json'), 'utf8')) as { address: string }
    await assert.rejects(fetch(`${address}/readyz`))
    // A clean stop of the store deletes this file; a kill would leave it.
    assert.deepEqual(await filesNamed(dataDir, 'postmaster.pid'), [])
  } finally {
    if (npm.exitCode === null && npm.signalCode === null) interrupt(npm)
    await waitUntil('everything has ended', () => hasEnded)
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
})

async function filesNamed(folder: string, name: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter((path) => basename(path) === name)
}

/** Signals the group, like Ctrl-C in a terminal. */
function interrupt({ pid }: ChildProcess): void {
  assert.ok(pid !== undefined)
  process.kill(-pid, 'SIGINT')
}

async function checkPages(url: string): Promise<void> {
  for (const [path, entry] of [
    ['/dashboard', '/dashboard/src/main.tsx'],
    ['/dashboard/a/page', '/dashboard/src/main.tsx'],
    ['/till', '/till/src/app.ts'],
    ['/till?from=home', '/till/src/app.ts'],
  ] as const) {
    const page = await fetch(`${url}${path}`, { headers: { accept: 'text/html' } })
    assert.equal(page.status, 200, path)
    assert.ok((await page.text()).includes(`src="${entry}`), path)
  }
  const script = await fetch(`${url}/till/src/app.ts`)
  assert.match(String(script.headers.get('content-type')), /javascript/)
  assert.doesNotMatch(await script.text(), /^import type /m)
  assert.equal(
    (await fetch(`${url}/till/@fs${join(ROOT, 'sdk', 'typescript', 'src', 'device-client.ts')}`)).status,
    200,
  )
  assert.equal((await fetch(`${url}/till/@fs${join(ROOT, 'package.json')}`)).status, 403)
}

async function checkService(url: string): Promise<void> {
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  for (const path of ['/v1/usage', '/dashboard/api/me']) {
    const refused = await fetch(`${url}${path}`)
    assert.equal(refused.status, 401, path)
    assert.match(String(refused.headers.get('content-type')), /json/)
  }
}

/** Opens the reload connection of an application, which uses the same address. */
async function checkHotReload(url: string): Promise<void> {
  for (const app of ['dashboard', 'till']) {
    const client = await (await fetch(`${url}/${app}/@vite/client`)).text()
    const [, token = ''] = /wsToken = "([^"]+)"/.exec(client) ?? []
    const socket = new WebSocket(`${url.replace('http', 'ws')}/${app}/?token=${token}`, 'vite-hmr')
    const message = await new Promise<unknown>((resolve, reject) => {
      socket.onmessage = ({ data }) => resolve(data)
      socket.onerror = () => reject(new Error(`no connection for ${app}`))
    })
    assert.deepEqual(JSON.parse(String(message)), { type: 'connected' })
    socket.close()
  }
}

/** Asserts that the pages appear, so every module is found and runs. */
async function checkInBrowser(url: string): Promise<void> {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  page.setDefaultTimeout(60_000)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(`${url}/till`)
  await page.waitForSelector('#code')
  await page.goto(`${url}/dashboard`)
  await page.waitForSelector('h1')
  await page.context().close()
  assert.deepEqual(errors, [])
}

it('pages come from Vite, and other addresses from the service', () => {
  for (const path of ['/dashboard', '/dashboard/', '/dashboard/keys', '/dashboard/apiary'])
    assert.equal(webAppAt(path), 'dashboard', path)
  for (const path of ['/till', '/till/', '/till/src/app.ts']) assert.equal(webAppAt(path), 'till', path)
  for (const path of ['/', '/v1/usage', '/dashboard/api', '/dashboard/api/me', '/tiller', '/verify/x'])
    assert.equal(webAppAt(path), null, path)
})

it('log lines become readable, and other lines stay unchanged', () => {
  const line = (fields: object) =>
    readableLine(JSON.stringify({ level: 'info', time: '2027-06-15T12:34:56.789Z', ...fields }))
  assert.equal(
    line({ method: 'GET', route: '/v1/usage', status: 200, duration_ms: 1.5, request_id: 'req_1', msg: 'request' }),
    '12:34:56 info  GET /v1/usage 200 in 1.5 ms',
  )
  assert.equal(line({ job: 'expiry', count: 2, msg: 'job done' }), '12:34:56 info  job done job=expiry count=2')
  assert.equal(
    line({ error: { name: 'TypeError', frames: ['at a.ts:1'] }, msg: 'fault' }),
    '12:34:56 info  fault\n    TypeError\n    at a.ts:1',
  )
  for (const text of ['', '  Vidimus is running at x', '{"level":1}', '{"level":'])
    assert.equal(readableLine(text), text)
})

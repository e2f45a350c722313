// Tests that SIGTERM to `npm start` ends the service, not only the shell between them.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { reservePort } from '../src/platform/reserved-port.ts'
import { waitUntil } from './harness/wait.ts'

const ROOT = join(import.meta.dirname, '..', '..')

test('SIGTERM to npm start ends the service, which reports that it is stopping', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidimus-npm-'))
  await chmod(dataDir, 0o755)
  // Without its pre-script, because set-up has its own test.
  const npm = spawn('npm', ['start', '--ignore-scripts'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', VIDIMUS_DATA_DIR: dataDir, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  npm.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk
  })
  // The pipe ends with the last process that has it open, which is the service.
  let hasEnded = false
  npm.stdout.once('end', () => {
    hasEnded = true
  })
  try {
    await waitUntil('the service says where it is', () => {
      if (hasEnded) assert.fail(printed)
      return /Store +/.test(printed)
    })
    const url = /running at (\S+)/.exec(printed)?.[1] ?? ''
    assert.equal((await fetch(`${url}/readyz`)).status, 200)
    await visitShop(dataDir)
    npm.kill('SIGTERM')
    await waitUntil('the service has ended', () => hasEnded)
    assert.match(printed, /Creating a database in .+\n[\s\S]*wallet present latest/)
    assert.match(printed, /"msg":"stopping"/)
    await assert.rejects(fetch(`${url}/readyz`))
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
})

/** Runs `npm run shop` next to the service: it creates what it needs by command line, reports this, and opens. */
async function visitShop(dataDir: string): Promise<void> {
  const { PATH = '', HOME = '' } = process.env
  const reserved = await reservePort('127.0.0.1')
  await reserved.release()
  const shop = spawn('npm', ['run', 'shop'], {
    cwd: ROOT,
    env: { PATH, HOME, VIDIMUS_DATA_DIR: dataDir, SHOP_PORT: String(reserved.port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  let hasEnded = false
  shop.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk
  })
  shop.stdout.once('end', () => {
    hasEnded = true
  })
  try {
    await waitUntil('the shop is open', () => hasEnded || /The shop is open/.test(printed))
    for (const expected of ['a company', 'an API key', 'a webhook secret', 'sign-in by OpenID', 'its web origin'])
      assert.match(printed, new RegExp(`^  ${expected}$`, 'm'))
    const html = await (await fetch(`http://localhost:${reserved.port}`)).text()
    assert.match(html, /Sonnenhof Wines[\s\S]*Sign in with your wallet/)
  } finally {
    shop.kill('SIGTERM')
    await waitUntil('the shop has closed', () => hasEnded)
  }
}

test('no script of a long-running program leaves a shell in between', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  for (const name of ['start', 'dev', 'vidimus', 'shop', 'soak']) assert.match(scripts[name], /^exec /, name)
})

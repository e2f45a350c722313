// Tests that commands find the port and the address of a running service without options.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { once, within } from '../harness/wait.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** The child's output until it contains this. */
async function textIn(child: ChildProcess, words: RegExp): Promise<string> {
  let text = ''
  const printing = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      text += chunk.toString('utf8')
      if (words.test(text)) resolve(text)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${text}`)))
  })
  return within(`the program says ${words}`, printing)
}

test('user invite, doctor, tenant and listen find the service of the data directory; listen reports if it is not running', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidimus-running-'))
  await chmod(dataDir, 0o755)
  const env = { ...BARE_ENVIRONMENT, HOME: process.env.HOME ?? '', VIDIMUS_DATA_DIR: dataDir }
  const vidimus = (...args: string[]) =>
    promisify(execFile)(process.execPath, [MAIN, ...args], { env }).catch(
      (error) => error as { stdout: string; stderr: string; code: number },
    )
  const service = spawn(process.execPath, [MAIN, 'serve'], { env: { ...env, PORT: '0' } })
  try {
    const printed = await textIn(service, /Or open .*\n/)
    const url = /running at (\S+)/.exec(printed)?.[1] ?? ''
    const key = /vk_test_[0-9A-Za-z]{38}/.exec(printed)?.[0] ?? ''
    const tenant = /\((ten_\w+)\)/.exec(printed)?.[1] ?? ''
    assert.ok(url !== '' && !url.endsWith(':8080'))

    const invited = await vidimus('user', 'invite', '--tenant', tenant, '--email', 'new@example.com', '--json')
    assert.ok(JSON.parse(invited.stdout).url.startsWith(`${url}/dashboard/link#`), invited.stdout)
    const port = new URL(url).port
    assert.match((await vidimus('doctor')).stdout, new RegExp(`ok {4}service: answers at http://127.0.0.1:${port}`))

    const forward = ['listen', '--forward-to', 'http://127.0.0.1:1/hooks', '--key', key]
    const listening = spawn(process.execPath, [MAIN, ...forward], { env })
    const text = await textIn(listening, /Signed with .*\n/)
    const { stdout } = await vidimus('webhook-secret', 'show', '--tenant', tenant, '--json')
    assert.ok(text.includes(JSON.parse(stdout).secret), text)
    listening.removeAllListeners('exit').kill('SIGTERM')
    await once(listening, 'exit')

    service.removeAllListeners('exit').kill('SIGTERM')
    await once(service, 'exit')
    const unanswered = await vidimus(...forward)
    assert.equal(unanswered.stderr, `http://127.0.0.1:${port} does not answer; is the service running there?\n`)
    assert.match((await vidimus('doctor')).stdout, /WARN {2}service: nothing answers/)
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
})

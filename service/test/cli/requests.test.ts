// vidimus requests: what merchants ask for, listed and answered by a real process beside a real store.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { askOperator, recordMandate } from '../../src/usecases/going-live/ask-operator.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const service = await testService()
// The process has the real time.
service.clock.set(Date.now())
const env = {
  PATH: process.env.PATH ?? '',
  DATABASE_URL: service.url,
  VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
}

async function requests(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [MAIN, 'requests', ...args], { env })) }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}

test('listed with what to do, done, declined, and no longer waiting', async () => {
  const tenantId = await service.tenant()
  const realm = { tenantId, environment: 'live' } as const
  const actor = { type: 'user', id: 'usr_1' } as const
  assert.match((await requests('list')).stdout, /Nobody waits/)
  const identity = { identifier: 'VATUT-1', tradeName: "O'Shop; rm", registryUri: 'https://register.example' }
  const asked = await askOperator(service.deps, { realm, kind: 'identity', identity, actor })
  service.clock.advance(1)
  const mandate = { kind: 'order', sha256: 'ab'.repeat(32), dated: '2024-05-01' } as const
  const recorded = await recordMandate(service.deps, { realm, mandate, actor })
  assert.ok(asked.outcome === 'asked' && recorded.outcome === 'asked')
  const { stdout } = await requests('list')
  assert.ok(stdout.includes(`--tenant ${tenantId} --environment live --identifier 'VATUT-1'`), stdout)
  assert.ok(stdout.includes(`--trade-name 'O'\\''Shop; rm' --registry 'https://register.example'`), stdout)
  assert.ok(stdout.includes(`the document of 2024-05-01 against SHA-256 ${mandate.sha256}`), stdout)
  assert.match((await requests('decline', asked.request.id)).stderr, /--because/)
  assert.equal((await requests('decline', asked.request.id, '--because', 'Not in the register')).code, 0)
  assert.equal((await requests('done', recorded.request.id)).code, 0)
  assert.match((await requests('done', recorded.request.id)).stderr, /no request ask_\w+ waits/)
  assert.deepEqual(JSON.parse((await requests('list', '--json')).stdout).data, [])
  const all = JSON.parse((await requests('list', '--all', '--json')).stdout).data
  const states = all.map(({ kind, state, answer }: Record<string, unknown>) => [kind, state, answer])
  assert.deepEqual(states, [
    ['identity', 'declined', 'Not in the register'],
    ['mandate', 'done', null],
  ])
})

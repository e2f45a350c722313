// vidimus origin: a real process beside a real store.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const service = await testService()
const tenant = await service.tenant()
const env = {
  ...BARE_ENVIRONMENT,
  DATABASE_URL: service.url,
  VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
}

async function origin(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    const ran = await promisify(execFile)(process.execPath, [MAIN, 'origin', ...args, '--tenant', tenant], { env })
    return { code: 0, ...ran }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}
const json = async (...args: string[]) => JSON.parse((await origin(...args, '--json')).stdout)

test('pages, localhost and apps are listed, and removed', async () => {
  const page = await origin('add', 'https://shop.example')
  assert.match(page.stdout, /https:\/\/shop\.example\/\.well-known\/vidimus-origin\.txt\s+vidimus-origin=\w{32}/)
  assert.equal((await origin('add', 'http://localhost:5173')).code, 0)
  assert.equal((await json('add', 'android:apk-key-hash:7d1043473d55bfa9')).kind, 'app')
  const { data } = await json('list')
  assert.deepEqual(
    data.map((one: { origin: string; proven_at: string | null }) => [one.origin, one.proven_at !== null]),
    [
      ['android:apk-key-hash:7d1043473d55bfa9', true],
      ['http://localhost:5173', true],
      ['https://shop.example', false],
    ],
  )
  for (const { id } of data) assert.equal((await origin('remove', id)).code, 0)
  assert.match((await origin('list')).stdout, /No origin is listed/)
})

test('what is not written as browsers write it is refused, with how it would be', async () => {
  const pasted = await origin('add', 'https://Shop.example/pay')
  assert.equal(pasted.code, 2)
  assert.match(pasted.stderr, /without path or slash at the end: https:\/\/shop\.example\n/)
  assert.match((await origin('add', 'http://localhost', '--environment', 'live')).stderr, /localhost is for test/)
  assert.match((await origin('prove', 'org_unknown')).stderr, /no such origin/)
  assert.match((await origin('remove', 'org_unknown')).stderr, /no such origin/)
})

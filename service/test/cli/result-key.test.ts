// vidimus result-key: a real process beside a real store.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateResultKey, openChallenge } from '../../../sdk/typescript/src/result.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const service = await testService()
const tenant = await service.tenant()
const folder = await mkdtemp(join(tmpdir(), 'vidimus-result-key-'))
after(() => rm(folder, { recursive: true }))
const env = {
  PATH: process.env.PATH ?? '',
  DATABASE_URL: service.url,
  VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
}

async function resultKey(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const realm = ['--tenant', tenant, '--environment', 'live', '--json']
  try {
    return {
      code: 0,
      ...(await promisify(execFile)(process.execPath, [MAIN, 'result-key', ...args, ...realm], { env })),
    }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}
async function fileWith(name: string, jwk: object): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, JSON.stringify(jwk))
  return path
}

test('a key is added, proven with what its challenge says, listed and removed', async () => {
  const { publicKey, privateKey } = await generateResultKey()
  const secret = await resultKey('add', await fileWith('private.jwk', { ...publicKey, d: privateKey.d }))
  assert.equal(secret.code, 2)
  assert.match(secret.stderr, /private or symmetric key/)
  const added = JSON.parse((await resultKey('add', await fileWith('public.jwk', publicKey))).stdout)
  const wrong = await resultKey('prove', added.id, 'something')
  assert.equal(wrong.code, 1)
  const answer = await openChallenge(added.challenge, privateKey, added.id)
  assert.equal((await resultKey('prove', added.id, answer)).code, 0)
  const [listed] = JSON.parse((await resultKey('list')).stdout).data
  assert.equal(listed.kid, added.kid)
  assert.notEqual(listed.proven_at, null)
  assert.equal((await resultKey('remove', added.id)).code, 0)
  assert.deepEqual(JSON.parse((await resultKey('list')).stdout), { data: [] })
})

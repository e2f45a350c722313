// Tests `vidimus result-key` on a real store.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { generateResultKey, openChallenge } from '../../../sdk/typescript/src/result.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const tenant = await service.tenant()
const folder = await mkdtemp(join(tmpdir(), 'vidimus-result-key-'))
after(() => rm(folder, { recursive: true }))
const cli = commandLine(service)

const resultKey = (...args: string[]) =>
  cli.run('result-key', ...args, '--tenant', tenant, '--environment', 'live', '--json')
async function fileWith(name: string, jwk: object): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, JSON.stringify(jwk))
  return path
}

test('a key is added, proven with its decrypted challenge, listed and removed', async () => {
  const { publicKey, privateKey } = await generateResultKey()
  const secret = await resultKey('add', await fileWith('private.jwk', { ...publicKey, d: privateKey.d }))
  assert.equal(secret.code, 2)
  assert.match(secret.err, /private or symmetric key/)
  const added = JSON.parse((await resultKey('add', await fileWith('public.jwk', publicKey))).out)
  const wrong = await resultKey('prove', added.id, 'something')
  assert.equal(wrong.code, 1)
  const old = await openChallenge(added.challenge, privateKey, added.id)
  assert.match(old, /^[0-9a-f]{64}$/, 'never read as an option')
  const { challenge } = JSON.parse((await resultKey('challenge', added.id)).out)
  assert.match((await resultKey('prove', added.id, old)).err, /does not match the challenge/)
  const answer = await openChallenge(challenge, privateKey, added.id)
  assert.equal((await resultKey('prove', added.id, answer)).code, 0)
  assert.match((await resultKey('challenge', added.id)).err, /proven already/)
  assert.match((await resultKey('challenge', 'rky_unknown')).err, /no such key/)
  const [listed] = JSON.parse((await resultKey('list')).out).data
  assert.equal(listed.kid, added.kid)
  assert.notEqual(listed.proven_at, null)
  assert.equal((await resultKey('remove', added.id)).code, 0)
  assert.deepEqual(JSON.parse((await resultKey('list')).out), { data: [] })
})

// vidimus client: a real process beside a real store.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const service = await testService()
const tenant = await service.tenant()
const env = {
  PATH: process.env.PATH ?? '',
  DATABASE_URL: service.url,
  VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
  VIDIMUS_BASE_URL: 'https://verify.example.com',
}

async function client(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    const ran = await promisify(execFile)(process.execPath, [MAIN, 'client', ...args, '--tenant', tenant], { env })
    return { code: 0, ...ran }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}
const json = async (...args: string[]) => JSON.parse((await client(...args, '--json')).stdout)

test('a client is made with its secret, listed without, changed, given another, and removed', async () => {
  const uri = 'https://shop.example/callback'
  const made = await json('create', '--name', 'Shop', '--redirect-uri', uri, '--template', 'age_over_18', 'identity')
  assert.match(made.client_secret, /^vcs_\w{49}$/)
  assert.equal(made.issuer, `https://verify.example.com/oidc/${tenant}/test`)
  assert.equal(made.default_template, 'age_over_18')
  const listed = await client('list', '--json')
  assert.ok(!listed.stdout.includes(made.client_secret))
  assert.equal(JSON.parse(listed.stdout).data[0].id, made.id)
  const changed = await json('update', made.id, '--require-true', '--subject', 'claim', '--subject-claim', 'birth_date')
  assert.deepEqual(
    [changed.require_true, changed.subject_mode, changed.subject_claims, changed.redirect_uris],
    [true, 'claim', ['birth_date'], [uri]],
  )
  assert.equal((await json('update', made.id, '--no-require-true')).require_true, false)
  assert.notEqual((await json('rotate-secret', made.id)).client_secret, made.client_secret)
  assert.equal((await client('rotate-signing-keys')).code, 0)
  assert.match((await client('remove', made.id)).stdout, /Removed oic_/)
  assert.match((await client('list')).stdout, /There is no client/)
})

test('what cannot be is refused in a sentence', async () => {
  const create = (...args: string[]) => client('create', ...args)
  const fine = ['--template', 'identity']
  const uri = ['--redirect-uri', 'https://shop.example/callback']
  assert.match((await create(...fine, '--redirect-uri', 'http://shop.example/')).stderr, /redirect URIs are https/)
  assert.match((await create(...fine, '--redirect-uri', 'https://shop.example/#a')).stderr, /without fragment/)
  const local = [...fine, '--redirect-uri', 'http://localhost/', '--environment', 'live']
  assert.match((await create(...local)).stderr, /localhost in test/)
  assert.match((await create(...fine)).stderr, /1 to 20 redirect URIs/)
  assert.match((await create(...uri, '--template', 'nothing')).stderr, /no such template/)
  assert.match((await create(...uri, ...fine, '--subject', 'derived', '--subject-claim', 'a')).stderr, /from several/)
  assert.match((await create(...uri, ...fine, '--auth-method', 'private_key_jwt')).stderr, /public keys/)
  assert.match((await create(...uri, ...fine, '--auth-method', 'mtls')).stderr, /must be one of/)
  assert.match((await client('remove', 'oic_unknown')).stderr, /no such client/)
})

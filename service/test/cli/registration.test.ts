// vidimus registration: a real process beside a real store.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { MERCHANT_ID, OWN_ID, testRegistrar } from '../harness/registrar.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const service = await testService()
// The process has the real time.
service.clock.set(Date.now())
const registrar = await testRegistrar(service)
const tenant = await service.tenant()
const folder = await mkdtemp(join(tmpdir(), 'vidimus-registration-'))
after(() => rm(folder, { recursive: true }))
const env = {
  PATH: process.env.PATH ?? '',
  DATABASE_URL: service.url,
  VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
}

async function vidimus(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [MAIN, ...args], { env })) }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}
const registration = (...args: string[]) => vidimus('registration', ...args, '--tenant', tenant)

test('who is registered, then its certificate: added, listed, checked, removed', async () => {
  const jwt = join(folder, 'registration.jwt')
  await writeFile(jwt, `${registrar.certify()}\n`)
  assert.match((await registration('add', jwt)).stderr, /identity of the tenant is not known/)
  const own = ['--identifier', OWN_ID, '--trade-name', 'Vidimus', '--intermediary', '--environment', 'test']
  assert.match((await vidimus('registration', 'identity', ...own)).stdout, /acts for others/)
  const who = ['--identifier', MERCHANT_ID, '--trade-name', 'Shop', '--environment', 'test']
  assert.equal((await registration('identity', ...who)).code, 0)
  const unverified = await registration('add', jwt)
  assert.match(
    unverified.stdout,
    /Added reg_\w+ for the intended use age-check\.\nWarning: its signature is not verified/,
  )
  const authority = join(folder, 'authority.der')
  await writeFile(authority, Buffer.from(registrar.authority.certificate, 'base64'))
  const anchor = ['anchor', 'add', authority, '--type', 'rc-wrp+jwt:*', '--environment', 'test', '--tenant', tenant]
  assert.equal((await vidimus(...anchor)).code, 0)
  const checked = await registration('check')
  assert.match(checked.stdout, /never asked for/)
  assert.doesNotMatch(checked.stdout, /not verified/)
  const { data } = JSON.parse((await registration('list', '--json')).stdout)
  assert.deepEqual([data[0].verified, data[0].faults, data[0].service_id], [true, [], 'shop-1'])
  assert.equal((await registration('remove', data[0].id)).code, 0)
  assert.match((await registration('list')).stdout, /No registration certificate is kept/)
  assert.match((await registration('remove', data[0].id)).stderr, /has no registration/)
})

test('an anchor for registrations and credentials at once is refused', async () => {
  const authority = join(folder, 'authority.der')
  const both = ['anchor', 'add', authority, '--type', 'rc-wrp+jwt:*', 'dc+sd-jwt:*', '--environment', 'test']
  assert.match((await vidimus(...both)).stderr, /vouches for no credential/)
})

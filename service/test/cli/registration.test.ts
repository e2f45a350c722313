// Tests `vidimus registration` on a real store.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { MERCHANT_ID, OWN_ID, testRegistrar } from '../harness/registrar.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const registrar = await testRegistrar(service)
const tenant = await service.tenant()
const folder = await mkdtemp(join(tmpdir(), 'vidimus-registration-'))
after(() => rm(folder, { recursive: true }))
const cli = commandLine(service)

const vidimus = (...args: string[]) => cli.run(...args)
const registration = (...args: string[]) => vidimus('registration', ...args, '--tenant', tenant)

test('the registered identity and then its certificate are added, listed, checked and removed', async () => {
  const jwt = join(folder, 'registration.jwt')
  await writeFile(jwt, `${registrar.certify()}\n`)
  assert.match((await registration('add', jwt)).err, /identity of the tenant is not known/)
  const own = ['--identifier', OWN_ID, '--trade-name', 'Vidimus', '--intermediary', '--environment', 'test']
  assert.match((await vidimus('registration', 'identity', ...own)).out, /acts for others/)
  const who = ['--identifier', MERCHANT_ID, '--trade-name', 'Shop', '--environment', 'test']
  assert.equal((await registration('identity', ...who)).code, 0)
  const unverified = await registration('add', jwt)
  assert.match(unverified.out, /Added reg_\w+ for the intended use age-check\.\nWarning: its signature is not verified/)
  const authority = join(folder, 'authority.der')
  await writeFile(authority, Buffer.from(registrar.authority.certificate, 'base64'))
  const anchor = ['anchor', 'add', authority, '--type', 'rc-wrp+jwt:*', '--environment', 'test', '--tenant', tenant]
  assert.equal((await vidimus(...anchor)).code, 0)
  const checked = await registration('check')
  assert.match(checked.out, /never asked for/)
  assert.doesNotMatch(checked.out, /not verified/)
  const { data } = JSON.parse((await registration('list', '--json')).out)
  assert.deepEqual([data[0].verified, data[0].faults, data[0].service_id], [true, [], 'shop-1'])
  assert.equal((await registration('remove', data[0].id)).code, 0)
  assert.match((await registration('list')).out, /There is no registration certificate/)
  assert.match((await registration('remove', data[0].id)).err, /has no registration/)
})

test('an anchor for both registrations and credentials is refused', async () => {
  const authority = join(folder, 'authority.der')
  const both = ['anchor', 'add', authority, '--type', 'rc-wrp+jwt:*', 'dc+sd-jwt:*', '--environment', 'test']
  assert.match((await vidimus(...both)).err, /cannot vouch for credentials/)
})

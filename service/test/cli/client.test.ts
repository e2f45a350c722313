// Tests `vidimus client` on a real store.

import assert from 'node:assert/strict'
import test from 'node:test'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const tenant = await service.tenant()
const cli = commandLine(service)

const client = (...args: string[]) => cli.run('client', ...args, '--tenant', tenant)
const json = async (...args: string[]) => JSON.parse((await client(...args, '--json')).out)

test('a client is created with its secret, listed without it, changed, given another secret, and removed', async () => {
  const uri = 'https://shop.example/callback'
  const created = await json('create', '--name', 'Shop', '--redirect-uri', uri, '--template', 'age_over_18', 'identity')
  assert.match(created.client_secret, /^vcs_\w{49}$/)
  assert.equal(created.issuer, `https://verify.example.com/oidc/${tenant}/test`)
  assert.equal(created.default_template, 'age_over_18')
  const listed = await client('list', '--json')
  assert.ok(!listed.out.includes(created.client_secret))
  assert.equal(JSON.parse(listed.out).data[0].id, created.id)
  const changed = await json(
    'update',
    created.id,
    '--require-true',
    '--subject',
    'claim',
    '--subject-claim',
    'birth_date',
  )
  assert.deepEqual(
    [changed.require_true, changed.subject_mode, changed.subject_claims, changed.redirect_uris],
    [true, 'claim', ['birth_date'], [uri]],
  )
  assert.equal((await json('update', created.id, '--no-require-true')).require_true, false)
  assert.notEqual((await json('rotate-secret', created.id)).client_secret, created.client_secret)
  assert.equal((await client('rotate-signing-keys')).code, 0)
  assert.match((await client('remove', created.id)).out, /Removed oic_/)
  assert.match((await client('list')).out, /There is no client/)
})

test('answers from other devices: confirmed by default; unconfirmed only in test, with a warning', async () => {
  const terms = ['--name', 'Shop', '--redirect-uri', 'https://shop.example/callback', '--template', 'identity']
  const created = await json('create', ...terms)
  assert.equal(created.cross_device, 'confirm')
  const loose = await client('update', created.id, '--cross-device', 'unconfirmed')
  assert.match(loose.out, /Warning: answers from other devices are not confirmed\./)
  const strict = await client('update', created.id, '--cross-device', 'off')
  assert.doesNotMatch(strict.out, /Warning/)
  const inLive = await client('create', ...terms, '--cross-device', 'unconfirmed', '--environment', 'live')
  assert.match(inLive.err, /refused/)
})

test('subjects of new clients depend on the type of the credential; a client from before is warned until it is changed', async () => {
  const terms = ['--redirect-uri', 'https://shop.example/callback', '--template', 'identity', '--subject', 'claim']
  const { id, subject_per_type: isOn } = await json('create', ...terms, '--subject-claim', 'birth_date')
  assert.equal(isOn, true)
  const before = await client('update', id, '--no-subject-per-type')
  assert.match(before.out, /Warning: an issuer that is trusted for one type .* --subject-per-type prevents it/)
  assert.match((await client('update', id, '--name', 'Shop')).out, /Warning: an issuer/, 'other changes keep it')
  assert.doesNotMatch((await client('update', id, '--subject', 'ephemeral')).out, /Warning/)
  const after = await client('update', id, '--subject', 'claim', '--subject-claim', 'birth_date', '--subject-per-type')
  assert.doesNotMatch(after.out, /Warning/)
})

test('a client that requires true and has several templates is created with a warning', async () => {
  const terms = ['--name', 'Shop', '--redirect-uri', 'https://shop.example/callback', '--require-true', '--template']
  const warning = /Warning: with --require-true and several templates, .* are refused/
  assert.match((await client('create', ...terms, 'age_over_18', 'identity')).out, warning)
  assert.doesNotMatch((await client('create', ...terms, 'age_over_18')).out, /Warning/)
  const { id } = await json('create', ...terms, 'age_over_18')
  assert.match((await client('update', id, '--template', 'age_over_18', 'identity')).out, warning)
  assert.doesNotMatch((await client('update', id, '--no-require-true')).out, /Warning/)
})

test('an invalid value is refused in one sentence', async () => {
  const create = (...args: string[]) => client('create', ...args)
  const fine = ['--template', 'identity']
  const uri = ['--redirect-uri', 'https://shop.example/callback']
  assert.match((await create(...fine, '--redirect-uri', 'http://shop.example/')).err, /redirect URIs must be https/)
  assert.match((await create(...fine, '--redirect-uri', 'https://shop.example/#a')).err, /without fragment/)
  const local = [...fine, '--redirect-uri', 'http://localhost/', '--environment', 'live']
  assert.match((await create(...local)).err, /localhost in test/)
  assert.match((await create(...fine)).err, /1 to 20 redirect URIs/)
  assert.match((await create(...uri, '--template', 'nothing')).err, /no such template/)
  assert.match((await create(...uri, ...fine, '--subject', 'derived', '--subject-claim', 'a')).err, /derived several/)
  assert.match((await create(...uri, ...fine, '--auth-method', 'private_key_jwt')).err, /public keys/)
  assert.match((await create(...uri, ...fine, '--auth-method', 'mtls')).err, /must be one of/)
  assert.match((await client('remove', 'oic_unknown')).err, /no such client/)
})

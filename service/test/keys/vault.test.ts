// Tests keys in Vault or OpenBao with a double of their API, and with a real server if one is installed.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '../../src/platform/config/config.ts'
import { ConfigError } from '../../src/platform/config/config-problems.ts'
import { type FaultProxy, startFaultProxy } from '../harness/servers/fault-proxy.ts'
import { startVault } from '../harness/servers/vault.ts'
import { waitUntil } from '../harness/wait.ts'
import { createVaultDouble } from './doubles/vault.ts'
import { type Counterpart, openKeys, SECRET, testKeyService } from './key-service-contract.ts'
import { testServiceUnderKeys } from './service-contract.ts'

const folder = await mkdtemp(join(tmpdir(), 'vidimus-vault-'))
after(() => rm(folder, { recursive: true, force: true }))
const tokenFile = join(folder, 'token')
const vaultError = (status: number) => ({ status, body: JSON.stringify({ errors: [SECRET] }) })

const counterpartOf = (proxy: FaultProxy, env: Readonly<Record<string, string>>): Counterpart => ({
  env: { VIDIMUS_VAULT_URL: proxy.url, ...env },
  proxy,
  reference: (name) => `vault:transit/keys/${name}`,
  algorithms: ['ES256', 'EdDSA', 'RS256'],
  encoding: 'raw',
  pinned: /^vault:transit\/keys\/[\w-]+\/1$/,
  isSignature: ({ path }) => path.startsWith('/v1/transit/sign/'),
  signatureIn: (body) => Buffer.from(JSON.parse(body).data.signature.split(':')[2], 'base64url'),
  withSignature: (_, signature) =>
    JSON.stringify({ data: { signature: `vault:v1:${signature.toString('base64url')}` } }),
  answers: { throttled: vaultError(429), expired: vaultError(403), disabled: vaultError(400) },
})

const double = createVaultDouble()
const proxy = await startFaultProxy(double.respond)
await writeFile(tokenFile, `${double.addToken(3600)}\n`)
const counterpart = counterpartOf(proxy, { VIDIMUS_VAULT_TOKEN_FILE: tokenFile })
testKeyService('the double of Vault', counterpart)
testServiceUnderKeys('the double of Vault', counterpart)

const real = await startVault()
if (real !== null) {
  const realToken = join(folder, 'real-token')
  await writeFile(realToken, real.token)
  const realCounterpart = counterpartOf(await startFaultProxy(real.url), { VIDIMUS_VAULT_TOKEN_FILE: realToken })
  testKeyService(real.program, realCounterpart)
  testServiceUnderKeys(real.program, realCounterpart)
}

test('an exportable key is refused, and so is a name that leaves its mount', async (t) => {
  const keys = openKeys(counterpart)
  t.after(() => keys.close())
  await keys.findOrCreate('vault:transit/keys/loose', 'ES256')
  const loose = double.keys.get('loose') ?? assert.fail()
  loose.exportable = true
  await assert.rejects(keys.findOrCreate('vault:transit/keys/loose', 'ES256'), /can leave Vault/)
  await assert.rejects(keys.wrap('vault:transit/keys/loose', Buffer.alloc(32)), /can leave Vault/)
  await keys.findOrCreate('vault:transit/keys/signing', 'ES256')
  await assert.rejects(keys.wrap('vault:transit/keys/signing', Buffer.alloc(32)), /is not aes256-gcm96/)
  for (const bad of ['vault:transit/keys/../sys', 'vault:../sys/keys/a', 'vault:transit/keys/a/0', 'vault:keys/a'])
    await assert.rejects(keys.findOrCreate(bad, 'ES256'), /a key is named like `vault:/, bad)
})

test('after a rotation the pinned version still signs, and a new reference gets the new version', async (t) => {
  const keys = openKeys(counterpart)
  t.after(() => keys.close())
  const first = await keys.findOrCreate('vault:transit/keys/rotated', 'ES256')
  double.rotate('rotated')
  const second = await keys.findOrCreate('vault:transit/keys/rotated', 'ES256')
  assert.equal(second.reference, 'vault:transit/keys/rotated/2')
  assert.ok(!first.publicKey.equals(second.publicKey))
  assert.deepEqual([await keys.probe(first), await keys.probe(second)], [null, null])
  proxy.fault = ({ path }) =>
    path.startsWith('/v1/transit/sign/') ? (body) => body.replace('vault:v1:', 'vault:v2:') : null
  assert.match((await keys.probe(first)) ?? '', /another version/)
  proxy.fault = () => null
})

test('AppRole and Kubernetes sign in once, renew without a second login, and sign in again after expiry', async () => {
  const pinned = await openKeys(counterpart).findOrCreate('vault:transit/keys/faults', 'ES256')
  const secretFile = join(folder, 'secret-id')
  const podFile = join(folder, 'pod')
  await writeFile(podFile, double.podToken)
  const approle = { VIDIMUS_VAULT_ROLE_ID: double.roleId, VIDIMUS_VAULT_SECRET_ID_FILE: secretFile }
  const pod = { VIDIMUS_VAULT_KUBERNETES_ROLE: 'vidimus', VIDIMUS_VAULT_KUBERNETES_TOKEN_FILE: podFile }
  const logins = () => proxy.seen.filter(({ path }) => path.endsWith('/login')).length
  for (const login of [approle, pod]) {
    double.secretIds.add('secret-1')
    await writeFile(secretFile, 'secret-1')
    const keys = openKeys({ env: { VIDIMUS_VAULT_URL: proxy.url, ...login } })
    const before = logins()
    assert.deepEqual([await keys.probe(pinned), await keys.probe(pinned)], [null, null])
    assert.equal(logins() - before, 1)
    // All tokens end: AppRole needs an unused secret id.
    double.tokens.clear()
    double.secretIds.add('secret-2')
    await writeFile(secretFile, 'secret-2')
    assert.equal(await keys.probe(pinned), null)
    assert.equal(logins() - before, 2)
    await keys.close()
  }
  double.tokens.clear()
  double.secretIds.clear()
  const used = openKeys({ env: { VIDIMUS_VAULT_URL: proxy.url, ...approle } })
  assert.match((await used.probe(pinned)) ?? '', /Vault \(sign-in\) answers 400/)
  await writeFile(tokenFile, double.addToken(3600))
})

test('a token is renewed before it expires, even while nothing is signed', async (t) => {
  const short = join(folder, 'short')
  const token = double.addToken(1)
  await writeFile(short, token)
  const keys = openKeys({ env: { VIDIMUS_VAULT_URL: proxy.url, VIDIMUS_VAULT_TOKEN_FILE: short } })
  t.after(() => keys.close())
  await keys.findOrCreate('vault:transit/keys/faults', 'ES256')
  const renewals = () =>
    proxy.seen.filter(({ path, headers }) => path.endsWith('/renew-self') && headers['x-vault-token'] === token).length
  await waitUntil('the token was renewed twice', () => renewals() >= 2)
})

test('Vault is configured with one way to sign in, by https or on this machine', () => {
  const problems = (env: Record<string, string>) => {
    try {
      readConfig(env)
      return ''
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return error.message
    }
  }
  const url = { VIDIMUS_VAULT_URL: 'https://vault.svc.cluster.local:8200' }
  assert.equal(problems({ ...url, VIDIMUS_VAULT_TOKEN_FILE: '/run/token' }), '')
  assert.match(problems(url), /VIDIMUS_VAULT_URL: needs one sign-in method/)
  const both = { VIDIMUS_VAULT_TOKEN_FILE: '/run/token', VIDIMUS_VAULT_KUBERNETES_ROLE: 'a' }
  assert.match(problems({ ...url, ...both }), /VIDIMUS_VAULT_URL: needs one sign-in method/)
  assert.match(problems({ VIDIMUS_VAULT_TOKEN_FILE: '/run/token' }), /VIDIMUS_VAULT_URL: required if/)
  assert.match(problems({ ...url, VIDIMUS_VAULT_ROLE_ID: 'a' }), /VIDIMUS_VAULT_SECRET_ID_FILE: required if/)
  for (const bad of ['http://vault.example.com', 'https://a:b@vault.example.com', 'https://vault.example.com/'])
    assert.match(
      problems({ VIDIMUS_VAULT_URL: bad, VIDIMUS_VAULT_TOKEN_FILE: '/t' }),
      /VIDIMUS_VAULT_URL: an https/,
      bad,
    )
})

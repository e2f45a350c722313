// Tests keys in Azure Key Vault with a double of its API, over TLS and under a name of Azure.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startFaultProxy } from '../harness/servers/fault-proxy.ts'
import { makeAuthority } from '../outbound/certificates.ts'
import { startDnsServer } from '../outbound/dns-server.ts'
import { createAzureDouble } from './doubles/azure.ts'
import { type Counterpart, openKeys, SECRET, testKeyService } from './key-service-contract.ts'

const HOST = 'shop.vault.azure.net'
const authority = await makeAuthority()
const dns = await startDnsServer((name, type) =>
  name.endsWith('.azure.net') && type === 'A' ? { A: ['127.0.0.1'] } : {},
)
after(() => dns.close())
const folder = await mkdtemp(join(tmpdir(), 'vidimus-azure-'))
after(() => rm(folder, { recursive: true, force: true }))

const double = createAzureDouble(HOST)
const proxy = await startFaultProxy(double.respond, await authority.issue({ names: [HOST], ip: '127.0.0.1' }))
const application = {
  AZURE_AUTHORITY_HOST: proxy.url,
  AZURE_TENANT_ID: '11111111-2222-3333-4444-555555555555',
  AZURE_CLIENT_ID: 'app-1',
  AZURE_CLIENT_SECRET: 'secret-1',
}
const vault = `azurekms:https://${HOST}:${proxy.port}`
const azureError = (status: number, code: string) => ({
  status,
  body: JSON.stringify({ error: { code, message: SECRET } }),
})
const counterpart: Counterpart = {
  env: application,
  world: { dnsServers: [dns.address], extraCa: [authority.pem] },
  proxy,
  reference: (name) => `${vault}/keys/${name}`,
  algorithms: ['ES256', 'RS256'],
  encoding: 'raw',
  pinned: /^azurekms:https:\/\/shop\.vault\.azure\.net:\d+\/keys\/[\w-]+\/[0-9a-f]{32}$/,
  isSignature: ({ path }) => path.includes('/sign?'),
  signatureIn: (body) => Buffer.from(JSON.parse(body).value, 'base64url'),
  withSignature: (body, signature) => JSON.stringify({ ...JSON.parse(body), value: signature.toString('base64url') }),
  answers: {
    throttled: azureError(429, 'Throttled'),
    expired: azureError(401, 'Unauthorized'),
    disabled: azureError(403, 'Forbidden'),
  },
}
testKeyService('the double of Azure Key Vault', counterpart)

test('a token goes only to vaults of Azure, with a valid certificate', async () => {
  const { env, world } = counterpart
  const keys = openKeys(counterpart)
  const before = proxy.seen.length
  for (const host of ['vault.azure.net.example.com', 'evilvault.azure.net', 'example.com'])
    await assert.rejects(keys.findOrCreate(`azurekms:https://${host}/keys/a`, 'ES256'), /not an Azure vault/, host)
  for (const bad of [`azurekms:http://${HOST}/keys/a`, `${vault}/keys/a_b`, `${vault}/secrets/a`, `${vault}/keys/a/1`])
    await assert.rejects(keys.findOrCreate(bad, 'ES256'), /a key is named like `azurekms:/, bad)
  assert.equal(proxy.seen.length, before)
  const withoutAuthority = openKeys({ env, world: { ...world, extraCa: [] } })
  await assert.rejects(withoutAuthority.findOrCreate(`${vault}/keys/a`, 'ES256'), /does not answer: tls_error/)
  await assert.rejects(
    keys.findOrCreate(`${vault}/keys/a`, 'EdDSA'),
    /keys for EdDSA in Azure Key Vault are not supported/,
  )
})

test('a rotated key keeps its version, an exportable one is refused, and a new version unwraps the old', async () => {
  const keys = openKeys(counterpart)
  const first = await keys.findOrCreate(`${vault}/keys/rotated`, 'ES256')
  double.rotate('rotated')
  const second = await keys.findOrCreate(`${vault}/keys/rotated`, 'ES256')
  assert.notEqual(first.reference, second.reference)
  assert.deepEqual([await keys.probe(first), await keys.probe(second)], [null, null])
  const key = double.keys.get('rotated') ?? assert.fail()
  key.exportable = true
  await assert.rejects(keys.findOrCreate(`${vault}/keys/rotated`, 'ES256'), /must not be exportable/)
  const wrapped = await keys.wrap(`${vault}/keys/wraps`, Buffer.alloc(32, 3))
  double.rotate('wraps')
  assert.deepEqual(Buffer.from(await keys.unwrap(`${vault}/keys/wraps`, wrapped)), Buffer.alloc(32, 3))
  await assert.rejects(keys.wrap(`${vault}/keys/wraps`, Buffer.alloc(32)), /neither RSA nor symmetric/)
})

test('tokens come from a secret, a pod or a managed identity', async () => {
  const { world } = counterpart
  const pinned = await openKeys(counterpart).findOrCreate(`${vault}/keys/faults`, 'ES256')
  const podFile = join(folder, 'pod')
  await writeFile(podFile, 'pod.token.signature\n')
  const { AZURE_CLIENT_SECRET: _, ...federated } = { ...application, AZURE_FEDERATED_TOKEN_FILE: podFile }
  const machine = { AZURE_POD_IDENTITY_AUTHORITY_HOST: proxy.url }
  const hosted = { IDENTITY_ENDPOINT: `${proxy.url}/msi/token`, IDENTITY_HEADER: 'header-1' }
  for (const env of [federated, machine, hosted]) assert.equal(await openKeys({ env, world }).probe(pinned), null)
  for (const env of [
    { ...application, AZURE_CLIENT_SECRET: 'other' },
    { ...hosted, IDENTITY_HEADER: 'other' },
  ])
    assert.match((await openKeys({ env, world }).probe(pinned)) ?? '', /answers 401 invalid_client/)
  // One token serves many signatures, and a fresh one replaces those that expired.
  const keys = openKeys(counterpart)
  const countTokenRequests = () => proxy.seen.filter(({ path }) => path.endsWith('/oauth2/v2.0/token')).length
  const before = countTokenRequests()
  assert.deepEqual(await Promise.all([keys.probe(pinned), keys.probe(pinned)]), [null, null])
  assert.equal(countTokenRequests() - before, 1)
  double.tokens.clear()
  assert.equal(await keys.probe(pinned), null)
  assert.equal(countTokenRequests() - before, 2)
})

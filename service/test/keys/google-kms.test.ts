// Tests keys in Google Cloud KMS with a double of its API.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { crc32c } from '../../src/platform/keys/services/crc32c.ts'
import { startFaultProxy } from '../harness/servers/fault-proxy.ts'
import { createGoogleDouble, sumOf } from './doubles/google.ts'
import { type Counterpart, openKeys, SECRET, testKeyService } from './key-service-contract.ts'

const folder = await mkdtemp(join(tmpdir(), 'vidimus-google-'))
after(() => rm(folder, { recursive: true, force: true }))
const double = createGoogleDouble()
const proxy = await startFaultProxy(double.respond)
const accountFile = join(folder, 'account.json')
await writeFile(accountFile, double.account(`${proxy.url}/token`))

const ring = 'projects/shop/locations/europe-west3/keyRings/vidimus'
const googleError = (code: number, status: string) => ({
  status: code,
  body: JSON.stringify({ error: { code, status, message: SECRET } }),
})
const counterpart: Counterpart = {
  env: { VIDIMUS_GOOGLE_KMS_URL: proxy.url, GOOGLE_APPLICATION_CREDENTIALS: accountFile },
  proxy,
  reference: (name) => `gcpkms:${ring}/cryptoKeys/${name}`,
  algorithms: ['ES256', 'EdDSA', 'RS256'],
  encoding: 'der',
  pinned: /^gcpkms:projects\/.*\/cryptoKeys\/[\w-]+\/cryptoKeyVersions\/1$/,
  isSignature: ({ path }) => path.endsWith(':asymmetricSign'),
  signatureIn: (body) => Buffer.from(JSON.parse(body).signature, 'base64'),
  withSignature: (body, signature) =>
    JSON.stringify({
      ...JSON.parse(body),
      signature: signature.toString('base64'),
      signatureCrc32c: sumOf(signature),
    }),
  answers: {
    throttled: googleError(429, 'RESOURCE_EXHAUSTED'),
    expired: googleError(401, 'UNAUTHENTICATED'),
    disabled: googleError(400, 'FAILED_PRECONDITION'),
  },
}
testKeyService('the double of Google Cloud KMS', counterpart)

test('CRC-32C is that of the standard', () => {
  // RFC 3720 appendix B.4, and the check value of the catalogue.
  assert.equal(crc32c(Buffer.from('123456789')), 0xe3069283)
  assert.equal(crc32c(Buffer.alloc(32)), 0x8a9136aa)
  assert.equal(crc32c(Buffer.alloc(32, 0xff)), 0x62a8ab43)
})

test('values that changed in transit are neither used nor sent', async () => {
  const keys = openKeys(counterpart)
  const pinned = await keys.findOrCreate(`gcpkms:${ring}/cryptoKeys/faults`, 'ES256')
  const change = (members: object) => (body: string) => JSON.stringify({ ...JSON.parse(body), ...members })
  const changes: readonly (readonly [object, RegExp])[] = [
    [{ verifiedDigestCrc32c: false }, /the request to Google Cloud KMS was corrupted/],
    [{ verifiedDigestCrc32c: undefined }, /the request to Google Cloud KMS was corrupted/],
    [{ signatureCrc32c: '1' }, /the answer of Google Cloud KMS was corrupted/],
    [{ signatureCrc32c: undefined }, /the answer of Google Cloud KMS was corrupted/],
    [{ name: `${ring}/cryptoKeys/faults/cryptoKeyVersions/2` }, /signed with another key/],
  ]
  for (const [members, why] of changes) {
    proxy.fault = (passing) => (counterpart.isSignature(passing) ? change(members) : null)
    assert.match((await openKeys(counterpart).probe(pinned)) ?? '', why, JSON.stringify(members))
  }
  const wrapping = `gcpkms:${ring}/cryptoKeys/wraps`
  proxy.fault = () => null
  const wrapped = await keys.wrap(wrapping, Buffer.alloc(32, 5))
  for (const members of [
    { verifiedPlaintextCrc32c: false },
    { verifiedAdditionalAuthenticatedDataCrc32c: false },
    { ciphertextCrc32c: '1' },
  ]) {
    proxy.fault = ({ path }) => (path.endsWith(':encrypt') ? change(members) : null)
    await assert.rejects(keys.wrap(wrapping, Buffer.alloc(32, 5)), /corrupted in transit/, JSON.stringify(members))
  }
  proxy.fault = ({ path }) => (path.endsWith(':decrypt') ? change({ plaintextCrc32c: '1' }) : null)
  await assert.rejects(keys.unwrap(wrapping, wrapped), /corrupted in transit/)
  proxy.fault = ({ path }) => (path.endsWith('/publicKey') ? change({ pemCrc32c: '1' }) : null)
  await assert.rejects(keys.findOrCreate(pinned.reference, 'ES256'), /corrupted in transit/)
  proxy.fault = () => null
})

test('a rotated key keeps its version; a missing version is not created', async () => {
  const keys = openKeys(counterpart)
  const path = `${ring}/cryptoKeys/rotated`
  const first = await keys.findOrCreate(`gcpkms:${path}`, 'ES256')
  double.rotate(path)
  const second = await keys.findOrCreate(`gcpkms:${path}/cryptoKeyVersions/2`, 'ES256')
  assert.ok(!first.publicKey.equals(second.publicKey))
  assert.deepEqual([await keys.probe(first), await keys.probe(second)], [null, null])
  await assert.rejects(keys.findOrCreate(`gcpkms:${path}/cryptoKeyVersions/3`, 'ES256'), /no such version/)
})

test('tokens come from a service account or the metadata server', async () => {
  const { env } = counterpart
  const pinned = await openKeys(counterpart).findOrCreate(`gcpkms:${ring}/cryptoKeys/faults`, 'ES256')
  const host = proxy.url.replace('http://', '')
  const metadata = { VIDIMUS_GOOGLE_KMS_URL: proxy.url, GCE_METADATA_HOST: host }
  assert.equal(await openKeys({ env: metadata }).probe(pinned), null)
  const elsewhere = { ...metadata, GCE_METADATA_HOST: 'metadata.example.com' }
  assert.match((await openKeys({ env: elsewhere }).probe(pinned)) ?? '', /by https only/)
  const broken = join(folder, 'broken.json')
  for (const content of ['{', '{"type":"external_account"}', double.account('x').replace('service_account', 'x')]) {
    await writeFile(broken, content)
    const problem = await openKeys({ env: { ...env, GOOGLE_APPLICATION_CREDENTIALS: broken } }).probe(pinned)
    assert.equal(problem, 'the file that GOOGLE_APPLICATION_CREDENTIALS names is not the key of a service account')
  }
  await writeFile(broken, double.account(`${proxy.url}/token`).replace('vidimus@p.iam', 'other@p.iam'))
  const stranger = openKeys({ env: { ...env, GOOGLE_APPLICATION_CREDENTIALS: broken } })
  assert.match((await stranger.probe(pinned)) ?? '', /Google answers 400 invalid_grant/)
  const keys = openKeys(counterpart)
  assert.equal(await keys.probe(pinned), null)
  double.tokens.clear()
  assert.equal(await keys.probe(pinned), null)
})

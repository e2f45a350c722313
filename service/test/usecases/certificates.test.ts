// Tests certificates: created once by replicas that start together, renewed in time, refused without their own key.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { certificateSealContext } from '../../src/features/trust/domain/certificate.ts'
import { newSigningKey } from '../../src/features/trust/outbound/certificate.ts'
import { createCertificateCache } from '../../src/features/trust/store/certificate-cache.ts'
import { listAllCertificates, openCertificateKey } from '../../src/features/trust/store/certificates.ts'
import { certificateFaults, clientIdFor, signerFor } from '../../src/features/trust/usecases/certificate-in-use.ts'
import { instantOf } from '../../src/platform/world.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const { deps, clock } = service
const tenantId = await service.tenant()
const DAY = 86_400_000
const realm = { tenantId, environment: 'test' } as const

test('replicas that start together agree on one key and one authority', async () => {
  const replicas = await Promise.all(
    Array.from({ length: 4 }, () => createCertificateCache(deps.db, deps.remoteKeys.open)),
  )
  const ids = await Promise.all(
    replicas.map((certificates) => clientIdFor({ ...deps, certificates }, { ...realm, prefix: 'x509_hash' })),
  )
  assert.equal(new Set(ids).size, 1)
  const current = (await listAllCertificates(deps.db)).filter((key) => key.retiredAt === null)
  assert.equal(current.length, 1)
  for (const replica of replicas) await replica.close()
})

test('the leaf is never self-signed and the authority never in the chain', async () => {
  const clientId = await clientIdFor(deps, { ...realm, prefix: 'x509_hash' })
  const { chain } = await signerFor(deps, { ...realm, clientId })
  assert.equal(chain.length, 1)
  const leaf = new X509Certificate(chain[0] ?? new Uint8Array())
  assert.notEqual(leaf.subject, leaf.issuer)
  assert.equal(leaf.subjectAltName, 'DNS:verify.example.com')
})

test('each environment has its own key', async () => {
  const [forTest, forLive] = await Promise.all(
    (['test', 'live'] as const).map((environment) => clientIdFor(deps, { tenantId, environment, prefix: 'x509_hash' })),
  )
  assert.notEqual(forTest, forLive)
})

test('private keys are sealed at rest', async () => {
  const clientId = await clientIdFor(deps, { ...realm, prefix: 'x509_hash' })
  const { id } = await signerFor(deps, { ...realm, clientId })
  const sealed = (await listAllCertificates(deps.db)).find((one) => one.id === id) ?? assert.fail()
  const privateKey = createPrivateKey({ key: openCertificateKey(deps.db, sealed), format: 'der', type: 'pkcs8' })
  const scalar = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url')
  const rows = await deps.db.query<{ all: string }>({
    name: 'test_access_dump',
    text: `select (select string_agg(encode(private_key, 'hex'), ' ') from access_keys) ||
           (select string_agg(encode(private_key, 'hex'), ' ') from access_authorities) as all`,
  })
  assert.ok(scalar.length === 32 && !rows[0]?.all.includes(scalar.toString('hex')))
})

test('N219: a generated certificate is renewed before it expires, and older verifications still find theirs', async () => {
  const before = await clientIdFor(deps, { ...realm, prefix: 'x509_hash' })
  clock.advance(340 * DAY)
  const after = await clientIdFor(deps, { ...realm, prefix: 'x509_hash' })
  assert.notEqual(after, before)
  const old = await signerFor(deps, { ...realm, clientId: before })
  assert.notEqual(old.retiredAt, null)
  assert.equal((await signerFor(deps, { ...realm, clientId: after })).retiredAt, null)
})

test('N216: a key that does not belong to its certificate is reported at start', async () => {
  assert.deepEqual(await certificateFaults(deps), [])
  const [key] = (await listAllCertificates(deps.db)).filter(({ retiredAt }) => retiredAt === null)
  assert.ok(key !== undefined)
  const other = deps.db.sealer.seal(newSigningKey().privateKeyBytes, certificateSealContext(key))
  const set = { name: 'test_swap_key', text: 'update access_keys set private_key = $2 where id = $1' }
  await deps.db.query(set, [key.id, other])
  assert.match((await certificateFaults(deps)).join(), /the private key does not belong to the access certificate/)
  const started = await start()
  assert.equal(started.code, 1)
  assert.match(started.stderr, /the private key does not belong to the access certificate/)
  await deps.db.query(set, [key.id, deps.db.sealer.seal(newSigningKey().privateKeyBytes, 'elsewhere')])
  assert.match((await certificateFaults(deps)).join(), /VIDIMUS_MASTER_KEY/)
  await deps.db.query(set, [key.id, key.sealedKey])
})

/** Returns the real process on this test's store. */
async function start(): Promise<{ code: number; stderr: string }> {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
  const env = {
    ...BARE_ENVIRONMENT,
    PORT: '0',
    DATABASE_URL: service.url,
    VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
    VIDIMUS_BASE_URL: 'https://verify.example.com',
  }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, 'serve'],
      { env, timeout: 60_000, killSignal: 'SIGKILL' },
      (error, _stdout, stderr) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, stderr }),
    )
  })
}

test('an expired access certificate signs nothing and raises an alarm', async () => {
  const [key] = (await listAllCertificates(deps.db)).filter(
    ({ retiredAt, environment }) => retiredAt === null && environment === 'test',
  )
  assert.ok(key !== undefined)
  await deps.db.query(
    { name: 'test_make_installed', text: `update access_keys set origin = 'installed' where id = $1` },
    [key.id],
  )
  deps.certificates.forget()
  clock.advance(400 * DAY)
  await assert.rejects(clientIdFor(deps, { ...realm, prefix: 'x509_hash' }), { code: 'unavailable' })
  assert.match(await deps.metrics.registry.metrics(), /access_certificate_not_valid"} [1-9]/)
  assert.ok(instantOf(clock.now()) > (key.installedAt ?? ''))
})

// Tests certificates by use: what is generated if none is installed, what is refused, and which one signs what.

import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import test from 'node:test'
import { signingPurposeFault } from '@vidimus/engine'
import { generateKey, mintAuthority, mintSigner, type PrivateJwk } from '@vidimus/wallet'
import {
  authorityKeyId,
  basicConstraints,
  type Extension,
  extKeyUsage,
  keyUsage,
  OID,
  subjectAltName,
} from '../../../wallet/src/pki.ts'
import type { CertificatePurpose } from '../../src/features/trust/domain/certificate.ts'
import { createCertificateCache } from '../../src/features/trust/store/certificate-cache.ts'
import { listAllCertificates, loadAuthority } from '../../src/features/trust/store/certificates.ts'
import {
  certificateFaults,
  certificateFor,
  clientIdFor,
  generateMissingCertificates,
  readersFor,
  signerFor,
  signersFor,
} from '../../src/features/trust/usecases/certificate-in-use.ts'
import { diagnoseTrust } from '../../src/features/trust/usecases/diagnose-trust.ts'
import { installCertificate } from '../../src/features/trust/usecases/manage-certificates.ts'
import type { Environment } from '../../src/platform/world.ts'
import { fetchOffer } from '../harness/dc-api.ts'
import { OPERATOR, testService } from '../harness/service.ts'

const DAY_MS = 86_400_000
const METADATA_HASH = '1.3.6.1.4.1.11129.10.1'
const service = await testService()
const { deps, clock } = service

const now = Math.floor(clock.now() / 1000)
const period = { notBefore: now - 1000, notAfter: now + 20 * 86_400 }
const authority = mintAuthority({ commonName: 'Reader CA' }, period)

const SIGNS = keyUsage('digitalSignature')
const READS = extKeyUsage([OID.mdlReaderAuth])
const HASH: Extension = {
  oid: METADATA_HASH,
  critical: false,
  value: Buffer.concat([Buffer.from([4, 32]), new Uint8Array(32)]),
}
/** Exactly what the use requires of a certificate. */
const PROFILE: Record<CertificatePurpose, readonly Extension[]> = {
  openid4vp: [],
  'iso-reader': [SIGNS, READS],
  apple: [SIGNS, READS],
  google: [SIGNS, HASH],
}

function mint(extensions: readonly Extension[], subjectKey: PrivateJwk = generateKey()) {
  const usual = [
    basicConstraints(false),
    authorityKeyId(authority.key),
    subjectAltName({ dns: ['verify.example.com'] }),
  ]
  const minted = mintSigner(
    authority,
    { commonName: 'Shop' },
    { ...period, subjectKey, extensions: [...usual, ...extensions] },
  )
  const pkcs8 = createPrivateKey({ key: { ...minted.key }, format: 'jwk' }).export({ format: 'der', type: 'pkcs8' })
  return { chain: [new Uint8Array(Buffer.from(minted.certificate, 'base64'))], privateKey: new Uint8Array(pkcs8) }
}

async function install(
  purpose: CertificatePurpose,
  tenantId: string | null,
  minted = mint(PROFILE[purpose]),
  environment: Environment = 'test',
) {
  const done = await installCertificate(deps, { owner: { tenantId, environment }, purpose, ...minted, actor: OPERATOR })
  deps.certificates.forget()
  return done
}

async function installed(purpose: CertificatePurpose, tenantId: string | null): Promise<string> {
  const done = await install(purpose, tenantId)
  assert.equal(done.outcome, 'installed', JSON.stringify(done))
  return done.outcome === 'installed' ? done.id : assert.fail()
}

const newRealm = async (environment: Environment = 'test') => ({ tenantId: await service.tenant(), environment })

test('without an installed certificate, replicas agree on one reader certificate of the private authority', async (t) => {
  for (const environment of ['test', 'live'] as const) {
    const realm = await newRealm(environment)
    const replicas = await Promise.all(
      Array.from({ length: 4 }, () => createCertificateCache(deps.db, deps.remoteKeys.open)),
    )
    for (const replica of replicas) t.after(() => replica.close())
    const found = await Promise.all(
      replicas.map((certificates) => certificateFor({ ...deps, certificates }, realm, 'iso-reader')),
    )
    const [reader] = found
    assert.ok(reader !== undefined && new Set(found.map(({ id }) => id)).size === 1)
    assert.equal(signingPurposeFault(reader.leaf, 'iso-reader'), null)
    const above = await loadAuthority(deps.db, environment)
    assert.ok(above !== null && new X509Certificate(reader.leaf).checkIssued(new X509Certificate(above.certificate)))
    assert.equal(reader.key.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
    assert.notEqual((await certificateFor(deps, realm, 'openid4vp')).id, reader.id)
  }
})

test('a start creates what is missing for both uses and environments, once', async () => {
  const fresh = await testService()
  await clientIdFor(fresh.deps, { tenantId: await fresh.tenant(), environment: 'test', prefix: 'x509_hash' })
  const current = async () =>
    (await listAllCertificates(fresh.deps.db)).map(({ environment, purpose }) => `${environment} ${purpose}`)
  const all = ['live openid4vp', 'live iso-reader', 'test openid4vp', 'test iso-reader']
  for (let starts = 0; starts < 2; starts += 1) {
    await generateMissingCertificates(fresh.deps)
    assert.deepEqual(await certificateFaults(fresh.deps), [])
    assert.deepEqual(await current(), all)
  }
})

const REFUSED: readonly [CertificatePurpose, string, ReturnType<typeof mint>, RegExp][] = [
  ['iso-reader', 'without its extended key usage', mint([SIGNS]), /lacks the extended key usage 1\.0\.18013\.5\.1\.6/],
  ['iso-reader', 'with another', mint([SIGNS, extKeyUsage([OID.mdlDocumentSigner])]), /lacks the extended key usage/],
  [
    'iso-reader',
    'whose extended key usage is not critical',
    mint([SIGNS, extKeyUsage([OID.mdlReaderAuth], false)]),
    /must be critical/,
  ],
  ['iso-reader', 'that may not sign data', mint([keyUsage('keyEncipherment'), READS]), /lacks the key usage/],
  ['iso-reader', 'on another curve', mint([SIGNS, READS], generateKey('Ed25519')), /P-256, P-384 or P-521/],
  ['apple', 'without the extended key usage of a reader', mint([SIGNS]), /lacks the extended key usage/],
  ['google', 'without the hash of its metadata', mint([SIGNS, READS]), /lacks the extension 1\.3\.6/],
  ['google', 'on another curve', mint([SIGNS, HASH], generateKey('P-384')), /must be on P-256/],
  ['google', 'that may not sign data', mint([HASH]), /lacks the key usage/],
]
for (const [purpose, title, minted, problem] of REFUSED) {
  test(`${purpose}: a certificate ${title} is not installed`, async () => {
    const ids = async () => (await listAllCertificates(deps.db)).map(({ id }) => id)
    const before = await ids()
    const done = await install(purpose, null, minted)
    assert.ok(done.outcome === 'refused' && problem.test(done.problem), JSON.stringify(done))
    assert.deepEqual(await ids(), before)
  })
}

test("a certificate is for one use of one owner: a tenant's takes precedence over the service's, and other uses keep theirs", async () => {
  const [own, other] = [await newRealm(), await newRealm()]
  const clientId = await clientIdFor(deps, { ...own, prefix: 'x509_hash' })
  const id = await installed('iso-reader', own.tenantId)
  assert.equal((await certificateFor(deps, own, 'iso-reader')).id, id)
  assert.equal((await certificateFor(deps, other, 'iso-reader')).provenance, 'generated')
  assert.equal((await certificateFor(deps, { ...own, environment: 'live' }, 'iso-reader')).provenance, 'generated')
  assert.equal(await clientIdFor(deps, { ...own, prefix: 'x509_hash' }), clientId)
  const next = await installed('iso-reader', own.tenantId)
  assert.equal((await certificateFor(deps, own, 'iso-reader')).id, next)
})

test('a reader certificate does not sign requests, even if it names the host', async () => {
  const realm = await newRealm()
  await installed('iso-reader', realm.tenantId)
  const signer = await signerFor(deps, {
    ...realm,
    clientId: await clientIdFor(deps, { ...realm, prefix: 'x509_san_dns' }),
  })
  assert.equal(signer.purpose, 'openid4vp')
})

test('of simultaneous installations for a new use, one becomes current and the others are reported', async () => {
  const { tenantId } = await newRealm()
  const done = await Promise.all(Array.from({ length: 8 }, () => install('apple', tenantId)))
  for (const one of done)
    assert.ok(one.outcome === 'installed' || /at the same time/.test(one.problem), JSON.stringify(one))
  const current = (await listAllCertificates(deps.db)).filter(
    (key) => key.tenantId === tenantId && key.installedAt !== null && key.retiredAt === null,
  )
  assert.equal(current.length, 1)
})

test('one chain signs requests; with a chain for Google Wallet there are two, and that of the client_id comes first', async () => {
  const realm = await newRealm()
  const purposes = async (request: Parameters<typeof signersFor>[1]) =>
    (await signersFor(deps, request)).map(({ purpose }) => purpose)
  assert.ok((await certificateFor(deps, realm, 'google')) === null)
  assert.deepEqual(await purposes(realm), ['openid4vp'])
  const google = await installed('google', realm.tenantId)
  assert.equal((await certificateFor(deps, realm, 'google'))?.id, google)
  assert.deepEqual(await purposes(realm), ['openid4vp', 'google'])
  assert.deepEqual(await purposes(await newRealm()), ['openid4vp'])

  const clientId = await clientIdFor(deps, { ...realm, prefix: 'x509_hash' })
  const replacement = await installed('openid4vp', realm.tenantId)
  const [usual] = await signersFor(deps, realm)
  assert.equal(usual?.id, replacement)
  const [first, second] = await signersFor(deps, { ...realm, clientId })
  assert.deepEqual([first?.hashClientId, second?.id], [clientId, google])
})

test('a replaced certificate signs its verifications until they are over', async () => {
  const realm = await newRealm()
  await installed('openid4vp', realm.tenantId)
  const clientId = await clientIdFor(deps, { ...realm, prefix: 'x509_hash' })
  await installed('openid4vp', realm.tenantId)
  assert.notEqual(await clientIdFor(deps, { ...realm, prefix: 'x509_hash' }), clientId)
  const old = await signerFor(deps, { ...realm, clientId })
  assert.deepEqual([old.hashClientId, old.retiredAt === null], [clientId, false])
})

test('one chain authenticates a reader, and one more if Apple issued it', async () => {
  const realm = await newRealm()
  assert.ok((await certificateFor(deps, realm, 'apple')) === null)
  assert.deepEqual(
    (await readersFor(deps, realm)).map(({ purpose }) => purpose),
    ['iso-reader'],
  )
  const apple = await installed('apple', realm.tenantId)
  assert.deepEqual((await readersFor(deps, realm)).map(({ id }) => id).slice(1), [apple])
})

test('metrics and diagnosis show the expiry of each use', async () => {
  const watched = await testService()
  await generateMissingCertificates(watched.deps)
  const owner = { tenantId: null, environment: 'live' } as const
  const done = await installCertificate(watched.deps, {
    owner,
    purpose: 'google',
    ...mint(PROFILE.google),
    actor: OPERATOR,
  })
  assert.equal(done.outcome, 'installed')
  const own = { tenantId: await watched.tenant(), environment: 'test' } as const
  await installCertificate(watched.deps, { owner: own, purpose: 'openid4vp', ...mint([]), actor: OPERATOR })
  const { text } = await watched.call('GET', '/metrics', { from: '127.0.0.1' })
  const left = (purpose: string) =>
    Number(
      new RegExp(`^vidimus_access_certificate_seconds_left\\{purpose="${purpose}"\\} (-?\\d+)$`, 'm').exec(text)?.[1],
    )
  const seconds = (days: number) => days * 86_400
  assert.deepEqual([left('openid4vp'), left('iso-reader'), left('google')], [seconds(20), seconds(397), seconds(20)])
  assert.doesNotMatch(text, /seconds_left\{purpose="apple"/)
  const diagnoses = (await diagnoseTrust(watched.deps)).filter(({ area }) => area === 'access certificate')
  const found = (finding: string) => diagnoses.find((one) => one.finding === finding)
  assert.equal(found('service, test, iso-reader: valid for 397 days')?.status, 'ok')
  const ending = found('service, live, google: expires in 20 days')
  assert.deepEqual([ending?.status, /--purpose google/.test(ending?.remedy ?? '')], ['warning', true])
  const unknown = 'service, live, iso-reader: generated here, so no real wallet trusts its authority'
  assert.equal(found(unknown)?.status, 'warning')
})

const MDL = {
  credentials: [
    {
      id: 'mdl',
      format: 'mso_mdoc',
      meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
      claims: [{ path: ['org.iso.18013.5.1', 'family_name'] }],
    },
  ],
}

async function offeredTo(tenantId: string): Promise<string[]> {
  const key = await service.key(tenantId)
  const { json } = await service.call('POST', '/v1/verifications', { key, body: { query: MDL } })
  const offer = await fetchOffer(service, json.id)
  assert.equal(offer.status, 200, offer.text)
  return offer.json.requests.map(({ protocol }: { protocol: string }) => protocol)
}

for (const curve of ['P-384', 'P-521'] as const) {
  test(`a reader whose key is on ${curve} signs the offers of its tenant`, async () => {
    const { tenantId } = await newRealm()
    const done = await install('iso-reader', tenantId, mint(PROFILE['iso-reader'], generateKey(curve)))
    assert.equal(done.outcome, 'installed', JSON.stringify(done))
    assert.deepEqual(await offeredTo(tenantId), ['openid4vp-v1-signed', 'org-iso-mdoc'])
  })
}

test('an expired reader certificate is left out, which affects only its wallets', async () => {
  const { tenantId } = await newRealm()
  await installed('iso-reader', tenantId)
  clock.advance(21 * DAY_MS)
  assert.deepEqual(await offeredTo(tenantId), ['openid4vp-v1-signed'])
  clock.advance(-21 * DAY_MS)
})

test('after an additional chain expired, the usual one continues alone, with an alarm; the additional one alone is refused', async () => {
  const realm = await newRealm()
  for (const purpose of ['google', 'apple'] as const) await installed(purpose, realm.tenantId)
  clock.advance(21 * DAY_MS)
  const alarms = async () =>
    /access_certificate_not_valid"} (\d+)/.exec(await deps.metrics.registry.metrics())?.[1] ?? '0'
  const before = Number(await alarms())
  assert.deepEqual(
    (await signersFor(deps, realm)).map(({ purpose }) => purpose),
    ['openid4vp'],
  )
  assert.deepEqual(
    (await readersFor(deps, realm)).map(({ purpose }) => purpose),
    ['iso-reader'],
  )
  assert.equal(Number(await alarms()), before + 2)
  await assert.rejects(certificateFor(deps, realm, 'google'), { code: 'unavailable' })
})

test('a generated reader certificate is renewed before it expires', async () => {
  const realm = await newRealm('live')
  const before = await certificateFor(deps, realm, 'iso-reader')
  clock.advance(340 * DAY_MS)
  const after = await certificateFor(deps, realm, 'iso-reader')
  assert.notEqual(after.id, before.id)
  assert.ok(after.validUntilMs > before.validUntilMs)
})

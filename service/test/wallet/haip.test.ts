// Tests HAIP 1.0 for one tenant or for all: no choice of prefix and mode, and stricter credentials.

import assert from 'node:assert/strict'
import test from 'node:test'
import { mintAuthority, mintSigner } from '@vidimus/wallet'
import { loadTenantSettings, updateTenantSettings } from '../../src/core/tenants/store/settings.ts'
import { newSigningKey } from '../../src/features/trust/outbound/certificate.ts'
import { installCertificate } from '../../src/features/trust/usecases/manage-certificates.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read } from './verifications.ts'

const service = await testService()
const wallet = await testWallet(service)

async function tenantWith(change: object): Promise<string> {
  const tenant = await service.tenant()
  const settings = await loadTenantSettings(service.deps.db, tenant)
  assert.ok(settings !== null)
  await updateTenantSettings(service.deps.db, tenant, { ...settings, ...change })
  return tenant
}

test('a HAIP tenant has x509_hash and direct_post.jwt, whatever else it set', async () => {
  const key = await service.key(
    await tenantWith({ haip: true, clientIdPrefix: 'x509_san_dns', responseMode: 'direct_post' }),
  )
  for (const format of ['dc+sd-jwt', 'mso_mdoc'] as const) {
    const created = await create(service, key)
    const { request } = await wallet.present(created.wallet_uri, 'good', { formats: [format] })
    assert.ok(request.clientId.startsWith('x509_hash:'))
    assert.equal(request.responseMode, 'direct_post.jwt')
    assert.deepEqual((await read(service, key, created.id)).status, 'completed')
  }
})

test('HAIP §5.1: a wallet always gets a redirect, with a code that is redeemed once', async () => {
  const whereTo = async (key: string, body: object, scenario: 'good' | 'declined' = 'good') => {
    const created = await create(service, key, { template: 'identity', ...body })
    const { redirectUri } = await wallet.present(created.wallet_uri, scenario)
    const [url, code] = redirectUri?.split('#response_code=') ?? []
    return { created, url, code }
  }
  const haip = await service.key(await tenantWith({ haip: true }))
  for (const scenario of ['good', 'declined'] as const) {
    const { created, url, code } = await whereTo(haip, {}, scenario)
    assert.equal(url, `${service.deps.config.baseUrl}/verify/${created.id}`)
    assert.equal('redirect_url' in created, false)
    const redeem = () =>
      service.call('POST', `/v1/verifications/${created.id}/redeem`, { key: haip, body: { response_code: code } })
    assert.equal((await redeem()).json.id, created.id)
    assert.equal((await redeem()).status, 404)
  }
  const own = 'https://shop.example.com/back'
  assert.equal((await whereTo(haip, { redirect_url: own })).url, own)
  assert.equal((await whereTo(await service.key(await service.tenant()), {})).url, undefined)
})

test('VIDIMUS_HAIP=on applies to every tenant', async () => {
  const everywhere = await testService({}, { VIDIMUS_HAIP: 'on' })
  const tenant = await everywhere.tenant()
  const settings = await loadTenantSettings(everywhere.deps.db, tenant)
  assert.ok(settings !== null)
  await updateTenantSettings(everywhere.deps.db, tenant, { ...settings, responseMode: 'direct_post' })
  const key = await everywhere.key(tenant)
  const created = await create(everywhere, key)
  const { request } = await (await testWallet(everywhere)).present(created.wallet_uri)
  assert.equal(request.responseMode, 'direct_post.jwt')
  assert.equal((await read(everywhere, key, created.id)).status, 'completed')
})

test('N218: a chain with its anchor, a self-signed leaf and a foreign key are never installed', async () => {
  const now = Math.floor(service.clock.now() / 1000)
  const period = { notBefore: now - 1000, notAfter: now + 1_000_000 }
  const authority = mintAuthority({ commonName: 'Access CA' }, period)
  const leaf = mintSigner(authority, { commonName: 'Shop' }, { ...period, dns: 'verify.example.com' })
  const der = (identity: { certificate: string }) => new Uint8Array(Buffer.from(identity.certificate, 'base64'))
  const { createPrivateKey } = await import('node:crypto')
  const pkcs8 = (jwk: object) =>
    new Uint8Array(createPrivateKey({ key: { ...jwk }, format: 'jwk' }).export({ format: 'der', type: 'pkcs8' }))
  const install = (chain: Uint8Array[], privateKey: Uint8Array) =>
    installCertificate(service.deps, {
      owner: { tenantId: null, environment: 'live' },
      purpose: 'openid4vp',
      chain,
      privateKey,
      actor: OPERATOR,
    })
  const refused = async (chain: Uint8Array[], key: Uint8Array, problem: RegExp) => {
    const done = await install(chain, key)
    assert.ok(done.outcome === 'refused' && problem.test(done.problem), JSON.stringify(done))
  }
  await refused([der(leaf), der(authority)], pkcs8(leaf.key), /contains the trust anchor/)
  await refused([der(authority)], pkcs8(authority.key), /self-signed/)
  await refused([der(leaf)], newSigningKey().privateKeyBytes, /private key does not belong/)
  await refused([], pkcs8(leaf.key), /contains no certificates/)
  const done = await install([der(leaf)], pkcs8(leaf.key))
  assert.equal(done.outcome, 'installed')
})

test('N221: under x509_san_dns a certificate that does not name the address signs nothing; x509_hash still works', async () => {
  const other = await testService()
  const now = Math.floor(other.clock.now() / 1000)
  const period = { notBefore: now - 1000, notAfter: now + 1_000_000 }
  const leaf = mintSigner(
    mintAuthority({ commonName: 'Access CA' }, period),
    { commonName: 'Shop' },
    { ...period, dns: 'elsewhere.example.com' },
  )
  const { createPrivateKey } = await import('node:crypto')
  const privateKey = new Uint8Array(
    createPrivateKey({ key: { ...leaf.key }, format: 'jwk' }).export({ format: 'der', type: 'pkcs8' }),
  )
  const chain = [new Uint8Array(Buffer.from(leaf.certificate, 'base64'))]
  const done = await installCertificate(other.deps, {
    owner: { tenantId: null, environment: 'test' },
    purpose: 'openid4vp',
    chain,
    privateKey,
    actor: OPERATOR,
  })
  assert.ok(done.outcome === 'installed' && done.warnings.length === 1)
  const tenant = await other.tenant()
  const key = await other.key(tenant)
  assert.equal((await create(other, key)).status, 'pending')
  const settings = await loadTenantSettings(other.deps.db, tenant)
  assert.ok(settings !== null)
  await updateTenantSettings(other.deps.db, tenant, { ...settings, clientIdPrefix: 'x509_san_dns' })
  const answer = await other.call('POST', '/v1/verifications', { key, body: { template: 'identity' } })
  assert.equal(answer.status, 503)
})

test('N220, N222: a query that breaks a rule is refused at creation, naming the member; a client_id is always by certificate', async () => {
  const key = await service.key(await service.tenant())
  const pid = { id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }
  const queries = [
    { credentials: [pid, pid] },
    { credentials: [{ ...pid, claim_sets: [['x']] }] },
    { credentials: [pid], credential_sets: [{ options: [['b']] }] },
    { credentials: [{ ...pid, claims: [] }] },
    { credentials: [{ ...pid, meta: {} }] },
  ]
  for (const query of queries) {
    const answer = await service.call('POST', '/v1/verifications', { key, body: { query } })
    assert.equal(answer.status, 400)
    assert.match(answer.json.error.message, /query.*credential/)
  }
  assert.match(
    new URL((await create(service, key)).wallet_uri).searchParams.get('client_id') ?? '',
    /^x509_(hash|san_dns):/,
  )
})

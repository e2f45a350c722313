// Tests access certificates by service: ordered, chosen by a request's registration, renewed without a gap, linted.

import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import test from 'node:test'
import { generateKey, mintAuthority, mintSigner, type PrivateJwk } from '@vidimus/wallet'
import { certificateBytes } from '../../../wallet/src/pki.ts'
import { checkRegistration } from '../../src/features/registration/usecases/check-registration.ts'
import { insertWaitingCertificate, removeWaitingCertificate } from '../../src/features/trust/store/certificates.ts'
import {
  installCertificate,
  listCertificates,
  requestCertificate,
} from '../../src/features/trust/usecases/manage-certificates.ts'
import { addTo, MERCHANT_ID, registerTenant, testRegistrar } from '../harness/registrar.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import { create, decode } from '../wallet/verifications.ts'

const service = await testService()
const { deps, clock } = service
const registrar = await testRegistrar(service)
const realm = { tenantId: await service.tenant(), environment: 'test' } as const
const key = await service.key(realm.tenantId)
await registerTenant(service, registrar, realm)
const CREDENTIALS = [
  { format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claim: [{ path: ['family_name'] }] },
]
for (const [intended_use_id, srv_id] of [
  ['one', 'shop-1'],
  ['two', 'shop-2'],
  ['none', undefined],
])
  assert.equal(
    (await addTo(service, realm, registrar.certify({ intended_use_id, srv_id, credentials: CREDENTIALS }))).outcome,
    'added',
  )

const now = Math.floor(clock.now() / 1000)
const period = { notBefore: now - 1000, notAfter: now + 90 * 86_400 }
const authority = mintAuthority({ commonName: 'Access CA', country: 'UT' }, period)

function minted(subjectKey: PrivateJwk) {
  const leaf = mintSigner(
    authority,
    { commonName: 'Corner Shop Online' },
    { ...period, subjectKey, dns: 'verify.example.com' },
  )
  const privateKey = createPrivateKey({ key: { ...subjectKey }, format: 'jwk' }).export({
    format: 'der',
    type: 'pkcs8',
  })
  return { leaf, privateKey, chain: [certificateBytes(leaf)] }
}

async function install(serviceId: string | null, subjectKey: PrivateJwk = generateKey()) {
  const { leaf, privateKey, chain } = minted(subjectKey)
  const installed = await installCertificate(deps, {
    owner: realm,
    purpose: 'openid4vp',
    serviceId,
    chain,
    privateKey,
    actor: OPERATOR,
  })
  assert.ok(installed.outcome === 'installed', JSON.stringify(installed))
  deps.certificates.forget()
  // Advances the clock, so that the newest certificate is not the one for all services.
  clock.advance(1000)
  return { leaf: leaf.certificate, warnings: installed.warnings }
}

const QUERY = {
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['family_name'] }] },
  ],
}
const leafOf = async (id: string) => {
  const { header } = decode((await service.call('GET', `/wallet/request/${id}`)).text)
  return (header as { x5c?: string[] }).x5c?.[0]
}
const createFor = async (intended_use: string) => (await create(service, key, { query: QUERY, intended_use })).id

test('a request is signed with the certificate of its service, or else with one for all services, never with that of another', async () => {
  const general = await install(null)
  const first = await install('shop-1')
  assert.equal(await leafOf(await createFor('one')), first.leaf)
  assert.equal(await leafOf(await createFor('two')), general.leaf)
  assert.equal(await leafOf(await createFor('none')), general.leaf)
  const second = await install('shop-2')
  assert.equal(await leafOf(await createFor('two')), second.leaf)
  assert.equal(await leafOf(await createFor('one')), first.leaf)
})

test('simultaneous creations of several services each get the certificate of their service', async () => {
  const ids = await Promise.all(['one', 'two', 'one', 'none'].map(createFor))
  const leaves = await Promise.all(ids.map(leafOf))
  assert.equal(leaves[0], leaves[2])
  assert.equal(new Set(leaves).size, 3)
})

test('a certificate is renewed without a gap: open verifications keep the old one, new ones get the new one', async () => {
  const under = await createFor('one')
  const before = await leafOf(under)
  const renewed = await install('shop-1')
  assert.equal(await leafOf(under), before)
  assert.equal(await leafOf(await createFor('one')), renewed.leaf)
  const current = (await listCertificates(deps)).filter(
    ({ tenantId, state }) => tenantId === realm.tenantId && state === 'current',
  )
  assert.deepEqual(current.map(({ serviceId }) => serviceId).sort(), ['shop-1', 'shop-2', null].sort())
})

test('a signing request names the asking party and, from the register, the party it asks for', async () => {
  const subject = { commonName: 'Corner Shop Online', country: 'UT' }
  const use = { owner: realm, purpose: 'openid4vp', subject } as const
  const created = await requestCertificate(deps, { ...use, serviceId: 'shop-1' })
  assert.ok(created.outcome === 'requested')
  const der = Buffer.from(created.csr.replace(/-----[^-]+-----|\s/g, ''), 'base64').toString('latin1')
  assert.ok(der.includes('NTRUT-VIDIMUS'))
  assert.ok(der.includes(`https://register.example/api/wrp/${MERCHANT_ID}/services/shop-1`))
  const bare = { tenantId: await service.tenant(), environment: 'test' } as const
  const unknown = await requestCertificate(deps, { ...use, owner: bare, serviceId: 'shop-1' })
  assert.equal(unknown.outcome, 'refused')
  const nobodys = await requestCertificate(deps, { ...use, owner: { ...bare, tenantId: null }, serviceId: 'shop-1' })
  assert.equal(nobodys.outcome, 'refused')
})

test('for a registered party, problems of a certificate are reported immediately and in the report', async () => {
  const { warnings } = await install('shop-1')
  assert.ok(warnings.some((warning) => warning.includes('organizationIdentifier')))
  assert.ok(warnings.some((warning) => warning.startsWith('one: ')))
  const { accessCertificates } = await checkRegistration(deps, realm)
  const checks = accessCertificates.filter(({ serviceId }) => serviceId === 'shop-1').map(({ check }) => check)
  for (const check of ['policy', 'organization_identifier', 'transparency', 'registration'])
    assert.ok(checks.includes(check), check)
})

test('withdrawing a key while its certificate is installed leaves the current one unchanged', async () => {
  await install('shop-2')
  const current = async () =>
    (await listCertificates(deps)).filter(({ serviceId, state }) => serviceId === 'shop-2' && state === 'current')
  const [before] = await current()
  assert.ok(before !== undefined)
  const { privateKey, chain } = minted(generateKey())
  const use = { owner: realm, purpose: 'openid4vp', serviceId: 'shop-2' } as const
  const place = { ...realm, id: 'acc_Withdrawn' }
  const waiting = {
    ...before,
    ...place,
    chain: [],
    installedAt: null,
    privateKey,
  }
  await insertWaitingCertificate(deps.db, waiting, null)
  const locked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const { installing } = await deps.db.transaction(async (tx) => {
    assert.ok(await removeWaitingCertificate(tx, realm, place.id))
    const installing = installCertificate(deps, { ...use, chain, privateKey: null, actor: OPERATOR })
    const waits = { name: 'test_waiting', text: locked }
    await waitUntil('the installation waits for the row', async () => (await deps.db.query(waits)).length > 0)
    return { installing }
  })
  const refused = await installing
  assert.ok(refused.outcome === 'refused')
  assert.equal(refused.code, 'not_waiting')
  assert.deepEqual(await current(), [before])
})

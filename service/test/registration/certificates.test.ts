// Tests a tenant's registration certificates: which are accepted, which are marked, and who can vouch for them.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { VouchedType } from '@vidimus/engine'
import { mintAuthority, mintSigner } from '@vidimus/wallet'
import { certificateBytes } from '../../../wallet/src/pki.ts'
import {
  REGISTERED_PATHS_MAX,
  REGISTRATIONS_MAX,
  REGISTRATIONS_STORED_MAX,
  registrationRemarks,
} from '../../src/core/registrations/domain/registration.ts'
import { createRegistrationCache } from '../../src/core/registrations/store/registration-cache.ts'
import { REGISTRATION_CHANNEL } from '../../src/core/registrations/store/registrations.ts'
import { readRegistrations } from '../../src/core/registrations/usecases/read-registrations.ts'
import { readTrail } from '../../src/features/audit/usecases/read-audit.ts'
import { diagnoseRegistrations } from '../../src/features/registration/usecases/diagnose-registration.ts'
import { changeIdentity } from '../../src/features/registration/usecases/manage-identity.ts'
import { addRegistration, removeRegistration } from '../../src/features/registration/usecases/manage-registrations.ts'
import { watchRegistrations } from '../../src/features/registration/usecases/watch-registrations.ts'
import { insertAnchors } from '../../src/features/trust/store/anchors.ts'
import { diagnoseTrust } from '../../src/features/trust/usecases/diagnose-trust.ts'
import { importTrustList, removeTrustList } from '../../src/features/trust/usecases/import-trust-list.ts'
import { addAnchor, listAnchors, typesProblem } from '../../src/features/trust/usecases/manage-anchors.ts'
import { addTo, MERCHANT_ID, OWN_ID, registerTenant, testRegistrar } from '../harness/registrar.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { within } from '../harness/wait.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const registrar = await testRegistrar(service)
const now = Math.floor(service.clock.now() / 1000)

async function realmOf(environment: 'test' | 'live', identifier?: string) {
  const realm = { tenantId: await service.tenant(), environment }
  await registerTenant(service, registrar, realm, identifier)
  return realm
}

const test1 = await realmOf('test')
const live = await realmOf('live')

async function refusal(realm: typeof test1 | typeof live, jwt: string): Promise<string> {
  const added = await addTo(service, realm, jwt)
  assert.equal(added.outcome, 'refused')
  return added.outcome === 'refused' ? added.problem : ''
}

test('accepts a certificate from a trusted provider in both environments, and records it on the trail', async () => {
  for (const realm of [test1, live]) {
    const added = await addTo(service, realm, registrar.certify())
    assert.ok(added.outcome === 'added')
    assert.deepEqual(added.warnings, [])
    const { registrations } = await readRegistrations(service.deps, realm)
    assert.deepEqual(
      registrations.map(({ id, intendedUse, verdict }) => [id, intendedUse, verdict]),
      [[added.registration.id, 'age-check', { unverified: null, status: 'none' }]],
    )
    const [entry] = (await readTrail(service.deps, realm, { before: null, limit: 1 })).entries
    assert.equal(entry?.action, 'registration.added')
    assert.deepEqual(entry?.details, { intended_use: 'age-check', sha256: added.registration.hash })
  }
})

test('R04, R14: refuses a certificate about another party in both environments', async () => {
  const other = await realmOf('test', 'VATUT-OTHER')
  const otherLive = await realmOf('live', 'VATUT-OTHER')
  assert.match(await refusal(other, registrar.certify()), /not about the tenant, VATUT-OTHER/)
  assert.match(await refusal(otherLive, registrar.certify()), /not about the tenant, VATUT-OTHER/)
  assert.match(await refusal(test1, registrar.certify({ sub: `${MERCHANT_ID}0` })), /not about/)
  const nobody = { tenantId: await service.tenant(), environment: 'test' } as const
  assert.match(await refusal(nobody, registrar.certify()), /identity of the tenant is not known/)
})

test('R05: a certificate that names another intermediary, or none although the operator acts for others, is refused', async () => {
  const another = { intermediary: { sub: { id: 'NTRUT-ANOTHER' } } }
  assert.match(await refusal(test1, registrar.certify(another)), /another intermediary/)
  assert.match(await refusal(live, registrar.certify(another)), /another intermediary/)
  assert.match(await refusal(live, registrar.certify({ intermediary: undefined })), /does not name/)
})

test('a tenant that asks for itself has certificates without intermediary, if the operator is not an intermediary', async () => {
  const alone = await testService()
  const own = await testRegistrar(alone)
  const realm = { tenantId: await alone.tenant(), environment: 'live' } as const
  await registerTenant(alone, own, realm)
  const identity = { identifier: OWN_ID, tradeName: 'Us', registryUri: null, isIntermediary: false }
  await changeIdentity(alone.deps, { tenantId: null, environment: 'live', identity, actor: OPERATOR })
  assert.equal((await addTo(alone, realm, own.certify({ intermediary: undefined }))).outcome, 'added')
})

test('R08: a certificate that no trusted provider signed is refused in live, and marked in test', async () => {
  const period = { notBefore: now - 1000, notAfter: now + 86_400 }
  const stranger = mintSigner(mintAuthority({ commonName: 'Registrar Root', country: 'UT' }, period), {}, period)
  const jwt = registrar.certify({}, stranger)
  assert.match(await refusal(live, jwt), /signature is not verified/)
  const added = await addTo(service, test1, jwt)
  assert.ok(added.outcome === 'added')
  assert.equal(added.warnings[0]?.code, 'unverified')
  assert.match(added.warnings[0]?.problem ?? '', /signature is not verified: ./)
  assert.ok(await removeRegistration(service.deps, { realm: test1, id: added.registration.id, actor: OPERATOR }))
})

test('R08: an anchor for registrations vouches for no credential: an anchor for both is refused', async () => {
  const problem = typesProblem(['rc-wrp+jwt:*', 'dc+sd-jwt:*'])
  assert.match(problem?.problem ?? '', /cannot vouch for credentials/)
  assert.equal(typesProblem(['rc-wrp+jwt:*']), null)
  assert.notEqual(typesProblem(['rc-wrp+jwt:something']), null)
  const realm = await realmOf('live')
  const certificate = Buffer.from(registrar.authority.certificate, 'base64')
  const types = ['rc-wrp+jwt:*', 'mso_mdoc:*'] as const
  const added = await addAnchor(service.deps, {
    owner: realm,
    kind: 'ca',
    profile: 'generic',
    types,
    certificate,
    actor: OPERATOR,
  })
  assert.equal(added.outcome, 'refused')
})

test('R08: providers come from their list, which vouches for no credential, and end with it', async () => {
  const realm = { tenantId: await service.tenant(), environment: 'live' } as const
  const identity = { identifier: MERCHANT_ID, tradeName: 'Shop', registryUri: null, isIntermediary: false }
  assert.equal((await changeIdentity(service.deps, { ...realm, identity, actor: OPERATOR })).outcome, 'changed')
  assert.match(await refusal(realm, registrar.certify()), /signature is not verified/)
  const list = {
    LoTE: {
      ListAndSchemeInformation: {
        LoTEType: 'http://uri.etsi.org/19602/LoTEType/EUWRPRCProvidersList',
        LoTESequenceNumber: 1,
        SchemeOperatorName: [{ lang: 'en', value: 'Invented Union' }],
        ListIssueDateTime: new Date(service.clock.now()).toISOString(),
        NextUpdate: new Date(service.clock.now() + 86_400_000).toISOString(),
      },
      TrustedEntitiesList: [
        {
          TrustedEntityServices: [
            {
              ServiceInformation: {
                ServiceTypeIdentifier: 'http://uri.etsi.org/19602/SvcType/WRPRC/Issuance',
                ServiceDigitalIdentity: { X509Certificates: [{ val: registrar.authority.certificate }] },
              },
            },
          ],
        },
      ],
    },
  }
  const trustList = {
    owner: realm,
    kind: 'lote',
    providers: 'registration-certificate',
    source: 'providers.json',
    file: Buffer.from(JSON.stringify(list)),
    signer: null,
    signerAuthority: null,
  } as const
  const both = await importTrustList(service.deps, { ...trustList, types: ['rc-wrp+jwt:*', 'dc+sd-jwt:*'] })
  assert.equal(both.outcome, 'refused')
  const loaded = await importTrustList(service.deps, { ...trustList, types: ['rc-wrp+jwt:*'] })
  assert.ok(loaded.outcome === 'loaded')
  service.clock.advance(6_000)
  const added = await addTo(service, realm, registrar.certify())
  assert.ok(added.outcome === 'added')
  await removeTrustList(service.deps, loaded.id)
  service.clock.advance(6_000)
  await watchRegistrations(service.deps, realm)
  const [kept] = (await readRegistrations(service.deps, realm)).registrations
  assert.equal(typeof kept?.verdict.unverified, 'string')
})

test('R06: an expired certificate is refused in live, and marked in test', async () => {
  const jwt = registrar.certify({ iat: now - 100, exp: now - 1 })
  assert.match(await refusal(live, jwt), /expired/)
  const added = await addTo(service, test1, jwt)
  assert.ok(added.outcome === 'added')
  assert.deepEqual(added.warnings, [{ code: 'expired', values: [], problem: 'it has expired' }])
})

test('a certificate that is issued in the future does not count yet', async () => {
  const at = Math.floor(service.clock.now() / 1000)
  assert.match(await refusal(live, registrar.certify({ iat: at + 301 })), /issued in the future/)
  assert.equal((await addTo(service, live, registrar.certify({ iat: at + 299 }))).outcome, 'added')
})

test('R07: a certificate that its status list revokes is marked in test', async () => {
  registrar.list.revoked.add(5)
  const status = (idx: number) => ({ status: { status_list: { uri: registrar.list.uri, idx } } })
  const revoked = await addTo(service, test1, registrar.certify(status(5)))
  assert.ok(revoked.outcome === 'added')
  assert.deepEqual(revoked.warnings, [{ code: 'revoked', values: [], problem: 'its status is revoked' }])
  const valid = await addTo(service, test1, registrar.certify(status(6)))
  assert.ok(valid.outcome === 'added')
  assert.deepEqual(valid.registration.verdict, { unverified: null, status: 'valid' })
})

test('the caller states the intended use of a certificate that names none', async () => {
  const realm = await realmOf('test')
  const add = (claims: object, intendedUse: string | null) =>
    addRegistration(service.deps, { realm, jwt: registrar.certify(claims), intendedUse, actor: OPERATOR })
  const bare = { intended_use_id: undefined }
  assert.equal((await add(bare, null)).outcome, 'refused')
  assert.equal((await add(bare, 'two words')).outcome, 'refused')
  assert.equal((await add({}, 'another')).outcome, 'refused')
  const added = await add(bare, 'given')
  assert.ok(added.outcome === 'added')
  assert.equal(added.registration.intendedUse, 'given')
  assert.equal((await add({}, 'age-check')).outcome, 'added')
})

test('a duplicate, a certificate of an unknown tenant, and a certificate beyond the limit are refused', async () => {
  const realm = await realmOf('test')
  const jwt = registrar.certify({ jti: 'first' })
  const first = await addTo(service, realm, jwt)
  assert.ok(first.outcome === 'added')
  assert.match(await refusal(realm, jwt), /exists already/)
  for (let i = 1; i < REGISTRATIONS_MAX; i += 1)
    assert.equal((await addTo(service, realm, registrar.certify({ jti: String(i) }))).outcome, 'added')
  assert.match(await refusal(realm, registrar.certify({ jti: 'last' })), /limit reached/)
  assert.ok(await removeRegistration(service.deps, { realm, id: first.registration.id, actor: OPERATOR }))
  assert.ok(!(await removeRegistration(service.deps, { realm, id: first.registration.id, actor: OPERATOR })))
  assert.equal((await addTo(service, realm, jwt)).outcome, 'added')
})

test('all certificates of a realm together register a limited number of claims', async () => {
  const realm = await realmOf('test')
  const credentials = [{ format: 'dc+sd-jwt', claim: Array.from({ length: 500 }, (_, at) => ({ path: [`c${at}`] })) }]
  for (let count = 0; count < REGISTERED_PATHS_MAX / 500; count += 1)
    assert.equal((await addTo(service, realm, registrar.certify({ jti: `m${count}`, credentials }))).outcome, 'added')
  assert.match(await refusal(realm, registrar.certify({ jti: 'more' })), /too many claims/)
})

test('a realm cannot remove the certificate of another realm', async () => {
  const [one] = (await readRegistrations(service.deps, live)).registrations
  assert.ok(one !== undefined)
  const id = one.id
  assert.ok(!(await removeRegistration(service.deps, { realm: test1, id, actor: OPERATOR })))
  assert.ok(!(await removeRegistration(service.deps, { realm: { ...live, environment: 'test' }, id, actor: OPERATOR })))
})

test('an identity must have the format that registers use', async () => {
  const good = {
    identifier: 'VATUT-1',
    tradeName: 'Shop',
    registryUri: 'https://register.example',
    isIntermediary: false,
  }
  const change = (identity: typeof good, tenantId: string | null = live.tenantId) =>
    changeIdentity(service.deps, { tenantId, environment: 'test', identity, actor: OPERATOR })
  for (const wrong of [
    { identifier: '' },
    { identifier: 'a b' },
    { tradeName: ' ' },
    { tradeName: 'a\nb' },
    { registryUri: 'http://register.example' },
    { registryUri: 'nowhere' },
    { isIntermediary: true },
  ])
    assert.equal((await change({ ...good, ...wrong })).outcome, 'refused', JSON.stringify(wrong))
  assert.equal((await change(good, 'ten_0000000000000000')).outcome, 'refused')
  assert.equal((await change(good)).outcome, 'changed')
})

test('warns of a certificate that is valid for more than a day and cannot be revoked, and uses it', async () => {
  const realm = await realmOf('live')
  const at = Math.floor(service.clock.now() / 1000)
  const status = { status_list: { idx: 1, uri: registrar.list.uri } }
  const remarksOf = async (claims: object) => {
    const added = await addTo(service, realm, registrar.certify(claims))
    assert.ok(added.outcome === 'added', added.outcome === 'refused' ? added.problem : '')
    return registrationRemarks(added.registration).map(({ problem }) => problem)
  }
  assert.match((await remarksOf({ exp: at + 86_401 })).join(), /more than 24 hours/)
  assert.match((await remarksOf({ exp: undefined })).join(), /has no expiry/)
  assert.deepEqual(await remarksOf({ exp: at + 86_400 }), [])
  assert.deepEqual(await remarksOf({ status }), [])
  const lines = (await diagnoseRegistrations(service.deps)).filter(({ finding }) => finding.includes(realm.tenantId))
  assert.ok(lines.some(({ status, finding }) => status === 'warning' && finding.includes('RPRC_01a')))
})

test('alternately adding and removing reaches a limit, too', async () => {
  const realm = await realmOf('test')
  const added = await addTo(service, realm, registrar.certify())
  assert.ok(added.outcome === 'added')
  await service.deps.db.query(
    {
      name: 'test_removed_lately',
      text: `insert into registration_certificates (id, tenant_id, environment, intended_use, jwt, content, hash, unverified,
               status, checked_at, created_at, removed_at)
             select id || n, tenant_id, environment, intended_use, jwt, content, hash, unverified, status, checked_at,
               created_at, created_at
             from registration_certificates, generate_series(1, $2::int) as n where id = $1`,
    },
    [added.registration.id, REGISTRATIONS_STORED_MAX - 1],
  )
  assert.match(await refusal(realm, registrar.certify({ jti: 'another' })), /removed lately/)
})

test('R08: an authority under two names cannot vouch for registrations and credentials either', async () => {
  const realm = await realmOf('test')
  const add = (tenantId: string | null, types: VouchedType[], of = registrar.authority) =>
    addAnchor(service.deps, {
      owner: { tenantId, environment: 'test' },
      kind: 'ca',
      profile: 'generic',
      types,
      certificate: certificateBytes(of),
      actor: OPERATOR,
    })
  for (const owner of [realm.tenantId, null]) {
    const both = await add(owner, ['dc+sd-jwt:*'])
    assert.ok(both.outcome === 'refused')
    assert.match(both.problem, /anc_\w+ has the same key/)
  }
  // Anchors of unrelated tenants do not conflict.
  assert.equal((await add(await service.tenant(), ['dc+sd-jwt:*'])).outcome, 'added')
  assert.equal(
    (await add(realm.tenantId, ['rc-wrp+jwt:*'])).outcome,
    'added',
    'the same authority twice is not a conflict',
  )
  const [anchor] = (await listAnchors(service.deps)).filter(({ tenantId }) => tenantId === realm.tenantId)
  assert.ok(anchor !== undefined)
  // The anchor as a list may contain it.
  await insertAnchors(service.deps.db, [{ ...anchor, id: 'anc_FromAList', types: ['mso_mdoc:*'] }])
  const lines = await diagnoseTrust(service.deps)
  assert.ok(lines.some(({ status, finding }) => status === 'problem' && finding.includes('anc_FromAList')))
})

test('an operator that acts for others asks for itself, too: under a certificate that names no intermediary', async () => {
  const realm = await realmOf('live', OWN_ID)
  const added = await addTo(service, realm, registrar.certify({ sub: OWN_ID, intermediary: undefined }))
  assert.equal(added.outcome, 'added')
  assert.match(await refusal(live, registrar.certify({ intermediary: undefined })), /as intermediary/)
})

test('the cache of certificates has a total limit in bytes', async () => {
  const realms = [await realmOf('test'), await realmOf('test')] as const
  for (const realm of realms) assert.equal((await addTo(service, realm, registrar.certify())).outcome, 'added')
  const { length } = registrar.certify()
  // Once this notification has arrived, the earlier ones have, too, so none invalidates later.
  const arrived = Promise.withResolvers<void>()
  const stop = await service.deps.db.listen(
    REGISTRATION_CHANNEL,
    (payload) => (payload === 'arrived' ? arrived.resolve() : undefined),
    () => undefined,
  )
  await service.deps.db.query({ name: 'test_arrived', text: `select pg_notify('${REGISTRATION_CHANNEL}', 'arrived')` })
  await within('the notification arrives', arrived.promise)
  await stop()
  let requestCount = 0
  const db: typeof service.deps.db = {
    ...service.deps.db,
    query: (statement, values) => {
      requestCount += 1
      return service.deps.db.query(statement, values)
    },
  }
  const askedAgain = async (bytesMax: number) => {
    const memory = await createRegistrationCache(db, bytesMax)
    for (const realm of realms) await memory.find(realm, service.clock.now())
    requestCount = 0
    for (const realm of realms.toReversed())
      assert.equal((await memory.find(realm, service.clock.now())).registrations.length, 1)
    await memory.close()
    return requestCount > 0
  }
  assert.equal(await askedAgain(6 * length), false)
  assert.equal(await askedAgain(3 * length), true, 'the second certificate displaced the first')
})

// Tests the nightly check of registers: its findings, which signatures count, and that it cannot be redirected.

import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import {
  answerRegister,
  createRegistrar,
  mintSigner,
  type RegistrarState,
  readParty,
  registerKeys,
  registerParty,
  trustedList,
} from '@vidimus/wallet'
import { certificateBytes, mintCrl, serialOf } from '../../../wallet/src/pki.ts'
import { signJws } from '../../../wallet/src/sdjwt.ts'
import { INTERMEDIARY, intermediaryJson, MERCHANT, merchantJson } from '../../../wallet/test/merchant.ts'
import { loadIdentity, saveIdentity } from '../../src/core/registrations/store/identities.ts'
import { listTemplates } from '../../src/core/templates/usecases/manage-templates.ts'
import { diagnose } from '../../src/features/operator/usecases/diagnose.ts'
import { findDueChecksAcrossTenants, loadRegisterCheck } from '../../src/features/registration/store/register-checks.ts'
import { pinRegisterKeys } from '../../src/features/registration/usecases/ask-register.ts'
import { checkRegister } from '../../src/features/registration/usecases/check-registers.ts'
import { importParty } from '../../src/features/registration/usecases/import-party.ts'
import { changeIdentity } from '../../src/features/registration/usecases/manage-identity.ts'
import { addRegistration } from '../../src/features/registration/usecases/manage-registrations.ts'
import { REGISTERS } from '../../src/features/trust/domain/anchor.ts'
import { importTrustList, removeTrustList } from '../../src/features/trust/usecases/import-trust-list.ts'
import type { Diagnosis } from '../../src/platform/diagnosis.ts'
import { instantOf } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'
import { once } from '../harness/wait.ts'
import { cidrs, OUTSIDE } from '../outbound/world.ts'

const service = await testService({ egressAllow: cidrs(OUTSIDE) })
const { deps } = service
const { registrar } = deps.sandbox ?? assert.fail()
const actor = { type: 'operator', id: 'test' } as const
const environment = 'test'

async function known(result: Promise<{ outcome: string }>): Promise<void> {
  const done = await result
  assert.ok(done.outcome !== 'refused', JSON.stringify(done))
}

const identityOf = (tenantId: string | null, change: object = {}) => ({
  tenantId,
  environment: environment as 'test',
  actor,
  identity: {
    identifier: tenantId === null ? INTERMEDIARY : MERCHANT,
    tradeName: 'Hofladen GmbH',
    registryUri: null,
    isIntermediary: tenantId === null,
    ...change,
  },
})

await known(registrar.registerParty(merchantJson))
await known(registrar.registerParty(intermediaryJson))
await known(changeIdentity(deps, identityOf(null)))

async function merchant(): Promise<string> {
  const tenantId = await service.tenant()
  await known(changeIdentity(deps, identityOf(tenantId)))
  return tenantId
}

const check = (tenantId: string | null) => checkRegister(deps, { tenantId, environment })
const codes = async (tenantId: string | null) => (await check(tenantId))?.findings.map(({ code }) => code)

const tenantId = await merchant()

async function certified(): Promise<void> {
  const issued = await registrar.issue({
    identifier: MERCHANT,
    serviceIdentifier: 'shop',
    intendedUseIdentifier: 'identity',
    days: 90,
    shape: '1.2.1',
    scenario: null,
    nowMs: service.clock.now(),
  })
  assert.ok(issued.outcome === 'done')
  const added = await addRegistration(deps, {
    realm: { tenantId, environment },
    jwt: issued.jwt,
    intendedUse: null,
    actor,
  })
  assert.deepEqual(added.outcome === 'added' && added.warnings, [], JSON.stringify(added))
}

/** Returns the merchant's entry with its first service changed. */
function entry(change: (service: (typeof merchantJson.services)[0]) => object) {
  const [shop, ...rest] = merchantJson.services
  return { ...merchantJson, services: [...(shop === undefined ? [] : [change(shop)]), ...rest] }
}

test('the register agrees with our data, for a merchant and for the operator', async () => {
  await certified()
  assert.equal((await check(tenantId))?.outcome, 'same')
  assert.equal((await check(null))?.outcome, 'same')
  assert.equal(await checkRegister(deps, { tenantId: await service.tenant(), environment }), null)
})

test('every fact that the register no longer confirms is found', async () => {
  const uses = merchantJson.services[0]?.intendedUses ?? []
  const cases: readonly [string, object][] = [
    ['intermediary_not_named', entry((shop) => ({ ...shop, usesIntermediary: [] }))],
    [
      'intended_use_missing',
      entry((shop) => ({ ...shop, intendedUses: uses.map((use) => ({ ...use, intendedUseIdentifier: 'other' })) })),
    ],
    ['intended_use_missing', entry((shop) => ({ ...shop, serviceIdentifier: 'moved' }))],
    [
      'claims_differ',
      entry((shop) => ({
        ...shop,
        intendedUses: uses.map((use) => ({ ...use, credentials: use.credentials.slice(1) })),
      })),
    ],
    [
      'claims_differ',
      entry((shop) => ({
        ...shop,
        intendedUses: uses.map((use) => ({
          ...use,
          credentials: use.credentials.map((one) => ({ ...one, claims: [...one.claims, { path: ['more'] }] })),
        })),
      })),
    ],
  ]
  for (const [code, party] of cases) {
    await known(registrar.registerParty(party))
    assert.deepEqual(await codes(tenantId), [code])
  }
  await known(registrar.registerParty({ ...intermediaryJson, services: merchantJson.services }))
  assert.deepEqual(await codes(null), ['not_an_intermediary'])
  await known(registrar.remove(MERCHANT))
  assert.deepEqual(await codes(tenantId), ['not_registered'])
  const doctor = (await diagnose(deps)).filter(({ area }: Diagnosis) => area === 'register')
  assert.deepEqual(
    doctor.map(({ finding }) => finding.split(': ', 2).join(': ')),
    ['operator, test: not_an_intermediary', `${tenantId}, test: not_registered`],
  )
  await known(registrar.registerParty(merchantJson))
  await known(registrar.registerParty(intermediaryJson))
  assert.deepEqual([await codes(tenantId), await codes(null)], [[], []])
})

test('a merchant without certificates is checked for all its services', async () => {
  const other = await merchant()
  assert.deepEqual(await codes(other), [])
  await known(registrar.registerParty(entry((shop) => ({ ...shop, usesIntermediary: [] }))))
  assert.deepEqual(await codes(other), ['intermediary_not_named'])
  await known(registrar.registerParty(merchantJson))
})

type Serve = (request: IncomingMessage, response: ServerResponse) => void
let serve: Serve = (_request, response) => void response.writeHead(500).end()
const requested: string[] = []
const server = createServer((request, response) => {
  requested.push(request.url ?? '')
  serve(request, response)
})
await once(server.listen(0, OUTSIDE), 'listening')
after(() => server.close())
const base = `http://${OUTSIDE}:${(server.address() as AddressInfo).port}`
const nowSeconds = () => Math.floor(service.clock.now() / 1000)
const fresh = createRegistrar({ base, now: nowSeconds() })
const foreign: RegistrarState = registerParty(
  registerParty(fresh, readParty(merchantJson)),
  readParty(intermediaryJson),
)

/** Answers like a separate register; `change` corrupts the answer. */
function register(
  change: { body?: (body: string) => string; keysUri?: string; keys?: object; type?: string } = {},
): Serve {
  return (request, response) => {
    const url = new URL(request.url ?? '', base)
    if (url.pathname === '/jwks.json') return void response.end(JSON.stringify(change.keys ?? registerKeys(foreign)))
    const answer = answerRegister(foreign, { path: url.pathname, query: url.searchParams }, nowSeconds())
    const headers = { ...answer.headers, ...(change.keysUri === undefined ? {} : { 'x-jku-url': change.keysUri }) }
    response.writeHead(answer.status, { 'content-type': change.type ?? answer.contentType, ...headers })
    response.end(change.body?.(answer.body) ?? answer.body)
  }
}

/** Returns a tenant whose register is on the network, written without the rule that live addresses are https. */
async function elsewhere(): Promise<string> {
  const id = await service.tenant()
  const identity = {
    ...identityOf(id, { registryUri: `${base}/` }).identity,
    changedAt: instantOf(service.clock.now()),
  }
  await saveIdentity(deps.db, { tenantId: id, environment }, identity)
  return id
}
const abroad = await elsewhere()

test('does not trust a register without a trusted authority, whatever keys it publishes', async () => {
  serve = register()
  requested.length = 0
  assert.deepEqual(await codes(abroad), ['not_authentic'])
  // Without a pinned key its keys could prove nothing.
  assert.deepEqual(requested, [`/wrp/${MERCHANT}`])
  assert.equal((await loadRegisterCheck(deps.db, { tenantId: abroad, environment }))?.outcome, 'failed')
})

test('a key is pinned by its thumbprint, only from the origin of the register', async () => {
  serve = register()
  const terms = {
    registryUri: base,
    environment: environment as 'test',
    keysUri: `${base}/jwks.json`,
    expected: [] as string[],
  }
  const shown = await pinRegisterKeys(deps, terms)
  const [, thumbprint = ''] = /say which: (\S+)$/.exec(shown.outcome === 'refused' ? shown.problem : '') ?? []
  assert.equal(thumbprint.length, 43)
  const other = await pinRegisterKeys(deps, { ...terms, keysUri: 'http://elsewhere.example/jwks.json' })
  assert.match(other.outcome === 'refused' ? other.problem : '', /on its own origin/)
  const wrong = await pinRegisterKeys(deps, { ...terms, expected: ['x'.repeat(43)] })
  assert.match(wrong.outcome === 'refused' ? wrong.problem : '', /does not publish/)
  assert.deepEqual(await codes(abroad), ['not_authentic'])
  await known(pinRegisterKeys(deps, { ...terms, expected: [thumbprint] }))
  assert.deepEqual(await codes(abroad), [])
})

test('an answer cannot make us fetch keys elsewhere, or bring its own keys', async () => {
  const trap = createServer(() => assert.fail('the service fetched keys from the address in the answer'))
  await once(trap.listen(0, OUTSIDE), 'listening')
  after(() => trap.close())
  const evil = createRegistrar({ base, now: nowSeconds() })
  const resigned = (body: string) => {
    const [, payload = ''] = body.split('.')
    const header = { alg: 'ES256', typ: 'JWT', x5c: [evil.register.signer.certificate] }
    return signJws(header, Buffer.from(payload, 'base64url').toString(), evil.register.signer.key)
  }
  for (const change of [
    { keysUri: `http://${OUTSIDE}:${(trap.address() as AddressInfo).port}/jwks.json` },
    { keysUri: 'file:///etc/passwd' },
    { keysUri: '//' },
    { keys: registerKeys(evil), body: resigned },
    { keys: registerKeys(evil) },
    { keys: [] },
  ]) {
    serve = register(change)
    assert.deepEqual(await codes(abroad), ['not_authentic'], JSON.stringify(change))
  }
})

test('refuses an answer that is old, unsigned, too long, of another kind or about another party', async () => {
  const redated = (iat: number) => (body: string) => {
    const [, payload = ''] = body.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const { certificate, key } = foreign.register.signer
    return signJws({ alg: 'ES256', typ: 'JWT', x5c: [certificate] }, { ...claims, iat }, key)
  }
  const cases: readonly [string, Serve][] = [
    ['not_authentic', register({ body: redated(nowSeconds() - 90_000) })],
    ['unreachable', register({ type: 'application/json' })],
    ['unreachable', (_request, response) => void response.writeHead(500).end()],
    ['unreachable', (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1/' }).end()],
    ['unreachable', register({ body: () => 'x'.repeat(1_000_001) })],
    ['not_authentic', register({ body: () => 'x' })],
    ['not_registered', (_request, response) => void response.writeHead(404).end()],
  ]
  for (const [code, behaviour] of cases) {
    serve = behaviour
    assert.deepEqual(await codes(abroad), [code])
  }
  serve = (request, response) => {
    if (request.url !== '/jwks.json') request.url = `/wrp/${INTERMEDIARY}`
    register()(request, response)
  }
  assert.deepEqual(await codes(abroad), ['not_registered'])
})

test('a register on a trusted list needs no pinned key; another kind of list does not count', async () => {
  const id = await elsewhere()
  await pinRegisterKeys(deps, { registryUri: base, environment, keysUri: `${base}/jwks.json`, expected: [] })
  await deps.db.query({ name: 'unpin', text: 'delete from register_keys' })
  serve = register()
  const list = (
    providers: 'register' | 'registration-certificate',
    types: readonly (typeof REGISTERS | 'rc-wrp+jwt:*')[],
  ) =>
    importTrustList(deps, {
      owner: { tenantId: null, environment },
      kind: 'lote',
      providers,
      source: 'registers.jwt',
      file: Buffer.from(trustedList(foreign, 'registers', nowSeconds())),
      signer: certificateBytes(foreign.lists),
      signerAuthority: null,
      types,
    })
  const mixed = await list('register', [REGISTERS, 'rc-wrp+jwt:*'])
  assert.equal(mixed.outcome, 'refused')
  const other = await list('registration-certificate', ['rc-wrp+jwt:*'])
  assert.ok(other.outcome === 'refused' && other.code === 'list_mismatch', JSON.stringify(other))
  service.clock.advance(6_000)
  assert.deepEqual(await codes(id), ['not_authentic'])
  const done = await list('register', [REGISTERS])
  assert.ok(done.outcome === 'loaded', JSON.stringify(done))
  service.clock.advance(6_000)
  assert.deepEqual(await codes(id), [])
  // Its signer names a revocation list.
  const revocations = { up: true, revoked: false }
  const { authority } = foreign.register
  const period = { notBefore: nowSeconds() - 1_000, notAfter: nowSeconds() + 100_000, crl: `${base}/signers.crl` }
  const signer = mintSigner(authority, { commonName: 'Register', country: 'UT' }, period)
  const answers = register({
    body: (body) => {
      const [, payload = ''] = body.split('.')
      const header = { alg: 'ES256', typ: 'JWT', x5c: [signer.certificate] }
      return signJws(header, Buffer.from(payload, 'base64url').toString(), signer.key)
    },
  })
  serve = (request, response) => {
    if (request.url !== '/signers.crl') return answers(request, response)
    if (!revocations.up) return void response.destroy()
    const revoked = revocations.revoked ? [{ serial: serialOf({ subjectKey: signer.key }), at: nowSeconds() - 60 }] : []
    const times = { thisUpdate: nowSeconds() - 60, nextUpdate: nowSeconds() + 3_600 }
    response.end(mintCrl({ issuer: authority.name, signingKey: authority.key, ...times, revoked }))
  }
  const later = async (change: Partial<typeof revocations>) => {
    Object.assign(revocations, change)
    service.clock.advance(2 * 3_600_000)
    const found = (await check(id))?.findings ?? []
    return found.map(({ code, detail }) => `${code}: ${detail}`).join()
  }
  assert.equal(await later({}), '')
  assert.match(await later({ revoked: true }), /^not_authentic: .*has been revoked or is on hold/)
  assert.equal(await later({ revoked: false }), '')
  assert.match(await later({ up: false }), /^not_authentic: .*could not establish/)
  await removeTrustList(deps, done.id)
  service.clock.advance(6_000)
})

test('the job checks every merchant once a night, and one failure does not stop it', async () => {
  serve = (_request, response) => void response.destroy()
  const broken = await merchant()
  await deps.db.query(
    {
      name: 'spoil_registration',
      text: `insert into registration_certificates
               (id, tenant_id, environment, intended_use, jwt, content, hash, status, checked_at, created_at)
             values ('reg_spoiled', $1, 'test', 'identity', '', '{"serviceId":null}', repeat('0', 64), 'none', now(), now())`,
    },
    [broken],
  )
  service.clock.advance(21 * 3_600_000)
  await runJob(deps, 'look-at-registers')
  const at = instantOf(service.clock.now())
  const seen = await loadRegisterCheck(deps.db, { tenantId, environment })
  assert.deepEqual([seen?.outcome, seen?.checkedAt], ['same', at])
  assert.equal((await loadRegisterCheck(deps.db, { tenantId: abroad, environment }))?.findings[0]?.code, 'unreachable')
  assert.equal(await loadRegisterCheck(deps.db, { tenantId: broken, environment }), null)
  assert.ok(service.logged.some((line) => line.includes('a check of the register failed')))
  service.clock.advance(3_600_000)
  await runJob(deps, 'look-at-registers')
  assert.equal((await loadRegisterCheck(deps.db, { tenantId, environment }))?.checkedAt, at)
})

test('signatures of the sandbox registrar do not count in live', async () => {
  const id = await service.tenant()
  for (const owner of [null, id]) await known(changeIdentity(deps, { ...identityOf(owner), environment: 'live' }))
  const issued = await registrar.issue({
    identifier: MERCHANT,
    serviceIdentifier: 'shop',
    intendedUseIdentifier: 'identity',
    days: 90,
    shape: '1.2.1',
    scenario: null,
    nowMs: service.clock.now(),
  })
  assert.ok(issued.outcome === 'done')
  const realm = { tenantId: id, environment: 'live' } as const
  const added = await addRegistration(deps, { realm, jwt: issued.jwt, intendedUse: null, actor })
  assert.match(added.outcome === 'refused' ? added.problem : '', /its signature is not verified/)
  // Its register is not asked either, because no outbound request may reach our own address.
  await known(changeIdentity(deps, { ...identityOf(id, { registryUri: registrar.base }), environment: 'live' }))
  assert.match((await checkRegister(deps, realm))?.findings[0]?.detail ?? '', /egress_denied/)
})

test('live merchants are checked first', async () => {
  service.clock.advance(21 * 3_600_000)
  const due = await findDueChecksAcrossTenants(deps.db, { before: instantOf(service.clock.now()), most: 100 })
  const environments = due.map((owner) => owner.environment)
  assert.ok(environments.includes('live') && environments.includes('test'))
  assert.deepEqual(environments, environments.toSorted())
})

test('in live a register is asked only over https, and the outcome of checks is a metric', async () => {
  const id = await service.tenant()
  const identity = { ...identityOf(id).identity, changedAt: instantOf(service.clock.now()) }
  await saveIdentity(deps.db, { tenantId: id, environment: 'live' }, identity)
  // In live there is no sandbox, so without an address no register can be asked.
  assert.equal((await checkRegister(deps, { tenantId: id, environment: 'live' }))?.findings[0]?.code, 'no_register')
  const metrics = await deps.metrics.registry.metrics()
  assert.match(metrics, /vidimus_register_looks\{outcome="failed"\} 2/)
  await saveIdentity(deps.db, { tenantId: id, environment: 'live' }, { ...identity, registryUri: base })
  const refused = await checkRegister(deps, { tenantId: id, environment: 'live' })
  assert.match(refused?.findings[0]?.detail ?? '', /not an https address/)
})

test('a merchant is imported as a tenant without keys, with its identity and a template for each intended use', async () => {
  const terms = { registryUri: registrar.base, environment: environment as 'test', plan: 'free' as const, actor }
  const done = await importParty(deps, { ...terms, identifier: MERCHANT })
  assert.ok(done.outcome === 'imported', JSON.stringify(done))
  assert.deepEqual(
    [done.tenant.name, done.templates, done.left],
    ['Weinhandlung Muster', ['use-identity', 'use-age'], []],
  )
  const own = (await listTemplates(deps, { tenantId: done.tenant.id, environment })).filter(({ builtIn }) => !builtIn)
  const identity = own.find(({ key }) => key === 'use-identity')
  assert.deepEqual([identity?.title, identity?.intendedUse], ['To know who buys', 'identity'])
  assert.equal(identity?.query.credentials.length, 2)
  assert.deepEqual(await codes(done.tenant.id), [])
  const inLive = await loadIdentity(deps.db, { tenantId: done.tenant.id, environment: 'live' })
  assert.equal(inLive, null, 'a register that test believes says nothing of live')
  const nobody = await importParty(deps, { ...terms, identifier: 'VATDE-UNKNOWN' })
  assert.match(nobody.outcome === 'refused' ? nobody.problem : '', /the register has no party/)
  serve = register()
  const unknown = await importParty(deps, { ...terms, registryUri: base, identifier: MERCHANT })
  assert.match(unknown.outcome === 'refused' ? unknown.problem : '', /the signer of the register is not known/)
})

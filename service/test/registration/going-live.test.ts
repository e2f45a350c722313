// Tests going live: missing steps come from the store; requests to the operator cover what only it may do.

import assert from 'node:assert/strict'
import test from 'node:test'
import { mintAuthority } from '@vidimus/wallet'
import { certificateBytes } from '../../../wallet/src/pki.ts'
import type { RegisteredIdentity } from '../../src/core/registrations/domain/identity.ts'
import { judgeGoingLive, type LiveFacts } from '../../src/features/registration/domain/going-live/checklist.ts'
import { mandateFault } from '../../src/features/registration/domain/going-live/mandate.ts'
import { ANSWERED_MAX } from '../../src/features/registration/domain/going-live/operator-request.ts'
import {
  answerOperatorRequest,
  diagnoseRequests,
  readRequests,
} from '../../src/features/registration/usecases/going-live/answer-requests.ts'
import { readGoingLive } from '../../src/features/registration/usecases/going-live/read-going-live.ts'
import { changeIdentity } from '../../src/features/registration/usecases/manage-identity.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { requestCertificate } from '../../src/features/trust/usecases/manage-certificates.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { instantOf } from '../../src/platform/world.ts'
import { addTo, MERCHANT_ID, registerTenant, testRegistrar } from '../harness/registrar.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { type Person, person } from '../harness/staff.ts'

const service = await testService()
const NOW = service.clock.now()
const LIVE = { environment: 'live' } as const
const SHA256 = 'ab'.repeat(32)
const MANDATE = { kind: 'contract', sha256: SHA256, dated: '2020-02-29' } as const

const read = async (staff: Person) => (await staff.call('GET', '@/going-live', LIVE)).json
const stepOf = async (staff: Person, name: string) =>
  (await read(staff)).steps.find((step: { name: string }) => step.name === name)
const ask = (staff: Person, body: object) => staff.call('POST', '@/going-live/requests', { ...LIVE, body })
const record = (staff: Person, body: object) => staff.call('POST', '@/going-live/mandate', { ...LIVE, body })
const waiting = async (tenant: string) =>
  (await readRequests(service.deps, { answeredToo: false })).filter(({ tenantId }) => tenantId === tenant)

async function staffOfNew(): Promise<{ tenant: string; staff: Person }> {
  const tenant = await service.tenant()
  return { tenant, staff: await person(service, tenant, 'admin') }
}

const identity = (identifier: string, isIntermediary: boolean): RegisteredIdentity => ({
  identifier,
  tradeName: 'Hofladen GmbH',
  registryUri: null,
  isIntermediary,
  changedAt: instantOf(NOW),
})
const NOTHING: LiveFacts = {
  identity: null,
  own: null,
  mandate: null,
  registrations: [],
  overAsking: 0,
  certificates: [],
  unfitCertificates: new Set(),
  anchors: [],
  lists: [],
  keys: [],
  webhook: { hasSecret: false, failingDestinations: 0 },
}
const judged = (facts: Partial<LiveFacts>, name: string) => {
  const step = judgeGoingLive({ ...NOTHING, ...facts }, NOW).find((one) => one.name === name)
  return step === undefined ? [] : [step.state, ...step.reasons]
}

test('the page reads no more rows if other tenants trust more issuers', async () => {
  const realm = { tenantId: await service.tenant(), environment: 'live' } as const
  const rowsRead = async () => {
    let rows = 0
    const counting: Db = {
      ...service.deps.db,
      async query<R extends object>(...requested: Parameters<Db['query']>) {
        const found = await service.deps.db.query<R>(...requested)
        rows += found.length
        return found
      },
    }
    await readGoingLive({ ...service.deps, db: counting }, realm)
    return rows
  }
  const before = await rowsRead()
  const period = { notBefore: NOW / 1000 - 1000, notAfter: NOW / 1000 + 86_400 }
  for (let count = 0; count < 3; count += 1) {
    const owner = { tenantId: await service.tenant(), environment: 'live' } as const
    const root = mintAuthority({ commonName: `Root ${count}`, country: 'UT' }, period)
    const added = await addAnchor(service.deps, {
      owner,
      kind: 'ca',
      profile: 'generic',
      types: ['dc+sd-jwt:urn:eudi:pid:1'],
      certificate: certificateBytes(root),
      actor: OPERATOR,
    })
    assert.equal(added.outcome, 'added', JSON.stringify(added))
    await requestCertificate(service.deps, { owner, purpose: 'openid4vp', subject: { commonName: 'shop.example' } })
  }
  assert.equal(await rowsRead(), before)
})

test('without any facts, no step is done', () => {
  const steps = judgeGoingLive(NOTHING, NOW)
  assert.deepEqual([...new Set(steps.map(({ state }) => state))], ['open'])
  assert.ok(steps.every(({ reasons }) => reasons.length > 0))
})

test('a mandate is needed unless the operator is known to ask for itself; it may be missing, unchecked or checked', () => {
  const own = identity('NTRUT-OPERATOR', true)
  const mandate = { ...MANDATE, recordedAt: instantOf(NOW), checkedAt: null }
  assert.deepEqual(judged({ own }, 'mandate'), ['open', 'missing'])
  assert.deepEqual(judged({ own, mandate }, 'mandate'), ['open', 'unchecked'])
  assert.deepEqual(judged({ own, mandate: { ...mandate, checkedAt: instantOf(NOW) } }, 'mandate'), ['done'])
  assert.deepEqual(judged({ own: identity('NTRUT-OPERATOR', false) }, 'mandate'), ['not_needed'])
  assert.deepEqual(judged({ own, identity: identity('NTRUT-OPERATOR', false) }, 'mandate'), ['not_needed'])
  assert.deepEqual(judged({ mandate: { ...mandate, checkedAt: instantOf(NOW) } }, 'mandate'), [
    'open',
    'operator_unknown',
  ])
})

test("an access certificate must be issued, valid now and fit, and the merchant's own if an intermediary asks for it", () => {
  const certificate = {
    id: 'acc_1',
    tenantId: 'ten_1',
    environment: 'live',
    purpose: 'openid4vp',
    serviceId: null,
    provenance: 'installed',
    state: 'current',
    subject: null,
    issuer: null,
    hosts: [],
    clientId: null,
    createdAt: instantOf(NOW),
    installedAt: instantOf(NOW),
    retiredAt: null,
    validUntil: instantOf(NOW + 1000),
  } as const
  const own = identity('NTRUT-OPERATOR', true)
  const of = (change: object, facts: Partial<LiveFacts> = { own }) =>
    judged({ ...facts, certificates: [{ ...certificate, ...change }] }, 'access_certificate')
  assert.deepEqual(of({}), ['done'])
  assert.deepEqual(of({ provenance: 'generated' }), ['open', 'generated'])
  assert.deepEqual(of({ purpose: 'iso-reader' }), ['open', 'missing'])
  assert.deepEqual(of({ state: 'waiting' }), ['open', 'missing'])
  assert.deepEqual(of({ tenantId: null }), ['open', 'not_own'])
  assert.deepEqual(of({ tenantId: null }, { own: identity('NTRUT-OPERATOR', false) }), ['done'])
  assert.deepEqual(of({ validUntil: instantOf(NOW) }), ['open', 'ended'])
  assert.deepEqual(of({ validUntil: null }), ['open', 'ended'])
  assert.deepEqual(of({}, { own, unfitCertificates: new Set(['acc_1']) }), ['open', 'not_good'])
})

test('the step of trust needs an authority for a credential, and a list with it must not be outdated', () => {
  const anchor = {
    id: 'anc_1',
    tenantId: null,
    environment: 'live',
    kind: 'ca',
    profile: 'generic',
    types: ['dc+sd-jwt:*'],
    certificate: new Uint8Array(),
    listId: null,
    createdAt: instantOf(NOW),
    subject: '',
    validUntil: instantOf(NOW + 1000),
  } as const
  const list = {
    id: 'lst_1',
    byOwner: false,
    tenantId: null,
    environment: 'live',
    kind: 'lote',
    providers: 'pid',
    source: '',
    signer: null,
    signerAuthority: null,
    types: [],
    createdAt: instantOf(NOW),
    issuer: null,
    sequence: null,
    issuedAt: null,
    nextUpdateAt: instantOf(NOW),
    signerChain: null,
    loadedAt: null,
    attemptedAt: null,
    failure: null,
    mismatched: false,
    otherIssues: {},
  } as const
  const of = (change: object) => judged({ anchors: [{ ...anchor, ...change }], lists: [list] }, 'trusted_lists')
  assert.deepEqual(of({}), ['done'])
  assert.deepEqual(of({ types: ['rc-wrp+jwt:*'] }), ['open', 'missing'])
  assert.deepEqual(of({ types: ['register+jwt:*'] }), ['open', 'missing'])
  assert.deepEqual(of({ validUntil: instantOf(NOW) }), ['open', 'missing'])
  assert.deepEqual(of({ listId: 'lst_1' }), ['open', 'outdated'])
})

test('the step of the key needs a valid key that may create verifications, and the step of webhooks has no failing destination', () => {
  const key = {
    id: 'key_1',
    tenantId: 'ten_1',
    environment: 'live',
    name: '',
    prefix: '',
    scopes: ['verifications:create'],
    createdAt: instantOf(NOW),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  } as const
  const of = (change: object) => judged({ keys: [{ ...key, ...change }] }, 'live_key')
  assert.deepEqual(of({}), ['done'])
  assert.deepEqual(of({ revokedAt: instantOf(NOW) }), ['open', 'missing'])
  assert.deepEqual(of({ expiresAt: instantOf(NOW) }), ['open', 'missing'])
  assert.deepEqual(of({ scopes: ['usage:read'] }), ['open', 'missing'])
  assert.deepEqual(judged({ webhook: { hasSecret: true, failingDestinations: 0 } }, 'webhook'), ['done'])
  assert.deepEqual(judged({ webhook: { hasSecret: true, failingDestinations: 1 } }, 'webhook'), ['open', 'failing'])
})

test('a mandate is a hash and an existing day', () => {
  assert.equal(mandateFault(MANDATE, NOW), null)
  for (const change of [
    { sha256: SHA256.toUpperCase() },
    { sha256: SHA256.slice(1) },
    { dated: '2019-02-29' },
    { dated: '29.02.2020' },
    { dated: '1999-12-31' },
    { dated: new Date(NOW + 3 * 86_400_000).toISOString().slice(0, 10) },
  ])
    assert.notEqual(mandateFault({ ...MANDATE, ...change }, NOW), null, JSON.stringify(change))
})

test('the test environment has no steps for going live', async () => {
  const { staff } = await staffOfNew()
  assertRefused(await staff.call('GET', '@/going-live'), 404, 'not_found')
  assertRefused(await staff.call('POST', '@/going-live/mandate', { body: MANDATE }), 404, 'not_found')
  assertRefused(await staff.call('POST', '@/going-live/requests', { body: { kind: 'trusted_list' } }), 404, 'not_found')
})

test('stored facts of the merchant complete a step: identity, registration, trust, key, webhook', async () => {
  const { tenant, staff } = await staffOfNew()
  const realm = { tenantId: tenant, environment: 'live' } as const
  const open = async () =>
    (await read(staff)).steps.flatMap(({ name, state }: { name: string; state: string }) =>
      state === 'open' ? [name] : [],
    )
  assert.equal((await open()).length, 7)
  const registrar = await testRegistrar(service)
  await registerTenant(service, registrar, realm)
  assert.ok(!(await open()).includes('identity'))
  assert.deepEqual((await stepOf(staff, 'trusted_lists')).reasons, ['missing'], 'a registrar vouches for no credential')
  assert.equal((await addTo(service, realm, registrar.certify())).outcome, 'added')
  assert.equal((await stepOf(staff, 'registration')).state, 'done')
  const seconds = Math.floor(service.clock.now() / 1000)
  const period = { notBefore: seconds - 1000, notAfter: seconds + 86_400 }
  const authority = mintAuthority({ commonName: 'Issuers', country: 'UT' }, period)
  const added = await addAnchor(service.deps, {
    owner: realm,
    kind: 'ca',
    profile: 'generic',
    types: ['dc+sd-jwt:urn:eudi:pid:1'],
    certificate: certificateBytes(authority),
    actor: OPERATOR,
  })
  assert.equal(added.outcome, 'added')
  const keyTerms = { name: 'Shop', scopes: ['verifications:create'], expires_in_days: null }
  assert.equal((await staff.call('POST', '@/keys', { ...LIVE, body: keyTerms })).status, 201)
  assert.equal((await staff.call('POST', '@/webhooks/secret/show', { ...LIVE })).status, 200)
  assert.deepEqual(await open(), ['mandate', 'access_certificate'])
  // The certificate is about the merchant's former identity.
  const other = { identifier: 'VATUT-OTHER', tradeName: 'Other', registryUri: null, isIntermediary: false }
  await changeIdentity(service.deps, { ...realm, identity: other, actor: OPERATOR })
  assert.deepEqual((await stepOf(staff, 'registration')).reasons, ['not_good'])
})

test('a mandate waits until the operator confirms the document; a replaced mandate waits again', async () => {
  const { tenant, staff } = await staffOfNew()
  const refused = (await record(staff, { ...MANDATE, dated: '2019-02-29' })).json
  assert.deepEqual(refused, { outcome: 'refused', problems: [{ code: 'day', values: [] }] })
  await record(staff, MANDATE)
  const [first] = await waiting(tenant)
  assert.deepEqual([first?.kind, first?.wanted], ['mandate', { sha256: SHA256, dated: MANDATE.dated }])
  await record(staff, { ...MANDATE, sha256: 'cd'.repeat(32) })
  const [second, ...more] = await waiting(tenant)
  assert.deepEqual([more.length, second?.wanted.sha256], [0, 'cd'.repeat(32)])
  const done = (id: string | undefined) =>
    answerOperatorRequest(service.deps, { id: id ?? '', state: 'done', answer: null, actor: OPERATOR })
  assert.equal((await done(first?.id)).outcome, 'refused', 'the document was replaced in the meantime')
  assert.equal((await read(staff)).mandate.checked_at, null)
  assert.equal((await done(second?.id)).outcome, 'answered')
  assert.notEqual((await read(staff)).mandate.checked_at, null)
  assert.ok(!(await stepOf(staff, 'mandate')).reasons.includes('unchecked'))
  await record(staff, MANDATE)
  assert.equal((await read(staff)).mandate.checked_at, null)
  const trail = (await staff.call('GET', '@/audit', LIVE)).json.data.map((row: { action: string }) => row.action)
  assert.deepEqual(
    ['mandate.recorded', 'request.done'].map((action) => trail.includes(action)),
    [true, true],
  )
})

test('a declined mandate is not checked', async () => {
  const { tenant, staff } = await staffOfNew()
  await record(staff, MANDATE)
  const [request] = await waiting(tenant)
  await answerOperatorRequest(service.deps, {
    id: request?.id ?? '',
    state: 'declined',
    answer: 'Not signed',
    actor: OPERATOR,
  })
  const { mandate, requests } = await read(staff)
  assert.deepEqual([mandate.checked_at, requests[0].state, requests[0].answer], [null, 'declined', 'Not signed'])
})

test('one request per kind is open, however many are sent at once; after an answer it may be sent again, and few are kept', async () => {
  const { tenant, staff } = await staffOfNew()
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(staff, { kind: 'trusted_list' })))
  assert.equal(answers.filter(({ json }) => json.outcome === 'asked').length, 1)
  for (let round = 0; round < ANSWERED_MAX + 3; round += 1) {
    const [request] = await waiting(tenant)
    const answered = { id: request?.id ?? '', state: 'done', answer: null, actor: OPERATOR } as const
    assert.equal((await answerOperatorRequest(service.deps, answered)).outcome, 'answered')
    assert.equal((await answerOperatorRequest(service.deps, answered)).outcome, 'refused', 'answered twice')
    assert.equal((await ask(staff, { kind: 'trusted_list' })).json.outcome, 'asked')
  }
  assert.equal((await read(staff)).requests.length, ANSWERED_MAX + 1)
})

test('a merchant states its identity only with the request for it, and only the operator confirms it', async () => {
  const { tenant, staff } = await staffOfNew()
  const who = { identifier: MERCHANT_ID, trade_name: 'Corner Shop' }
  assert.equal((await ask(staff, { kind: 'identity' })).json.outcome, 'refused')
  assert.equal((await ask(staff, { kind: 'access_certificate', identity: who })).json.outcome, 'refused')
  const badUri = { ...who, registry_uri: 'http://register.example' }
  assert.equal((await ask(staff, { kind: 'identity', identity: badUri })).json.outcome, 'refused')
  // The operator would read these texts as another name or another address.
  for (const misleading of [
    { trade_name: 'pohS \u202e renroC' },
    { registry_uri: 'https://register.example/\u202eipa' },
  ])
    assert.equal((await ask(staff, { kind: 'identity', identity: { ...who, ...misleading } })).json.outcome, 'refused')
  assertRefused(await ask(staff, { kind: 'mandate' }), 400, 'invalid_request')
  assert.equal((await ask(staff, { kind: 'identity', identity: who })).json.outcome, 'asked')
  const [mistyped] = await waiting(tenant)
  const right = { ...who, trade_name: 'Corner Shop Ltd' }
  assert.equal((await ask(staff, { kind: 'identity', identity: right })).json.outcome, 'asked')
  const [request, ...more] = await waiting(tenant)
  assert.deepEqual([request?.wanted, more], [{ ...right, registry_uri: null }, []])
  const late = { id: mistyped?.id ?? '', state: 'done', answer: null, actor: OPERATOR } as const
  assert.notEqual((await answerOperatorRequest(service.deps, late)).outcome, 'answered')
  assert.equal((await stepOf(staff, 'identity')).state, 'open')
  assert.match((await diagnoseRequests(service.deps))[0]?.finding ?? '', /wait/)
})

test("merchants do not see each other's requests", async () => {
  const [ours, theirs] = [await staffOfNew(), await staffOfNew()]
  await ask(ours.staff, { kind: 'trusted_list' })
  await record(ours.staff, MANDATE)
  assert.equal((await read(ours.staff)).requests.length, 2)
  const seen = await read(theirs.staff)
  assert.deepEqual([seen.requests, seen.mandate], [[], null])
})

// Tests what owners may change in the trust of their realm: not registrations, and live only if allowed.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import test from 'node:test'
import { createIssuer, generateKey, issue, TYPE } from '@vidimus/wallet'
import { changeSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { SHOWN_ANCHORS_MAX } from '../../src/features/dashboard/usecases/read-trust.ts'
import type { AnchorView, TrustList } from '../../src/features/trust/domain/anchor.ts'
import { insertAnchors } from '../../src/features/trust/store/anchors.ts'
import { activateCertificate } from '../../src/features/trust/store/certificates.ts'
import { insertTrustList } from '../../src/features/trust/store/trust-lists.ts'
import { addAnchor, listAnchors } from '../../src/features/trust/usecases/manage-anchors.ts'
import { OWN_ANCHORS_MAX, WAITING_KEYS_MAX } from '../../src/features/trust/usecases/manage-own-trust.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { create, read, respond, validBody } from '../wallet/verifications.ts'

const service = await testService({}, LOOPBACK)
const { deps } = service
const wallet = await testWallet(service)
const tenant = await service.tenant({ name: 'Ours' })
const owner = await person(service, tenant, 'owner')
const key = await service.key(tenant)
const now = () => Math.floor(service.clock.now() / 1000)
const issuer = createIssuer({ base: 'https://issuer.example', now: now(), name: 'Another issuer' })
const PID = `dc+sd-jwt:${TYPE.pidSdJwt}` as const
const pemOf = (base64: string) => `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`
const authority = pemOf(issuer.sdJwt.authority.certificate)
const anchor = { certificate: authority, kind: 'ca', profile: 'generic', types: [PID] }
const add = (body: object, environment: 'test' | 'live' = 'test') =>
  owner.call('POST', '@/trust/anchors', { body, environment })

/** Answers a verification with a credential of the other issuer, and returns how it ends. */
async function outcome(): Promise<string> {
  service.clock.advance(5_001)
  const created = await create(service, key)
  const credentials = [issue(issuer, 'pid_sd_jwt', { holderKey: generateKey(), now: now(), statusIndex: null })]
  await respond(service, created.id, await validBody(wallet, await wallet.request(created.wallet_uri), { credentials }))
  const result = await read(service, key, created.id)
  return result.error?.code ?? result.status
}

test('an issuer is trusted from its addition until its removal, both with an audit entry', async () => {
  assert.equal(await outcome(), 'issuer_untrusted')
  assert.deepEqual((await add(anchor)).json, { outcome: 'done', warnings: [] })
  assert.equal(await outcome(), 'completed')
  const [own] = (await owner.call('GET', '@/trust')).json.anchors.filter((one: { own: boolean }) => one.own)
  assert.equal((await owner.call('POST', `@/trust/anchors/${own.id}/remove`)).status, 200)
  assert.equal(await outcome(), 'issuer_untrusted')
  const actions = (await owner.call('GET', '@/audit?kind=anchor')).json.data.map(
    ({ action }: { action: string }) => action,
  )
  assert.deepEqual(actions, ['anchor.removed', 'anchor.added'])
})

test('a merchant cannot add an authority for registrations or registers', async () => {
  for (const type of ['rc-wrp+jwt:*', 'register+jwt:*']) {
    const refused = (await add({ ...anchor, types: [type] })).json
    assert.equal(refused.outcome, 'refused')
    const list = { kind: 'lote', providers: 'pid', url: 'https://list.example/list', signer: authority, types: [type] }
    assert.equal((await owner.call('POST', '@/trust/lists', { body: list })).json.outcome, 'refused')
  }
  assert.equal((await add({ ...anchor, types: ['pid'] })).json.outcome, 'refused')
  service.clock.advance(60_000)
})

test('owners can mark an issuer of one document type, only if the mark matches its types', async () => {
  const soleType = { namespace: 'org.iso.18013.5.1', without_status: false }
  const licences = ['mso_mdoc:org.iso.18013.5.1.mDL']
  const marked = (change: object) => add({ ...anchor, types: licences, sole_type: soleType, ...change })
  for (const change of [
    { types: [PID] },
    { types: ['mso_mdoc:*'] },
    { types: [...licences, 'mso_mdoc:club.card.1'] },
    { sole_type: { ...soleType, without_status: true } },
  ])
    assert.equal((await marked(change)).json.code, 'sole_type', JSON.stringify(change))
  assertRefused(await marked({ sole_type: { namespace: 'a' } }), 400, 'invalid_request')
  assert.equal((await marked({})).json.outcome, 'done')
  const shown = (await owner.call('GET', '@/trust')).json.anchors as { id: string; sole_type: object | null }[]
  const [found] = shown.filter(({ sole_type: sole }) => sole !== null)
  assert.deepEqual(found?.sole_type, { doc_type: 'org.iso.18013.5.1.mDL', ...soleType })
  assert.equal((await owner.call('POST', `@/trust/anchors/${found?.id}/remove`)).status, 200)
  service.clock.advance(120_000)
})

test('in live the operator decides, unless it lets owners decide; a pinned signer is only for test', async () => {
  assert.match((await add(anchor, 'live')).json.problem, /operator/)
  assert.equal((await owner.call('GET', '@/trust', { environment: 'live' })).json.own_allowed, false)
  await changeSettings(deps, { tenantId: tenant, change: { ownTrustInLive: true }, actor: OPERATOR })
  assert.match((await add({ ...anchor, kind: 'pinned' }, 'live')).json.problem, /test only/)
  assert.equal((await add(anchor, 'live')).json.outcome, 'done')
  assertRefused(await owner.call('POST', '@/settings', { body: { own_trust_in_live: true } }), 400, 'invalid_request')
})

test("an owner cannot remove the operator's anchors, or single anchors of a list", async () => {
  const theirs = await addAnchor(deps, {
    owner: { tenantId: null, environment: 'test' },
    kind: 'ca',
    profile: 'generic',
    types: [PID],
    certificate: new X509Certificate(authority).raw,
    actor: OPERATOR,
  } as Parameters<typeof addAnchor>[1])
  assert.ok(theirs.outcome === 'added')
  assertRefused(await owner.call('POST', `@/trust/anchors/${theirs.anchor.id}/remove`), 404, 'not_found')
  assert.ok((await listAnchors(deps)).some(({ id }) => id === theirs.anchor.id))
})

test('a list is fetched by the egress client: private addresses and unsigned lists are refused, and nothing of them is stored', async () => {
  service.clock.advance(120_000)
  const receiver = await startReceiver()
  receiver.answer = () => ({ status: 200, body: 'no list' })
  const list = { kind: 'lote', providers: 'pid', url: receiver.url, signer: authority, types: [PID] }
  const ask = async (change: object) =>
    (await owner.call('POST', '@/trust/lists', { body: { ...list, ...change } })).json
  assert.equal((await ask({})).outcome, 'refused')
  assert.match((await ask({ url: 'http://10.0.0.1/list' })).problem, /could not be fetched/)
  assert.equal((await ask({ url: 'http://10.0.0.1/list' })).code, 'list_not_fetched')
  assert.match((await ask({ url: 'file:///etc/passwd' })).problem, /https/)
  assert.match((await ask({ signer: 'nobody' })).problem, /signer/)
  assert.deepEqual((await owner.call('GET', '@/trust')).json.lists, [])
})

/** Returns the point of its key on P-256, after the header of a bit string. */
function publicKeyOf(csr: string): string {
  const der = Buffer.from(csr.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64')
  const at = der.indexOf(Buffer.from([0x03, 0x42, 0x00, 0x04]))
  assert.ok(at > 0)
  return der.subarray(at, at + 68).toString('hex')
}

test('a key is created, its request shown until it is answered, and only its own certificate accepted', async () => {
  service.clock.advance(120_000)
  const body = { purpose: 'openid4vp', common_name: 'Ours', country: 'UT' }
  const { csr } = (await owner.call('POST', '@/trust/certificates/request', { body })).json
  assert.match(csr, /^-----BEGIN CERTIFICATE REQUEST-----/)
  const { certificates } = (await owner.call('GET', '@/trust')).json
  assert.equal(
    certificates.filter(({ state, own }: { state: string; own: boolean }) => own && state === 'waiting').length,
    1,
  )
  const [{ id }] = certificates.filter(({ state }: { state: string }) => state === 'waiting')
  const once = (change: object) => owner.call('POST', '@/trust/certificates/request', { body: { ...body, ...change } })
  const again = (await once({ id, common_name: 'Ours, corrected' })).json
  assert.equal(publicKeyOf(again.csr), publicKeyOf(csr))
  assert.notEqual(again.csr, csr)
  const waiting = (await owner.call('GET', '@/trust')).json.certificates.filter(
    ({ state }: { state: string }) => state === 'waiting',
  )
  // Only owners see the request, in its last state.
  const [shown] = certificates.filter((one: { id: string }) => one.id === id)
  assert.equal(shown.csr, csr)
  assert.deepEqual(waiting, [{ ...shown, csr: again.csr }])
  const admin = await person(service, tenant, 'admin')
  const [seen] = (await admin.call('GET', '@/trust')).json.certificates.filter((one: { id: string }) => one.id === id)
  assert.deepEqual(seen, { ...shown, csr: null })
  // The key cannot be used for another use, in the other environment, or by another tenant.
  assert.equal((await once({ id, purpose: 'google' })).json.code, 'not_waiting')
  const live = await owner.call('POST', '@/trust/certificates/request', { body: { ...body, id }, environment: 'live' })
  assert.equal(live.json.code, 'not_waiting')
  const stranger = await person(service, await service.tenant(), 'owner')
  const theirs = await stranger.call('POST', '@/trust/certificates/request', { body: { ...body, id } })
  assert.equal(theirs.json.code, 'not_waiting')
  const install = { purpose: 'openid4vp', chain: authority }
  const refused = (await owner.call('POST', '@/trust/certificates/install', { body: install })).json
  assert.match(refused.problem, /no key waits/)
  assert.equal(refused.code, 'no_key_waits')
  const [entry] = (await owner.call('GET', '@/audit?kind=certificate')).json.data
  assert.deepEqual([entry.action, entry.actor.name], ['certificate.requested', owner.email])
})

test('fetches by hand and the number of trusted issuers are limited', async () => {
  const own = await service.tenant()
  const staff = await person(service, own, 'owner')
  const realm = { tenantId: own, environment: 'test' } as const
  const certificate = new Uint8Array(new X509Certificate(authority).raw)
  for (let nth = 0; nth < OWN_ANCHORS_MAX; nth += 1) {
    const types = [`dc+sd-jwt:urn:example:${nth}`] as const
    await addAnchor(deps, { owner: realm, kind: 'ca', profile: 'generic', types, certificate, actor: OPERATOR })
  }
  const body = { ...anchor, types: [PID] }
  assert.match((await staff.call('POST', '@/trust/anchors', { body })).json.problem, /already/)
  const answers = await Promise.all(Array.from({ length: 11 }, () => staff.call('POST', '@/trust/anchors', { body })))
  assert.ok(answers.some(({ status }) => status === 429))
})

test('at most as many issuers are added as there may be, also at the same time', async () => {
  const tenantId = await service.tenant()
  const staff = await person(service, tenantId, 'owner')
  const certificate = new Uint8Array(new X509Certificate(authority).raw)
  const one = { owner: { tenantId, environment: 'test' }, kind: 'ca', profile: 'generic', types: [PID] } as const
  for (let nth = 1; nth < OWN_ANCHORS_MAX; nth += 1) await addAnchor(deps, { ...one, certificate, actor: OPERATOR })
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => staff.call('POST', '@/trust/anchors', { body: anchor })),
  )
  assert.deepEqual(answers.map(({ json }) => json.code ?? json.outcome).sort(), [
    'done',
    ...Array(4).fill('too_many_anchors'),
  ])
})

test('a page shows the first types of an anchor and counts them all; more than 256 KiB of types cost more', async () => {
  const rates = { ...deps.config.rates, key: { perSecond: 1, burst: 30 }, tenant: { perSecond: 2, burst: 200 } }
  const small = await testService({ rates })
  const tenantId = await small.tenant()
  const certificate = new Uint8Array(new X509Certificate(authority).raw)
  const types = Array.from({ length: 50 }, (_, nth) => `dc+sd-jwt:${'x'.repeat(600)}${nth}` as const)
  const one = { owner: { tenantId, environment: 'test' }, kind: 'ca', profile: 'generic', certificate } as const
  for (let nth = 0; nth < 60; nth += 1) await addAnchor(small.deps, { ...one, types, actor: OPERATOR })
  const staff = await person(small, tenantId, 'viewer')
  const first = await staff.call('GET', '@/trust')
  assert.deepEqual(
    first.json.anchors.map((shown: { types: string[]; type_count: number }) => [shown.types.length, shown.type_count]),
    Array(60).fill([20, 50]),
  )
  // 730 kB: 15 requests more than the first.
  assert.equal((await staff.call('GET', '@/trust')).status, 429)
})

test("only the shown anchors are loaded, from stored facts, the tenant's own first", async () => {
  const own = await service.tenant()
  const staff = await person(service, own, 'owner')
  const owned = { tenantId: own, environment: 'test' } as const
  const listed = Array.from(
    { length: SHOWN_ANCHORS_MAX + 1 },
    (_, nth): AnchorView => ({
      ...owned,
      id: `anc_Shown${nth}`,
      kind: 'ca',
      profile: 'generic',
      types: [PID],
      // Parsing such a certificate would fail.
      certificate: new Uint8Array(9),
      listId: 'lst_Shown',
      createdAt: '2026-01-01T00:00:00.000000Z',
      keySha256: '00'.repeat(32),
      subject: 'CN=Listed',
      validUntil: null,
    }),
  )
  const shown: TrustList = {
    ...{ ...owned, id: 'lst_Shown', byOwner: true, kind: 'lote', source: 'https://list.example' },
    types: [PID],
    ...{ signer: null, signerAuthority: null, signerChain: null, createdAt: '2026-01-01T00:00:00.000000Z' },
    ...{ issuer: null, sequence: null, issuedAt: null, nextUpdateAt: null },
    ...{ loadedAt: null, attemptedAt: null, failure: null, providers: 'pid', mismatched: false, otherIssues: {} },
  }
  await insertTrustList(deps.db, shown)
  const theirs = { tenantId: null, id: 'lst_Theirs', byOwner: false, source: 'https://list.example/all?key=1' }
  await insertTrustList(deps.db, { ...shown, ...theirs })
  await insertAnchors(deps.db, listed)
  assert.equal((await staff.call('POST', '@/trust/anchors', { body: anchor })).json.outcome, 'done')
  const { anchors, anchor_count: count, lists } = (await staff.call('GET', '@/trust')).json
  const { source } = lists.find(({ id }: { id: string }) => id === 'lst_Theirs')
  assert.equal(source, 'https://list.example/all', 'without the query of an address of the operator')
  assert.ok(count > SHOWN_ANCHORS_MAX + 1)
  assert.equal(anchors.length, SHOWN_ANCHORS_MAX)
  assert.deepEqual([anchors[0].own, anchors[0].from_list], [true, false])
  assertRefused(await staff.call('POST', '@/trust/anchors/anc_Shown0/remove'), 404, 'not_found')
  const removals = (path: string) => Promise.all(Array.from({ length: 11 }, () => staff.call('POST', path)))
  assert.ok((await removals('@/trust/anchors/anc_Nobody/remove')).some(({ status }) => status === 429))
  service.clock.advance(120_000)
  assert.ok((await removals('@/trust/lists/lst_Nobody/remove')).some(({ status }) => status === 429))
  assertRefused(await owner.call('POST', '@/trust/lists/lst_Shown/remove'), 404, 'not_found')
  service.clock.advance(120_000)
  assert.equal((await staff.call('POST', '@/trust/lists/lst_Shown/remove')).status, 200)
})

test('owners can withdraw a key that waits for its certificate: another can be requested, and its certificate is refused', async () => {
  const tenantId = await service.tenant()
  const staff = await person(service, tenantId, 'owner')
  const body = { purpose: 'openid4vp', common_name: 'Ours' }
  const request = async () => {
    service.clock.advance(10_000)
    return (await staff.call('POST', '@/trust/certificates/request', { body })).json
  }
  const waiting = async (): Promise<{ id: string; state: string; csr: string | null }[]> =>
    (await staff.call('GET', '@/trust')).json.certificates.filter((one: { state: string }) => one.state === 'waiting')
  for (let nth = 0; nth < WAITING_KEYS_MAX; nth += 1) assert.equal((await request()).outcome, 'requested')
  assert.equal((await request()).code, 'too_many_waiting')
  const [first, second] = await waiting()
  assert.ok(first !== undefined && second !== undefined)
  const withdraw = (id: string, environment: 'test' | 'live' = 'test') => {
    service.clock.advance(10_000)
    return staff.call('POST', `@/trust/certificates/${id}/withdraw`, { environment })
  }
  assertRefused(await withdraw(first.id, 'live'), 404, 'not_found')
  assert.equal((await withdraw(first.id)).status, 200)
  assertRefused(await withdraw(first.id), 404, 'not_found')
  const [entry] = (await staff.call('GET', '@/audit?kind=certificate')).json.data
  assert.deepEqual([entry.action, entry.object.id, entry.actor.name], ['certificate.withdrawn', first.id, staff.email])
  assert.equal((await request()).outcome, 'requested')
  assert.equal((await waiting()).length, WAITING_KEYS_MAX)
  const again = { body: { ...body, id: first.id } }
  assert.equal((await staff.call('POST', '@/trust/certificates/request', again)).json.code, 'not_waiting')
  // An installed key cannot be withdrawn, and its request is gone.
  const chain = [new Uint8Array(new X509Certificate(authority).raw)]
  const at = '2026-01-01T00:00:00.000000Z'
  assert.ok(await activateCertificate(deps.db, { id: second.id, tenantId, chain, at }))
  assertRefused(await withdraw(second.id), 404, 'not_found')
  const kept = await deps.db.query<{ signing_request: Buffer | null }>(
    { name: 'test_signing_request', text: 'select signing_request from access_keys where id = $1' },
    [second.id],
  )
  assert.deepEqual(kept, [{ signing_request: null }])
  service.clock.advance(120_000)
  const path = '@/trust/certificates/crt_Nobody/withdraw'
  const answers = await Promise.all(Array.from({ length: 11 }, () => staff.call('POST', path)))
  assert.ok(answers.some(({ status }) => status === 429))
})

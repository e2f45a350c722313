// Tests evidence bundles: only with a legal basis and a key, readable by the merchant, delivered once, then deleted.

import assert from 'node:assert/strict'
import { hash, randomBytes, X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { generateResultKey, openEvidence, ResultError, verifyReceipt, verifyReceiptProof } from '@vidimus/sdk'
import { verifyRequestObject } from '@vidimus/wallet'
import { addResultKey, removeResultKey } from '../../src/core/result-keys/usecases/manage-result-keys.ts'
import { writeMerchantJwe } from '../../src/core/result-keys/usecases/merchant-jwe.ts'
import { changeSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import type { WalletVerification } from '../../src/core/verifications/store/columns.ts'
import { forgetTransaction } from '../../src/core/verifications/store/forgetting.ts'
import { keepServedRequest, openServedRequests } from '../../src/core/verifications/store/served-requests.ts'
import { findWalletVerification, noteRequestsFetched } from '../../src/core/verifications/store/wallet-verifications.ts'
import { serveDcApiOffer } from '../../src/core/verifications/usecases/asking/serve-dc-api-offer.ts'
import { serveRequestObject } from '../../src/core/verifications/usecases/asking/serve-request-object.ts'
import { findOpen } from '../../src/core/verifications/usecases/asking/wallet-verification.ts'
import { contentOf, LISTS_BYTES_MAX } from '../../src/features/evidence/domain/bundle.ts'
import { renderContent } from '../../src/features/evidence/domain/bundle-content.ts'
import { takeBundle } from '../../src/features/evidence/store/bundles.ts'
import { changeEvidence, readEvidenceBasis } from '../../src/features/evidence/usecases/manage-evidence.ts'
import { destroyKeysOfExpiredAcrossTenants } from '../../src/features/retention/store/overdue.ts'
import { applyRetention } from '../../src/features/retention/usecases/apply-retention.ts'
import { haltLog } from '../../src/features/transparency/store/log.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { addOrigin } from '../../src/features/trust/usecases/origins/manage-origins.ts'
import { dayOf } from '../../src/platform/postgres/days.ts'
import type { Queries } from '../../src/platform/postgres/db.ts'
import { LATE } from '../../src/platform/postgres/late-migrations.ts'
import { type Instant, instantOf } from '../../src/platform/world.ts'
import { addMerchantKey } from '../forgetting/merchant-keys.ts'
import { merchant } from '../forgetting/merchants.ts'
import { fetchOffer } from '../harness/dc-api.ts'
import { commandLine, commandLineWithoutStore } from '../harness/servers/command-line.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { CARD, PAYLOAD, PAYMENT } from '../transactions/asking.ts'
import { create, FORM, respond, validBody } from '../wallet/verifications.ts'

const BASIS = 'AMLR (EU) 2024/1624 Art. 77: obliged entity, own registration'
const service = await testService()
const { deps } = service

/** Returns a merchant with its own key and a recorded legal basis. */
async function obliged() {
  const one = await merchant(service, { content: 'keep' })
  const resultKey = await addMerchantKey(service, one.realm)
  const { tenantId } = one.realm
  assert.deepEqual(await changeEvidence(deps, { tenantId, basis: BASIS, actor: OPERATOR }), { outcome: 'changed' })
  const collect = (id: string, key = one.key) => service.call('POST', `/v1/verifications/${id}/evidence`, { key })
  return { ...one, resultKey, tenantId, collect }
}

type StoredRequests = Pick<WalletVerification, 'sealedRequests' | 'requestObject'>

async function storedRequests(id: string, db: Queries = deps.db): Promise<StoredRequests> {
  const text = `select served_requests as "sealedRequests", request_object as "requestObject" from verifications where id = $1`
  const [row] = await db.query<StoredRequests>({ name: 'test_stored_requests', text }, [id])
  return row ?? assert.fail('no such verification')
}

async function requestsOf(id: string): Promise<readonly string[]> {
  const verification = await findWalletVerification(deps, id)
  return openServedRequests(deps.db, verification ?? assert.fail('no such verification'))
}

/** Whether a text has a word, also in base64 within base64. */
function hasEncoded(text: string, word: string, depth = 3): boolean {
  if (text.includes(word)) return true
  const encoded = depth === 0 ? [] : text.matchAll(/[\w+/-]{24,}/g)
  return [...encoded].some(([one]) => hasEncoded(Buffer.from(one, 'base64').toString('latin1'), word, depth - 1))
}

async function bundlesOf(tenantId: string): Promise<{ jwe: string }[]> {
  return deps.db.query({ name: 'test_bundles', text: 'select jwe from evidence_bundles where tenant_id = $1' }, [
    tenantId,
  ])
}

test('the bundle has the request, the presentation and all evidence of the verdict, only for its merchant', async () => {
  const { ended, collect, resultKey, tenantId } = await obliged()
  const id = await ended()
  assertRefused(await collect(id), 503, 'unavailable')
  await growLog(deps)
  const [kept] = await bundlesOf(tenantId)
  assert.match(kept?.jwe ?? '', /^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/, 'a JWE that the service cannot decrypt')
  const delivery = await collect(id)
  assert.equal(delivery.status, 200, delivery.text)
  assert.equal(delivery.headers['cache-control'], 'no-store')
  const { evidence, receipt, receipt_proof: proof } = delivery.json
  const keys = (await service.call('GET', '/log/receipt-keys')).json
  const verified = await verifyReceipt(receipt, keys, { id })
  assert.equal(verified.bundle_sha256, hash('sha256', evidence, 'base64url'))
  const log = (await service.call('GET', '/log/key')).text
  assert.equal((await verifyReceiptProof(proof, receipt, { log })).origin, 'verify.example.com/log')
  const bundle = await openEvidence(delivery.json, resultKey.privateKey)
  assert.equal(bundle.verification, id)
  assert.equal(hash('sha256', String(bundle.request), 'base64url'), verified.asked.request_sha256)
  assert.match(JSON.stringify(bundle.response), /^\{"vp_token":\{"[\w-]+":\["[\w-]+\.[\w-]+\.[\w-]+~/)
  assert.match(JSON.stringify(bundle.result), /Specimen/)
  const [trust] = bundle.trust as {
    issuer_cert: string
    anchor: string
    issuer_cert_sha256: string
    status_policy: string
  }[]
  assert.equal(trust?.status_policy, 'prefer')
  const signer = new X509Certificate(Buffer.from(trust?.issuer_cert ?? '', 'base64'))
  const anchor = new X509Certificate(Buffer.from(trust?.anchor ?? '', 'base64'))
  assert.ok(signer.verify(anchor.publicKey))
  assert.equal(hash('sha256', signer.raw, 'base64url'), verified.credentials[0]?.issuer_cert_sha256)
  const [list] = bundle.lists as { sha256: string; bytes: string; uri: string }[]
  assert.equal(hash('sha256', Buffer.from(list?.bytes ?? '', 'base64'), 'base64url'), list?.sha256)
  assert.equal(list?.sha256, verified.credentials[0]?.status?.list_sha256)
  const { resultKey: other } = await obliged()
  await assert.rejects(openEvidence(delivery.json, other.privateKey), ResultError)
  await assert.rejects(openEvidence({ ...delivery.json, id: `${id}x` }, resultKey.privateKey), ResultError)
})

test('a bundle that the receipt does not name is refused, although it is encrypted to the merchant', async () => {
  const { ended, collect, resultKey } = await obliged()
  const [id, otherId] = [await ended(), await ended()]
  await growLog(deps)
  const [delivery, other] = [(await collect(id)).json, (await collect(otherId)).json]
  const { x, y } = resultKey.privateKey
  const forged = writeMerchantJwe(
    { point: { x, y }, type: 'vidimus-evidence+jwe', verificationId: id },
    '{"result":{"claims":{"forged":true}}}',
    (size) => new Uint8Array(randomBytes(size)),
  )
  const { privateKey } = resultKey
  assert.equal((await openEvidence(delivery, privateKey)).verification, id)
  assert.deepEqual(await openEvidence({ id, evidence: forged }, privateKey), { result: { claims: { forged: true } } })
  for (const wrong of [
    { ...delivery, evidence: forged },
    { ...delivery, receipt: other.receipt },
    { ...delivery, receipt: '' },
    { ...delivery, receipt: 'e30.e30.x' },
  ])
    await assert.rejects(openEvidence(wrong, privateKey), { code: 'damaged' })

  const folder = await mkdtemp(join(tmpdir(), 'vidimus-bundle-'))
  after(() => rm(folder, { recursive: true }))
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content)
    return join(folder, name)
  }
  const receipt = await file('receipt', delivery.receipt)
  const keys = await file('keys', (await service.call('GET', '/log/receipt-keys')).text)
  const verify = async (evidence: string) =>
    commandLineWithoutStore().run(
      ...['receipt', 'verify', receipt, '--keys', keys, '--evidence', await file('evidence', evidence)],
    )
  const whole = JSON.stringify(delivery)
  for (const same of [delivery.evidence, `${delivery.evidence}\n`, whole]) {
    const { code, out, err } = await verify(same)
    assert.deepEqual([code, /names exactly this evidence bundle/.test(out)], [0, true], err)
  }
  for (const wrong of [
    forged,
    '{}',
    JSON.stringify(other),
    whole.replace('"evidence":', `"evidence":"${forged}","evidence":`),
    JSON.stringify({ ...delivery, evidence: forged }),
    JSON.stringify({ ...delivery, id: otherId }),
  ]) {
    const { code, err } = await verify(wrong)
    assert.deepEqual([code, /does not name this evidence bundle/.test(err)], [1, true], err)
  }
})

test('a bundle is delivered once, and the trail says so, without its content', async () => {
  const { ended, collect, tenantId, key, realm } = await obliged()
  const id = await ended()
  await growLog(deps)
  const answers = await Promise.all([collect(id), collect(id), collect(id)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404])
  const again = await collect(id)
  assertRefused(again, 404, 'evidence_not_found')
  assert.match(again.json.error.message, /was collected/)
  const unfinished = await service.call('POST', '/v1/verifications', { key, body: { template: 'identity' } })
  const none = await collect(unfinished.json.id)
  assertRefused(none, 404, 'evidence_not_found')
  assert.equal(none.json.error.message, 'This verification has no evidence bundle.')
  assert.deepEqual(await bundlesOf(tenantId), [])
  const entries = await deps.db.query<{ bytes: Buffer }>(
    {
      name: 'test_deliveries_of_evidence',
      text: `select bytes from audit_entries where tenant_id = $1 and environment = $2
             and convert_from(bytes, 'UTF8') like '%evidence.delivered%'`,
    },
    [tenantId, realm.environment],
  )
  assert.equal(entries.length, 1)
  const { object, details, actor } = JSON.parse(entries[0]?.bytes.toString() ?? '')
  assert.deepEqual([object, details, actor.type], [{ type: 'verification', id }, null, 'api_key'])
  assert.equal((await service.call('GET', `/v1/verifications/${id}`, { key })).status, 200, 'the rest stays')
})

test('no other tenant gets a bundle or learns that it exists', async () => {
  const { ended, collect, tenantId } = await obliged()
  const id = await ended()
  await growLog(deps)
  const { key: stranger } = await obliged()
  const live = await service.key(tenantId, { environment: 'live' })
  for (const other of [stranger, live]) assertRefused(await collect(id, other), 404, 'session_not_found')
  const now = instantOf(service.clock.now())
  for (const realm of [
    { tenantId, environment: 'live' },
    { tenantId: await service.tenant(), environment: 'test' },
  ] as const) {
    assert.equal(await takeBundle(deps.db, realm, { id, now }), null, 'the store returns no foreign bundle either')
  }
  const reader = await service.key(tenantId, { scopes: ['verifications:read', 'verifications:create'] })
  assertRefused(await collect(id, reader), 403, 'insufficient_scope')
  assert.equal((await bundlesOf(tenantId)).length, 1)
  assert.equal((await collect(id)).status, 200)
})

test('a bundle is deleted by erasure, by forgetting, and after its day', async () => {
  const { ended, collect, forget, key, tenantId } = await obliged()
  const [erased, forgotten] = [await ended(), await ended()]
  await growLog(deps)
  assert.equal((await service.call('DELETE', `/v1/verifications/${erased}`, { key })).status, 200)
  await forget(forgotten)
  assert.deepEqual(await bundlesOf(tenantId), [])
  assertRefused(await collect(erased), 404, 'session_not_found')
  assertRefused(await collect(forgotten), 404, 'evidence_not_found')
  const late = await ended()
  await growLog(deps)
  service.clock.advance(86_400_000)
  assertRefused(await collect(late), 404, 'evidence_not_found')
  assert.equal((await applyRetention(deps)).contributed, 1)
  assert.deepEqual(await bundlesOf(tenantId), [])
})

test('there is no bundle without a legal basis, without a key, with forwarded content, or of a failure', async () => {
  const without = await merchant(service, { content: 'keep' })
  const { tenantId } = without.realm
  const refused = async (problem: string, basis: string | null = BASIS) =>
    assert.deepEqual(await changeEvidence(deps, { tenantId, basis, actor: OPERATOR }), { outcome: 'refused', problem })
  await refused('no_key')
  const { publicKey } = await generateResultKey()
  const unproven = { realm: without.realm, jwk: JSON.stringify(publicKey), actor: OPERATOR }
  assert.equal((await addResultKey(deps, unproven)).outcome, 'added')
  await refused('no_key')
  const key = await addMerchantKey(service, without.realm)
  await refused('no_basis', 'because')
  await refused('no_basis', `${BASIS}\u0007`)
  await refused('no_basis', 'x'.repeat(1_001))
  await changeSettings(deps, { tenantId, change: { content: 'forward' }, actor: OPERATOR })
  await refused('forwarding')
  await changeSettings(deps, { tenantId, change: { content: 'keep', forwardOnly: true }, actor: OPERATOR })
  await refused('forwarding')
  await changeSettings(deps, { tenantId, change: { forwardOnly: false }, actor: OPERATOR })
  await without.ended()
  assert.equal((await bundlesOf(tenantId)).length, 0, 'no basis')
  assert.equal((await changeEvidence(deps, { tenantId, basis: BASIS, actor: OPERATOR })).outcome, 'changed')
  await without.ended({}, 'declined')
  const rejected = await without.ended({}, 'revoked')
  assert.equal((await without.read(rejected)).error.code, 'credential_revoked')
  assert.equal((await bundlesOf(tenantId)).length, 0, 'it failed')
  await changeSettings(deps, { tenantId, change: { content: 'forward' }, actor: OPERATOR })
  await without.ended()
  assert.equal((await bundlesOf(tenantId)).length, 0, 'its content is forwarded now')
  await changeSettings(deps, { tenantId, change: { content: 'keep' }, actor: OPERATOR })
  await removeResultKey(deps, { realm: without.realm, id: key.id, actor: OPERATOR })
  const keyless = await without.ended()
  assert.equal((await without.read(keyless)).status, 'completed')
  assert.equal((await bundlesOf(tenantId)).length, 0, 'there is no key any more')
  await changeEvidence(deps, { tenantId, basis: null, actor: OPERATOR })
  assert.equal(await readEvidenceBasis(deps, tenantId), null)
  assert.deepEqual(await changeEvidence(deps, { tenantId: 'ten_none', basis: BASIS, actor: OPERATOR }), {
    outcome: 'refused',
    problem: 'no_tenant',
  })
})

test('the served request is stored only until the answer', async () => {
  const { ended, key, realm } = await obliged()
  const id = await ended()
  const created = await service.call('POST', '/v1/verifications', { key, body: { template: 'identity' } })
  const served = await service.call('GET', `/wallet/request/${created.json.id}`)
  assert.deepEqual(await requestsOf(id), [])
  assert.deepEqual(await requestsOf(created.json.id), [served.text])
  await service.call('POST', `/v1/verifications/${created.json.id}/cancel`, { key })
  assert.deepEqual(await storedRequests(created.json.id), { requestObject: null, sealedRequests: null })
  const expiring = await create(service, key)
  await service.call('GET', `/wallet/request/${expiring.id}`)
  assert.equal((await requestsOf(expiring.id)).length, 1)
  const text = 'select expires_at as at from verifications where id = $1'
  const [expiry] = await deps.db.query<{ at: Instant }>({ name: 'test_expiry', text }, [expiring.id])
  const past = { id: expiring.id, at: expiry?.at ?? assert.fail() }
  const undone = new Error('undone')
  const forgetting = deps.db.transaction(async (tx) => {
    await forgetTransaction(tx, realm, past)
    assert.deepEqual(await storedRequests(expiring.id, tx), { requestObject: null, sealedRequests: null })
    throw undone
  })
  await assert.rejects(forgetting, (error) => error === undone)
  assert.ok((await destroyKeysOfExpiredAcrossTenants(deps.db, past.at, 1_000)) > 0)
  assert.deepEqual(await storedRequests(expiring.id), { requestObject: null, sealedRequests: null })
})

test('a kept request is sealed: a copy of the database shows neither the transaction nor the origin', async () => {
  const { key, realm } = await obliged()
  const origin = 'http://localhost:51731'
  await addOrigin(deps, { realm, origin, actor: OPERATOR })
  const transaction = [{ ...PAYMENT, payload: { ...PAYLOAD, payee: { ...PAYLOAD.payee, name: 'Canary Payee' } } }]
  const payment = await service.call('POST', '/v1/verifications', {
    key,
    body: { query: { credentials: [CARD] }, transaction },
  })
  const signIn = await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18', origin } })
  assert.equal((await service.call('GET', `/wallet/request/${payment.json.id}`)).status, 200)
  assert.equal((await fetchOffer(service, signIn.json.id, origin)).status, 200)
  for (const [id, word] of [
    [payment.json.id, 'Canary Payee'],
    [signIn.json.id, origin],
  ]) {
    const [request = ''] = await requestsOf(id)
    assert.ok(hasEncoded(request, word), 'the kept request names it')
    const text = 'select to_jsonb(v)::text as row from verifications v where id = $1'
    const [row] = await deps.db.query<{ row: string }>({ name: 'test_dumped_row', text }, [id])
    assert.ok(row !== undefined && !hasEncoded(row.row, word), `${word} is in plain text`)
  }
})

test('until the late part is in force a request is kept as before; the next one seals both', async () => {
  const { key, realm } = await obliged()
  const { id } = await create(service, key)
  const late = (at: string) => ({
    name: `test_late_${at}`,
    text: `update schema_migrations set late_at = ${at} where number = ${LATE.sealedRequests}`,
  })
  await deps.db.query(late('null'))
  const jws = (await service.call('GET', `/wallet/request/${id}`)).text
  await deps.db.query(late('now()'))
  assert.deepEqual(await storedRequests(id), { requestObject: jws, sealedRequests: null })
  assert.deepEqual(await requestsOf(id), [jws])
  await service.call('GET', `/wallet/request/${id}`)
  assert.deepEqual(await requestsOf(id), [jws])
  const offer = (await fetchOffer(service, id)).text
  assert.equal((await storedRequests(id)).requestObject, null)
  assert.deepEqual(await requestsOf(id), [jws, offer])
  await deps.db.transaction((tx) => keepServedRequest(tx, { ...realm, id }, '~eyJ', instantOf(deps.clock.now())))
  assert.deepEqual(await requestsOf(id), [jws, offer, '~eyJ'])
})

test('stores the first request object and the first offer; later fetches write nothing', async () => {
  const { key, realm } = await obliged()
  const created = await service.call('POST', '/v1/verifications', { key, body: { template: 'identity' } })
  const { id } = created.json
  const kept = async () => {
    await deps.fetchNotes.flush()
    const text = 'select xmin::text as version from verifications where id = $1'
    const [row] = await deps.db.query<{ version: string }>({ name: 'test_version', text }, [id])
    return { ...row, lines: await requestsOf(id) }
  }
  const fetchBoth = async () => ({
    jws: (await service.call('GET', `/wallet/request/${id}`)).text,
    offer: (await fetchOffer(service, id)).text,
  })
  const { jws, offer } = await fetchBoth()
  const first = await kept()
  assert.deepEqual(first.lines, [jws, offer])
  // Later fetches send no statement.
  const requests: string[] = []
  const query: typeof deps.db.query = (statement, parameters) => {
    requests.push(statement.name)
    return deps.db.query(statement, parameters)
  }
  const transaction: typeof deps.db.transaction = (work) => {
    requests.push('transaction')
    return deps.db.transaction(work)
  }
  const watched = { ...deps, db: Object.assign(Object.create(deps.db), { query, transaction }) }
  const again = { id, walletNonce: 'n', walletMetadata: null, sameDevice: false }
  assert.notEqual(await serveRequestObject(watched, again), jws)
  await serveDcApiOffer(watched, await findOpen(deps, id))
  assert.ok(!requests.includes('transaction'))
  assert.notEqual((await fetchBoth()).jws, jws)
  assert.deepEqual(await kept(), first)
  // Another process, which has not stored a request, may try to.
  await deps.db.transaction((tx) =>
    keepServedRequest(tx, { ...realm, id }, 'eyJ.of-a.race', instantOf(deps.clock.now())),
  )
  const at = instantOf(deps.clock.now())
  await noteRequestsFetched(deps.db, [
    {
      id,
      tenantId: realm.tenantId,
      day: dayOf(deps.derivedKeys, id),
      at,
      sameDevice: true,
      sha256: Buffer.alloc(32),
      sent: [],
    },
  ])
  assert.deepEqual(await kept(), first)
})

test('a request that is served late is not kept after the verification has expired', async () => {
  const { key, realm } = await obliged()
  const { id } = (await service.call('POST', '/v1/verifications', { key, body: { template: 'identity' } })).json
  const [row] = await deps.db.query<{ at: Instant }>(
    { name: 'test_expiry', text: 'select expires_at as at from verifications where id = $1' },
    [id],
  )
  assert.ok(row !== undefined)
  await deps.db.transaction((tx) => keepServedRequest(tx, { ...realm, id }, 'eyJ.late', row.at))
  assert.deepEqual(await requestsOf(id), [])
})

test('evidence and receipt name the request that was answered, also under another client id than the first', async () => {
  const { key, collect, resultKey } = await obliged()
  const created = await create(service, key)
  const path = `/wallet/request/${created.id}`
  await service.call('GET', path)
  const metadata = JSON.stringify({ client_id_prefixes_supported: ['x509_san_dns'] })
  const raw = new URLSearchParams({ wallet_metadata: metadata }).toString()
  const { text: jws } = await service.call('POST', path, { headers: FORM, raw })
  const wallet = await testWallet(service)
  const expected = { clientId: 'x509_san_dns:verify.example.com', walletNonce: null, trusted: [] }
  const request = await verifyRequestObject(jws, { ...expected, now: wallet.options.now })
  assert.equal((await respond(service, created.id, await validBody(wallet, request))).status, 200)
  await growLog(deps)
  const delivery = await collect(created.id)
  assert.equal(delivery.status, 200, delivery.text)
  assert.equal((await openEvidence(delivery.json, resultKey.privateKey)).request, jws)
  const keys = (await service.call('GET', '/log/receipt-keys')).json
  const { asked } = await verifyReceipt(delivery.json.receipt, keys, { id: created.id })
  assert.equal(asked.request_sha256, hash('sha256', jws, 'base64url'))
})

test('a list that is too large is named only by its hash', () => {
  const list = (size: number) => ({
    uri: 'https://a.example/l',
    kind: 'crl',
    bytes: Buffer.alloc(size),
    sha256: `of ${size}`,
  })
  const trustEvidence = [
    { queryId: 'a', checks: [], signer: null, status: null, lists: [list(LISTS_BYTES_MAX), list(10)] },
  ]
  const facts = {
    ...{ id: 'ver_x', at: '2026-01-01T00:00:00.000000Z', request: null, response: { vpToken: {} }, trustEvidence },
    result: { outcome: 'completed', claims: {}, credentials: [] },
    credentials: [{ query: 'a', checks: [], status_policy: 'require' }],
  } as const
  const { lists } = JSON.parse(renderContent(contentOf(facts)))
  assert.deepEqual(
    lists.map((one: object) => 'bytes' in one),
    [true, false],
  )
})

test('the operator turns evidence on, sees it and turns it off; the trail records the legal basis', async () => {
  const { run, json } = commandLine(service)
  const { realm } = await merchant(service, { content: 'keep' })
  const { tenantId } = realm
  assert.equal((await run('evidence', tenantId, '--basis', BASIS)).code, 2)
  await addMerchantKey(service, realm)
  assert.deepEqual(await json('evidence', tenantId, '--basis', BASIS), { basis: BASIS })
  assert.deepEqual(await json('evidence', tenantId), { basis: BASIS })
  assert.deepEqual(await json('evidence', tenantId, '--off'), { basis: null })
  assert.equal((await run('evidence', tenantId, '--off', '--basis', BASIS)).code, 2)
  assert.equal((await run('evidence', 'ten_none')).code, 2)
  const details = await deps.db.query<{ details: { basis: string | null } }>(
    {
      name: 'test_bases',
      text: `select d.details from audit_details d join audit_entries e using (tenant_id, environment, seq)
             where tenant_id = $1 and environment = 'live' and convert_from(e.bytes, 'UTF8') like '%evidence.changed%'
             order by seq`,
    },
    [tenantId],
  )
  assert.deepEqual(
    details.map(({ details: { basis } }) => basis),
    [BASIS, null],
  )
})

const WRITE_RECEIPT = 'update receipts set jws = $2 where verification_id = $1'

test('a halted log does not block evidence whose receipt is signed', async () => {
  const { ended, collect } = await obliged()
  const id = await ended()
  await haltLog(deps.db, 'for the test')
  assert.equal((await growLog(deps)).outcome, 'halted', 'the log is halted')
  const write = (jws: string) => deps.db.query({ name: 'test_write_receipt', text: WRITE_RECEIPT }, [id, jws])
  const [signed] = await deps.db.query<{ jws: string }>(
    { name: 'test_read_receipt', text: 'select jws from receipts where verification_id = $1' },
    [id],
  )
  assert.ok(signed !== undefined)
  await write(signed.jws.replace(/[^.]+$/, ''))
  assertRefused(await collect(id), 503, 'unavailable')
  await write(signed.jws)
  const delivery = await collect(id)
  assert.equal(delivery.status, 200, delivery.text)
  assert.equal(delivery.json.receipt_proof, null)
})

test('staff see the legal basis of evidence, but cannot set it', async () => {
  const { tenantId } = await obliged()
  const owner = await person(service, tenantId, 'owner')
  type Shown = { name: string; kind: string; value: unknown; none?: { en: string } }
  const all = async (): Promise<Shown[]> => (await owner.call('GET', '@/settings')).json.settings
  const shown = async () => (await all()).find(({ name }) => name === 'evidence_basis')
  assert.equal((await shown())?.value, BASIS)
  assert.equal((await shown())?.kind, 'text')
  const changeable = (await all()).filter(({ kind }) => kind !== 'text').map(({ name, value }) => [name, value])
  const body = { ...Object.fromEntries(changeable), retention_days: 9 }
  for (const basis of ['because I say so', null]) {
    const answer = await owner.call('POST', '@/settings', { body: { ...body, evidence_basis: basis } })
    assertRefused(answer, 400, 'invalid_request')
  }
  assert.equal((await owner.call('POST', '@/settings', { body })).status, 200)
  assert.equal((await shown())?.value, BASIS)
  await changeEvidence(deps, { tenantId, basis: null, actor: OPERATOR })
  assert.equal((await shown())?.value, null)
  assert.match((await shown())?.none?.en ?? '', /Evidence bundles are off/)
})

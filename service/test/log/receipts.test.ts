// Tests receipts: what remains provable about a verification, and to which readers.

import assert from 'node:assert/strict'
import { createPrivateKey, hash, sign } from 'node:crypto'
import test from 'node:test'
import type { VouchedType } from '@vidimus/engine'
import { type Receipt, verifyReceipt as verifyWithSdk } from '@vidimus/sdk'
import { credentialFacts } from '../../src/features/transparency/domain/receipt/credential-facts.ts'
import { type ReceiptJwk, receiptKeySealContext } from '../../src/features/transparency/domain/receipt/receipt-key.ts'
import type { ReceiptKeySet } from '../../src/features/transparency/domain/receipt/verify-receipt.ts'
import { verifyReceipt } from '../../src/features/transparency/domain/receipt/verify-receipt.ts'
import { rotateReceiptKey } from '../../src/features/transparency/usecases/manage-receipt-keys.ts'
import type { ListIssue } from '../../src/features/trust/domain/anchor.ts'
import { type CanonicalValue, canonicalJson } from '../../src/platform/canonical-json.ts'
import { browserAnswer, fetchOffer, OWN_ORIGIN, postAnswer } from '../harness/dc-api.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { create, decode, respond } from '../wallet/verifications.ts'

const service = await testService({}, LOOPBACK)
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)
const PURPOSE = 'To hand over the parcel of Erika Mustermann'

async function publicKeys(): Promise<ReceiptKeySet> {
  return (await service.call('GET', '/log/receipt-keys')).json
}

async function ended(scenario: 'good' | 'declined' = 'good', owner = key) {
  const created = await create(service, owner, { template: 'identity', purpose: PURPOSE })
  await wallet.present(created.wallet_uri, scenario)
  const read = await service.call('GET', `/v1/verifications/${created.id}`, { key: owner })
  const salt = String(read.headers['x-vidimus-receipt-salt'])
  return { id: created.id, verification: read.json, salt, jws: await receiptOf(created.id, owner) }
}

async function receiptOf(id: string, owner = key): Promise<string> {
  const answer = await service.call('GET', `/v1/verifications/${id}/receipt`, { key: owner })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers['content-type'], 'application/jose')
  return answer.text
}

function genuine(jws: string, keys: ReceiptKeySet) {
  const verdict = verifyReceipt(jws, keys)
  assert.ok(verdict.outcome === 'genuine', verdict.outcome)
  return verdict.receipt
}

test('a receipt says what was asked and how it ended, in the entry of the chain, and contains no value', async () => {
  const { id, jws, verification } = await ended()
  const { header, claims } = decode(jws)
  assert.deepEqual(Object.keys(header).sort(), ['alg', 'kid', 'typ'])
  assert.equal(header.typ, 'vidimus-receipt+jwt')
  const receipt = genuine(jws, await publicKeys())
  assert.equal(receipt.jti, id)
  assert.equal(receipt.aud, tenant)
  assert.equal(receipt.iss, 'https://verify.example.com')
  assert.equal(receipt.verdict, 'accepted')
  const [entry] = await service.deps.db.query<{ hash: Buffer; bytes: Buffer }>(
    {
      name: 'test_entry',
      text: 'select hash, bytes from audit_entries where tenant_id = $1 and environment = $2 and seq = $3',
    },
    [tenant, 'test', receipt.chain.seq],
  )
  assert.equal(entry?.hash.toString('hex'), receipt.chain.hash)
  assert.match(
    entry?.bytes.toString() ?? '',
    new RegExp(`verification\\.completed.*${id}|${id}.*verification\\.completed`),
  )
  const text = JSON.stringify(claims)
  const values = JSON.stringify(verification.claims).match(/"[^"]{4,}"(?=[,}\]])/g) ?? []
  assert.ok(values.length > 0)
  for (const value of [...values, PURPOSE, 'Mustermann']) assert.ok(!text.includes(value), value)
})

const sha256 = (bytes: string | Uint8Array) => hash('sha256', bytes, 'base64url')

test('a receipt names request, certificates and status by their hashes, and nothing that identifies a holder', async () => {
  const { jws } = await ended()
  const { asked, credentials } = decode(jws).claims as unknown as Receipt
  assert.match(asked.request_sha256 ?? '', /^[\w-]{43}$/)
  const [one] = credentials
  assert.equal(one?.query, 'pid_sd')
  const anchors = await service.deps.anchors.find({ tenantId: tenant, environment: 'test' }, service.clock.now())
  assert.ok(anchors.some(({ certificate }) => sha256(certificate) === one?.anchor_sha256))
  assert.match(one?.issuer_cert_sha256 ?? '', /^[\w-]{43}$/)
  assert.notEqual(one?.issuer_cert_sha256, one?.anchor_sha256)
  assert.equal(one?.status?.outcome, 'valid')
  assert.equal(one?.status_policy, 'prefer')
  assert.ok(!('sole_type' in (one ?? {})), 'only of proofs')
  assert.match(one?.status?.list_sha256 ?? '', /^[\w-]{43}$/)
  assert.deepEqual(Object.keys(one?.status ?? {}).sort(), ['list_sha256', 'outcome'])
  assert.ok(!/"(idx|uri|sub|cnf|kb|salt)"/.test(JSON.stringify(decode(jws).claims)))
})

for (const written of [false, true]) {
  test(`a receipt names the request that was served first, even if another is fetched later${written ? ', also after the first was written' : ''}`, async () => {
    const created = await create(service, key)
    const { text: served } = await service.call('GET', `/wallet/request/${created.id}`)
    if (written) await service.deps.fetchNotes.flush()
    const { text: again } = await service.call('GET', `/wallet/request/${created.id}`)
    assert.notEqual(again, served)
    assert.equal(service.deps.fetchNotes.unwritten(created.id) === null, written)
    if (written) await service.deps.fetchNotes.flush()
    const { state } = decode(served).claims
    await respond(service, created.id, new URLSearchParams({ error: 'access_denied', state: String(state) }).toString())
    const { asked } = decode(await receiptOf(created.id)).claims as unknown as Receipt
    assert.equal(asked.request_sha256, sha256(served))
  })
}

for (const protocol of ['openid4vp-v1-signed', 'org-iso-mdoc'] as const) {
  test(`in a browser, the request of a receipt is the content of every offer, answered by ${protocol}`, async () => {
    const created = await create(service, key, { template: 'age_over_18' })
    const offers = [await fetchOffer(service, created.id), await fetchOffer(service, created.id)]
    const hashes = offers.map(({ json }) => {
      const [{ data }] = json.requests
      const { iat, ...claims } = decode(data.request).claims
      assert.equal(typeof iat, 'number')
      return sha256(canonicalJson(claims as unknown as CanonicalValue))
    })
    assert.equal(hashes[0], hashes[1])
    const requests = offers[0]?.json.requests.filter((one: { protocol: string }) => one.protocol === protocol)
    const answer = await browserAnswer(wallet, { requests })
    assert.equal((await postAnswer(service, created.id, answer, OWN_ORIGIN)).status, 200)
    const jws = await receiptOf(created.id)
    genuine(jws, await publicKeys())
    const { asked } = decode(jws).claims as unknown as Receipt
    assert.equal(asked.request_sha256, hashes[0])
  })
}

test('a receipt names the list that named the authority, if one did for this type', () => {
  const certificate = Buffer.from('an authority')
  const uri = 'https://list.example/l'
  const issue = { uri: `${uri}?key=ours#part`, sequence: 7, sha256: 'h' }
  const anchor = { kind: 'ca', certificate, profile: 'generic' } as const
  const trustEvidence = {
    queryId: 'pid',
    checks: [],
    signer: { certificate, anchor: certificate, fingerprint: 'f', anchorFingerprint: sha256(certificate) },
    status: null,
    lists: [],
  }
  const listed = (types: readonly VouchedType[], from: ListIssue | undefined) =>
    credentialFacts(
      trustEvidence,
      { format: 'dc+sd-jwt', type: 'urn:a' },
      { anchors: [{ ...anchor, types, ...(from === undefined ? {} : { issue: from }) }], statusPolicy: 'prefer' },
    ).trust_list
  assert.deepEqual(listed(['dc+sd-jwt:urn:a'], issue), { uri, seq: 7, sha256: 'h' })
  assert.deepEqual(listed(['dc+sd-jwt:*'], { ...issue, sequence: null, sha256: null }), { uri })
  assert.equal(listed(['dc+sd-jwt:urn:b'], issue), undefined)
  assert.equal(listed(['dc+sd-jwt:urn:a'], undefined), undefined)
})

test('a receipt of an earlier release, with fewer members or the time of a fetch, still verifies', async () => {
  const [row] = await service.deps.db.query<{ kid: string; sealed: Buffer; jwk: ReceiptJwk }>({
    name: 'test_receipt_key',
    text: 'select kid, private_key as sealed, public_jwk as jwk from receipt_keys order by created_at limit 1',
  })
  assert.ok(row !== undefined)
  const der = service.deps.db.sealer.open(row.sealed, receiptKeySealContext(row.kid))
  const { claims } = decode((await ended()).jws)
  const { bundle_sha256: _, ...older } = claims as Record<string, unknown>
  const before = {
    ...older,
    asked: { dcql_sha256: 'x' },
    credentials: [
      { format: 'dc+sd-jwt', trusted: true, checks: [] },
      {
        ...{ query: 'pid', format: 'dc+sd-jwt', trusted: true, checks: [] },
        status: { outcome: 'valid', list_sha256: 'l'.repeat(43), fetched: 1_800_000_000 },
      },
    ],
  }
  const input = [{ alg: 'ES256', kid: row.kid, typ: 'vidimus-receipt+jwt' }, before]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const keys = await publicKeys()
  const jws = `${input}.${signature.toString('base64url')}`
  assert.equal(genuine(jws, keys).verdict, 'accepted')
  assert.equal((await verifyWithSdk(jws, keys as { keys: object[] })).verdict, 'accepted')
})

test('a failed verification has a receipt, too, with its code', async () => {
  const { jws, verification, salt } = await ended('declined')
  const keys = await publicKeys()
  const receipt = genuine(jws, keys)
  assert.equal(receipt.verdict, 'rejected')
  assert.equal(receipt.code, 'wallet_declined')
  await verifyWithSdk(jws, keys as { keys: object[] }, { result: { verification, salt } })
})

test('L11 a receipt exists and verifies after erasure; the salt is gone with the result', async () => {
  const { id, jws } = await ended()
  assert.equal((await service.call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
  assertRefused(await service.call('GET', `/v1/verifications/${id}`, { key }), 404, 'session_not_found')
  assert.equal(await receiptOf(id), jws)
  assert.equal(genuine(jws, await publicKeys()).jti, id)
})

test('L12 result and salt match the receipt; an altered result, or another salt, does not', async () => {
  const { jws, verification, salt } = await ended()
  const other = await ended()
  const keys = await publicKeys()
  const receipt = genuine(jws, keys)
  assert.equal(Buffer.from(salt, 'base64url').length, 32)
  assert.equal(
    (await verifyWithSdk(jws, keys as { keys: object[] }, { result: { verification, salt } })).jti,
    receipt.jti,
  )
  const refused = (changed: object | string, code: string, given = salt) =>
    assert.rejects(
      verifyWithSdk(jws, keys as { keys: object[] }, { result: { verification: changed, salt: given } }),
      { code },
      JSON.stringify(changed),
    )
  const altered = { ...verification, claims: { ...verification.claims, family_name: 'Musterfrau' } }
  const less = { ...verification, claims: undefined }
  for (const changed of [
    altered,
    less,
    { ...verification, credentials: [] },
    { ...verification, error: { code: 'x' } },
    { ...verification, template: 'age_over_65' },
    { ...verification, template: undefined },
    { ...verification, purpose: 'Consent to a loan' },
    { ...verification, purpose: null },
    { ...verification, status: 'failed' },
    { ...verification, status: undefined },
    { ...verification, responded_at: '2020-01-01T00:00:00Z' },
    { ...verification, responded_at: undefined },
  ]) {
    await refused(changed, 'other_result')
  }
  await refused({ ...verification, given_name: 'Erika' }, 'malformed_result')
  const text = JSON.stringify(verification)
  await verifyWithSdk(jws, keys as { keys: object[] }, { result: { verification: text, salt } })
  await refused(text.replace('"claims":', '"claims":{"age_over_65":true},"claims":'), 'malformed_result')
  await refused(verification, 'other_result', other.salt)
})

test('L13 a receipt of one verification or tenant is not accepted for another', async () => {
  const { id, jws, salt, verification } = await ended()
  const other = await ended()
  const keys = await publicKeys()
  await assert.rejects(verifyWithSdk(other.jws, keys as { keys: object[] }, { result: { verification, salt } }), {
    code: 'other_verification',
  })
  await assert.rejects(verifyWithSdk(other.jws, keys as { keys: object[] }, { id }), { code: 'other_verification' })
  // Combines parts of two receipts.
  const [header, payload, signature] = jws.split('.')
  const [, otherPayload, otherSignature] = other.jws.split('.')
  for (const mixed of [`${header}.${otherPayload}.${signature}`, `${header}.${payload}.${otherSignature}`]) {
    assert.deepEqual(verifyReceipt(mixed, keys), { outcome: 'bad_signature' })
    await assert.rejects(verifyWithSdk(mixed, keys as { keys: object[] }), { code: 'bad_signature' })
  }
  const stranger = await service.key(await service.tenant())
  const live = await service.key(tenant, { environment: 'live' })
  for (const reader of [stranger, live]) {
    assertRefused(
      await service.call('GET', `/v1/verifications/${id}/receipt`, { key: reader }),
      404,
      'session_not_found',
    )
  }
  const unscoped = await service.key(tenant, { scopes: ['verifications:create'] })
  assertRefused(
    await service.call('GET', `/v1/verifications/${id}/receipt`, { key: unscoped }),
    403,
    'insufficient_scope',
  )
})

test('L13 a text that is not a receipt of these keys is refused, whatever it claims', async () => {
  const { jws } = await ended()
  const keys = await publicKeys()
  const [, payload = '', signature = ''] = jws.split('.')
  const headed = (header: object) =>
    `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.${signature}`
  const { header } = decode(jws)
  assert.deepEqual(verifyReceipt(headed({ ...header, alg: 'none' }), keys), { outcome: 'malformed' })
  assert.deepEqual(verifyReceipt(headed({ ...header, typ: 'JWT' }), keys), { outcome: 'malformed' })
  assert.deepEqual(verifyReceipt(headed({ ...header, kid: 'other' }), keys), { outcome: 'unknown_key' })
  assert.deepEqual(verifyReceipt(headed({ alg: header.alg, typ: header.typ }), keys), { outcome: 'unknown_key' })
  assert.deepEqual(verifyReceipt(jws, { keys: [{}] }), { outcome: 'unknown_key' })
  for (const text of ['', 'a.b', `${jws}.x`, 'x'.repeat(40_000)]) {
    assert.deepEqual(verifyReceipt(text, keys), { outcome: 'malformed' })
  }
})

test('L12 the salt is in the webhook, and gone if the content is forgotten', async () => {
  const receiver = await startReceiver()
  const created = await create(service, key, { template: 'identity', webhook_url: receiver.url })
  await wallet.present(created.wallet_uri)
  await deliverDue(service)
  const [received] = receiver.received
  const salt = String(received?.headers['x-vidimus-receipt-salt'])
  const { verification } = JSON.parse(received?.body.toString() ?? '')
  const published = (await publicKeys()) as { keys: object[] }
  await verifyWithSdk(await receiptOf(created.id), published, { result: { verification, salt } })
  assert.equal((await service.call('POST', `/v1/verifications/${created.id}/forget`, { key })).status, 200)
  const read = await service.call('GET', `/v1/verifications/${created.id}`, { key })
  assert.equal(read.headers['x-vidimus-receipt-salt'], undefined)
  assert.equal(genuine(await receiptOf(created.id), await publicKeys()).jti, created.id)
})

test('a pending verification has no receipt', async () => {
  const { id } = await create(service, key)
  assertRefused(await service.call('GET', `/v1/verifications/${id}/receipt`, { key }), 404, 'session_not_found')
  const read = await service.call('GET', `/v1/verifications/${id}`, { key })
  assert.equal(read.headers['x-vidimus-receipt-salt'], undefined)
})

test('L14 a new key is published before it signs; old receipts verify, and the old key stays published', async () => {
  const before = await ended()
  const { kid } = await rotateReceiptKey(service.deps, null)
  const keys = await publicKeys()
  assert.ok(
    keys.keys.some((one) => one.kid === kid),
    'published at once',
  )
  const meanwhile = await ended()
  assert.equal(decode(meanwhile.jws).header.kid, decode(before.jws).header.kid)
  service.clock.advance(3_600_000)
  const after = await ended()
  assert.equal(decode(after.jws).header.kid, kid)
  for (const { jws, id } of [before, meanwhile, after]) assert.equal(genuine(jws, await publicKeys()).jti, id)
  assert.deepEqual(verifyReceipt(after.jws, { keys: keys.keys.filter((one) => one.kid !== kid) }), {
    outcome: 'unknown_key',
  })
  assert.ok(
    keys.keys.every((one) => !('d' in one)),
    'no private half',
  )
})

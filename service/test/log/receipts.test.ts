// Receipts: what is left to show of a verification, whom it convinces, and whom it must not.

import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyReceipt as verifyWithSdk } from '@vidimus/sdk'
import type { ReceiptKeySet } from '../../src/domain/receipt/verify-receipt.ts'
import { isResultOf, verifyReceipt } from '../../src/domain/receipt/verify-receipt.ts'
import { rotateReceiptKey } from '../../src/usecases/log/manage-receipt-keys.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { create, decode } from '../wallet/verifications.ts'

const service = await testService({}, LOOPBACK)
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)
const PURPOSE = 'To hand over the parcel of Erika Mustermann'

async function publicKeys(): Promise<ReceiptKeySet> {
  return (await service.call('GET', '/log/receipt-keys')).json
}

async function ended(scenario: 'good' | 'declined' = 'good', owner = key) {
  const made = await create(service, owner, { template: 'identity', purpose: PURPOSE })
  await wallet.present(made.wallet_uri, scenario)
  const read = await service.call('GET', `/v1/verifications/${made.id}`, { key: owner })
  const salt = String(read.headers['x-vidimus-receipt-salt'])
  return { id: made.id, verification: read.json, salt, jws: await receiptOf(made.id, owner) }
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

test('a receipt says what was asked and how it ended, in the entry of the chain, and holds no value', async () => {
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

test('a failed verification has a receipt too, with its code', async () => {
  const { jws, verification, salt } = await ended('declined')
  const receipt = genuine(jws, await publicKeys())
  assert.equal(receipt.verdict, 'rejected')
  assert.equal(receipt.code, 'wallet_declined')
  assert.ok(isResultOf(receipt, verification, Buffer.from(salt, 'base64url')))
})

test('L11 a receipt is there and verifies after erasure; the salt is gone with the result', async () => {
  const { id, jws } = await ended()
  assert.equal((await service.call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
  assertRefused(await service.call('GET', `/v1/verifications/${id}`, { key }), 404, 'session_not_found')
  assert.equal(await receiptOf(id), jws)
  assert.equal(genuine(jws, await publicKeys()).jti, id)
})

test('L12 result and salt fit the receipt; an altered result, or another salt, does not', async () => {
  const { jws, verification, salt } = await ended()
  const other = await ended()
  const keys = await publicKeys()
  const receipt = genuine(jws, keys)
  const bytes = Buffer.from(salt, 'base64url')
  assert.equal(bytes.length, 32)
  assert.ok(isResultOf(receipt, verification, bytes))
  assert.equal(
    (await verifyWithSdk(jws, keys as { keys: object[] }, { result: { verification, salt } })).jti,
    receipt.jti,
  )
  const altered = { ...verification, claims: { ...verification.claims, family_name: 'Musterfrau' } }
  const less = { ...verification, claims: undefined }
  for (const changed of [
    altered,
    less,
    { ...verification, credentials: [] },
    { ...verification, error: { code: 'x' } },
  ]) {
    assert.equal(isResultOf(receipt, changed, bytes), false)
    await assert.rejects(verifyWithSdk(jws, keys as { keys: object[] }, { result: { verification: changed, salt } }), {
      code: 'other_result',
    })
  }
  assert.equal(isResultOf(receipt, verification, Buffer.from(other.salt, 'base64url')), false)
})

test('L13 a receipt of one verification or tenant does not pass for another', async () => {
  const { id, jws, salt, verification } = await ended()
  const other = await ended()
  const keys = await publicKeys()
  assert.equal(isResultOf(genuine(other.jws, keys), verification, Buffer.from(salt, 'base64url')), false)
  await assert.rejects(verifyWithSdk(other.jws, keys as { keys: object[] }, { id }), { code: 'other_verification' })
  // Its parts in another's place.
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

test('L13 what is no receipt of these keys is refused, whatever it says of itself', async () => {
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

test('L12 the salt comes with the webhook, and is gone where the content is forgotten', async () => {
  const receiver = await startReceiver()
  const made = await create(service, key, { template: 'identity', webhook_url: receiver.url })
  await wallet.present(made.wallet_uri)
  await deliverDue(service)
  const [received] = receiver.received
  const salt = String(received?.headers['x-vidimus-receipt-salt'])
  const { verification } = JSON.parse(received?.body.toString() ?? '')
  const receipt = genuine(await receiptOf(made.id), await publicKeys())
  assert.ok(isResultOf(receipt, verification, Buffer.from(salt, 'base64url')))
  assert.equal((await service.call('POST', `/v1/verifications/${made.id}/forget`, { key })).status, 200)
  const read = await service.call('GET', `/v1/verifications/${made.id}`, { key })
  assert.equal(read.headers['x-vidimus-receipt-salt'], undefined)
  assert.equal(genuine(await receiptOf(made.id), await publicKeys()).jti, made.id)
})

test('a pending verification has no receipt', async () => {
  const { id } = await create(service, key)
  assertRefused(await service.call('GET', `/v1/verifications/${id}/receipt`, { key }), 404, 'session_not_found')
  const read = await service.call('GET', `/v1/verifications/${id}`, { key })
  assert.equal(read.headers['x-vidimus-receipt-salt'], undefined)
})

test('L14 a new key is published before it signs; old receipts verify, and the old key stays published', async () => {
  const before = await ended()
  const { kid } = await rotateReceiptKey(service.deps)
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

// Tests confirmations from request to record: texts never change, nothing completes without one, a code works once.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import test from 'node:test'
import {
  generateKey,
  issueAll,
  TRANSACTION_MISBEHAVIOUR_NAMES,
  TRANSACTION_MISBEHAVIOURS,
  type TransactionMisbehaviour,
  type VerifierRequest,
} from '@vidimus/wallet'
import { saveType } from '../../src/core/transactions/usecases/manage-types.ts'
import { addMerchantKey } from '../forgetting/merchant-keys.ts'
import { browserAnswer, fetchOffer, OWN_ORIGIN, postAnswer } from '../harness/dc-api.ts'
import { runJob } from '../harness/jobs.ts'
import { assertRefused, OPERATOR } from '../harness/service.ts'
import { respond, validBody } from '../wallet/verifications.ts'
import { APPROVAL, CARD, CONSENT, CONSENT_SCHEMA, LICENCE, openShop, PAYLOAD, PAYMENT, PID } from './asking.ts'

const shop = await openShop()
const { service, key, realm, wallet, asking, answer, transactionOf, read } = shop
const { deps, clock } = service
await saveType(deps, { realm, type: CONSENT.type, title: 'Terms of use', schema: CONSENT_SCHEMA, actor: OPERATOR })

const payFor = (amount: number, id = 'order-4711') => ({
  ...PAYMENT,
  payload: { ...PAYLOAD, amount, transaction_id: id },
})

test('a signed payment is confirmed, with code and factors, in trail and receipt', async () => {
  const created = await asking([PAYMENT])
  const before = (await transactionOf(created.id)).transaction[0]
  assert.deepEqual(Object.keys(before), ['type', 'hash', 'alg', 'data', 'confirmed'])
  const ended = await answer(created)
  assert.equal(ended.status, 'completed')
  const { status, transaction } = await transactionOf(created.id)
  const [item] = transaction
  assert.equal(status, 'completed')
  assert.deepEqual(
    { ...item, at: null, authentication_code: null },
    {
      ...before,
      confirmed: true,
      by: 'card',
      at: null,
      authentication_code: null,
      factors: ['knowledge', 'possession'],
    },
  )
  assert.match(item.authentication_code, /^[\w-]{22}$/)
  assert.equal(Date.parse(item.at), Math.floor(clock.now() / 1000) * 1000)
  const entries = await deps.db.query<{ details: { transaction?: unknown } }>(
    { name: 'test_details', text: `select details from audit_details where object_id = $1 order by seq` },
    [created.id],
  )
  assert.deepEqual(entries[0]?.details.transaction, [{ type: PAYMENT.type }])
  assert.doesNotMatch(JSON.stringify(entries), /Corner Shop|42\.5/)
  const receipt = await service.call('GET', `/v1/verifications/${created.id}/receipt`, { key })
  const claims = JSON.parse(Buffer.from(receipt.text.split('.')[1] ?? '', 'base64url').toString())
  const salt = (await service.call('GET', `/v1/verifications/${created.id}`, { key })).headers['x-vidimus-receipt-salt']
  const salted = createHmac('sha256', Buffer.from(String(salt), 'base64url')).update(`transaction\0${before.hash}`)
  assert.deepEqual(claims.transaction, [{ type: PAYMENT.type, hash: salted.digest('base64url') }])
})

test('two transactions with one credential are confirmed, and an approval, and one with an mdoc whose issuer allows it', async () => {
  for (const [transaction, credentials] of [
    [[CONSENT, { ...CONSENT, text: 'Other terms' }], [CARD]],
    [[APPROVAL, PAYMENT], [CARD]],
    [[CONSENT], [LICENCE]],
    [
      [
        { ...CONSENT, credential: ['card'] },
        { ...CONSENT, text: 'Other', credential: ['licence'] },
      ],
      [CARD, LICENCE],
    ],
    [[PAYMENT], [PID, CARD]],
  ] as const) {
    const created = await asking(transaction, credentials)
    assert.equal((await answer(created)).status, 'completed')
    const items = (await transactionOf(created.id)).transaction
    assert.ok(items.every((one: { confirmed: boolean }) => one.confirmed))
  }
})

for (const name of TRANSACTION_MISBEHAVIOUR_NAMES) {
  const wrong: TransactionMisbehaviour = TRANSACTION_MISBEHAVIOURS[name]
  test(`${wrong.id} a wallet that misbehaves (${name}) completes nothing`, async () => {
    const items = wrong.id === 'T15' || wrong.id === 'T16' ? [PAYMENT] : [CONSENT, PAYMENT]
    // This wallet always sends the same code. Its first use is not a reuse.
    if (name === 'fixed_code')
      assert.equal((await answer(await asking(items), { transaction: name })).status, 'completed')
    const created = await asking(items)
    const ended = await answer(created, { transaction: name })
    assert.equal(ended.status, 'failed')
    assert.equal(ended.error.code, wrong.expected)
    assert.ok(!('claims' in ended))
    const { transaction } = await transactionOf(created.id)
    assert.ok(transaction.every((one: { confirmed: boolean }) => one.confirmed === false))
  })
}

test('T15 a code belongs to one realm and one verification; the same answer sent again is accepted', async () => {
  const other = await openShop()
  const created = await other.asking([PAYMENT])
  assert.equal((await other.answer(created, { transaction: 'fixed_code' })).status, 'completed')
  const { takeAuthenticationCodes } = await import('../../src/core/transactions/usecases/take-authentication-codes.ts')
  const confirmation = (queryId: string) => ({
    text: 'a',
    queryId,
    at: 1,
    authentication: { code: 'a-code', factors: [] },
  })
  const [mine, next] = [await asking([PAYMENT]), await asking([PAYMENT])]
  const take = (id: string, ...ids: string[]) => takeAuthenticationCodes(deps, { ...realm, id }, ids.map(confirmation))
  assert.equal(await take(mine.id, 'card', 'pid'), false, 'two proofs of one answer share a code')
  assert.equal(await take(mine.id, 'card'), true)
  assert.equal(await take(mine.id, 'card'), true)
  assert.equal(await take(next.id, 'card'), false)
  const both = await Promise.all([take(mine.id, 'card'), take(next.id, 'card')])
  assert.deepEqual(both, [true, false])
})

test('T12 an answer of another verification, with another amount, is refused', async () => {
  const [cheap, expensive] = [await asking([payFor(1, 'cheap')]), await asking([payFor(1_000, 'expensive')])]
  const [first, second] = [await wallet.request(cheap.wallet_uri), await wallet.request(expensive.wallet_uri)]
  const signedFor = (request: VerifierRequest) => ({ ...request, transaction: first.transaction })
  const body = await presentedBody(signedFor({ ...second, nonce: first.nonce }))
  assert.equal((await respond(service, expensive.id, body)).status, 200)
  const ended = await read(expensive.id)
  assert.equal(ended.status, 'failed')
  assert.equal(ended.error.code, 'holder_binding_invalid')
  const other = await asking([payFor(1_000, 'expensive')])
  const third = await wallet.request(other.wallet_uri)
  assert.equal((await respond(service, other.id, await presentedBody(signedFor(third)))).status, 200)
  assert.equal((await read(other.id)).error.code, 'transaction_not_confirmed')
})

/** Returns the wallet's answer to a request that was changed in transit. */
async function presentedBody(request: VerifierRequest): Promise<string> {
  const sent: string[] = []
  const { answerRequest } = await import('@vidimus/wallet')
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(String(init?.body))
    return new Response('{}')
  }
  await answerRequest(request, { ...wallet.options, fetch })
  return sent[0] ?? ''
}

test('an answer without a confirmation never completes, on any channel', async () => {
  const created = await asking([CONSENT])
  const request = await wallet.request(created.wallet_uri)
  const { issuer, now } = wallet.options
  const body = await validBody(wallet, request, { credentials: issueAll(issuer, { holderKey: generateKey(), now }) })
  assert.equal((await respond(service, created.id, body)).status, 200)
  assert.equal((await read(created.id)).error.code, 'transaction_not_confirmed')
})

test('T11 unrequested hashes end the verification as failed', async () => {
  const other = await asking([CONSENT])
  const plain = (await shop.create({ query: { credentials: [CARD] } })).json
  const [first, second] = [await wallet.request(other.wallet_uri), await wallet.request(plain.wallet_uri)]
  const body = await presentedBody({ ...second, transaction: first.transaction })
  assert.equal((await respond(service, plain.id, body)).status, 200)
  assert.equal((await read(plain.id)).error.code, 'transaction_not_confirmed')
})

test('T20 the texts are the same by GET, by POST, again, and in an offer; Annex C is not offered', async () => {
  const created = await asking(
    [CONSENT, { ...CONSENT, text: 'Other', credential: ['card'] }],
    [{ ...CARD }, { ...PID }],
  )
  const made2 = await asking([{ ...CONSENT, credential: ['licence'] }], [LICENCE])
  const texts = (await transactionOf(created.id)).transaction.map(({ data }: { data: string }) => data)
  for (const method of ['get', 'post', 'get', 'post'] as const) {
    const { transaction } = await wallet.request(created.wallet_uri, { method })
    assert.deepEqual(
      transaction.map(({ text }) => text),
      texts,
    )
  }
  const claims = async (id: string) => {
    const { requests } = (await fetchOffer(service, id)).json
    assert.deepEqual(
      requests.map(({ protocol }: { protocol: string }) => protocol),
      ['openid4vp-v1-signed'],
    )
    return JSON.parse(Buffer.from(requests[0].data.request.split('.')[1], 'base64url').toString())
  }
  assert.deepEqual((await claims(created.id)).transaction_data, texts)
  assert.deepEqual((await claims(created.id)).transaction_data, texts)
  assert.equal((await claims(made2.id)).transaction_data.length, 1)
})

test('a transaction is confirmed through the browser, too, and refused without a confirmation', async () => {
  for (const [transaction, status] of [
    [undefined, 'completed'],
    ['other_response_mode', 'failed'],
    ['no_hashes', 'failed'],
  ] as const) {
    const created = await asking([PAYMENT])
    const offer = (await fetchOffer(service, created.id)).json
    const answer = await browserAnswer(wallet, offer, {
      origin: OWN_ORIGIN,
      protocols: ['openid4vp-v1-signed'],
      ...(transaction === undefined ? {} : { transaction }),
    })
    assert.equal((await postAnswer(service, created.id, { protocol: answer.protocol, data: answer.data })).status, 200)
    assert.equal((await read(created.id)).status, status)
  }
})

test('a wallet that cannot show a transaction says so, and that is the reason of the failure', async () => {
  const refuse = async (created: { readonly id: string; readonly wallet_uri: string }) => {
    const { state } = await wallet.request(created.wallet_uri)
    const body = new URLSearchParams({ error: 'invalid_transaction_data', state: state ?? '' }).toString()
    assert.equal((await respond(service, created.id, body)).status, 200)
    return (await read(created.id)).error.code
  }
  assert.equal(await refuse(await asking([CONSENT])), 'wallet_refused_transaction')
  const plain = (await shop.create({ query: { credentials: [CARD] } })).json
  assert.equal(await refuse(plain), 'wallet_error')
})

test('a confirmation is deleted when the content is forgotten or the verification erased, and only then', async () => {
  const created = await asking([CONSENT])
  const plain = (await shop.create({ query: { credentials: [CARD] } })).json
  assert.deepEqual((await transactionOf(plain.id)).transaction, [])
  await answer(created)
  const path = `/v1/verifications/${created.id}/transaction`
  const stranger = await service.key(await service.tenant())
  const live = await service.key(realm.tenantId, { environment: 'live' })
  for (const other of [stranger, live]) {
    const [theirs, nobody] = [
      await service.call('GET', path, { key: other }),
      await service.call('GET', '/v1/verifications/ver_nobody/transaction', { key: other }),
    ]
    assertRefused(theirs, 404, 'session_not_found')
    assert.equal(theirs.text, nobody.text)
  }
  const creator = await service.key(realm.tenantId, { scopes: ['verifications:create'] })
  assertRefused(await service.call('GET', path, { key: creator }), 403, 'insufficient_scope')
  assert.equal((await service.call('POST', `/v1/verifications/${created.id}/forget`, { key })).status, 200)
  assert.deepEqual(await transactionOf(created.id), { id: created.id, status: 'completed', transaction: null })
  assert.equal((await service.call('DELETE', `/v1/verifications/${created.id}`, { key })).status, 200)
  assertRefused(await service.call('GET', path, { key }), 404, 'session_not_found')
})

test('a forgotten failure and an expired verification have no confirmation', async () => {
  const failed = await asking([CONSENT])
  await answer(failed, { transaction: 'no_hashes' })
  assert.equal((await service.call('POST', `/v1/verifications/${failed.id}/forget`, { key })).status, 200)
  assert.equal((await transactionOf(failed.id)).transaction, null)
  const expired = await asking([CONSENT])
  clock.advance(3_600_000)
  const { status, transaction } = await transactionOf(expired.id)
  assert.equal(status, 'expired')
  assert.equal(transaction[0].confirmed, false)
})

test('results that only the merchant can read have the confirmation, too, and the row has none after the end', async () => {
  const sealed = await openShop()
  await addMerchantKey(sealed.service, sealed.realm)
  const created = await sealed.asking([PAYMENT])
  const ended = await sealed.answer(created)
  assert.deepEqual(Object.keys(ended.claims), ['$jwe'])
  assert.equal((await sealed.transactionOf(created.id)).transaction[0].confirmed, true)
  const [row] = await sealed.service.deps.db.query<{ data: Buffer | null }>(
    { name: 'test_ended_row', text: 'select transaction_data as data from verifications where id = $1' },
    [created.id],
  )
  assert.equal(row?.data, null)
})

test('stored texts are unreadable, and a tampered row is not sent', async () => {
  const created = await asking([{ ...CONSENT, text: 'canary-in-terms' }])
  const rows = await deps.db.query<{ row: string; data: Buffer | null }>(
    {
      name: 'test_row',
      text: `select row_to_json(v)::text as row, transaction_data as data from verifications v where id = $1`,
    },
    [created.id],
  )
  assert.doesNotMatch(rows[0]?.row ?? '', /canary-in-terms/)
  assert.doesNotMatch(rows[0]?.data?.toString('latin1') ?? '', /canary|eyJ/)
  const another = await asking([CONSENT])
  await deps.db.query(
    {
      name: 'test_swap',
      text: `update verifications set transaction_data = (select transaction_data from verifications where id = $1) where id = $2`,
    },
    [another.id, created.id],
  )
  assert.equal((await service.call('GET', `/wallet/request/${created.id}`)).status, 500)
})

test('T15 erasing a verification frees no code; after thirteen months the code is forgotten', async () => {
  const created = await asking([payFor(1, 'erased')])
  const codes = async () =>
    (
      await deps.db.query<{ codes: number; named: number }>(
        {
          name: 'test_codes',
          text: `select count(*)::int as codes, count(verification_id)::int as named from authentication_codes
                 where tenant_id = $1`,
        },
        [realm.tenantId],
      )
    )[0]
  assert.equal((await answer(created)).status, 'completed')
  const before = await codes()
  assert.equal((await service.call('DELETE', `/v1/verifications/${created.id}`, { key })).status, 200)
  const after = await codes()
  assert.equal(after?.codes, before?.codes)
  assert.equal(after?.named, (before?.named ?? 0) - 1)
  await runJob(deps, 'forget-authentication-codes')
  assert.equal((await codes())?.codes, before?.codes)
  clock.advance(397 * 86_400_000)
  await runJob(deps, 'forget-authentication-codes')
  assert.equal((await codes())?.codes, 0)
})

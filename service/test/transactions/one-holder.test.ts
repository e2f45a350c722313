// Tests that the result names, of several credentials in a response, the one that signed the transaction.

import assert from 'node:assert/strict'
import test from 'node:test'
import { formBody, generateKey, issue, presentCredential, TYPE, type VerifierRequest } from '@vidimus/wallet'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { saveType } from '../../src/core/transactions/usecases/manage-types.ts'
import { assertRefused, OPERATOR } from '../harness/service.ts'
import { bindingOf, respond } from '../wallet/verifications.ts'
import { CARD, CONSENT, CONSENT_SCHEMA, LICENCE, openShop, PAYMENT } from './asking.ts'

const shop = await openShop()
const { service, realm, wallet, create, asking, read, transactionOf } = shop
const { deps } = service
await saveType(deps, { realm, type: CONSENT.type, title: 'Terms of use', schema: CONSENT_SCHEMA, actor: OPERATOR })

type Created = Awaited<ReturnType<typeof asking>>
type Signed = Readonly<{ items?: VerifierRequest['transaction']; code?: string }>

function present(kind: 'mdl' | 'payment_card', request: VerifierRequest, { items = [], code }: Signed) {
  const holder = { holderKey: generateKey(), now: wallet.options.now }
  const credential = issue(wallet.options.issuer, kind, holder)
  const paths = kind === 'mdl' ? [['org.iso.18013.5.1', 'given_name']] : [['pan_last_four']]
  const change = code === undefined ? {} : { change: (usual: object) => ({ ...usual, jti: code }) }
  const agreement = { signing: { items, responseMode: 'direct_post.jwt' }, ...change }
  return presentCredential(credential, paths, {
    ...bindingOf(wallet, request),
    ...(items.length > 0 && { agreement }),
  })
}

/** Answers with the given signatures: for each query, the positions of the transactions that its credentials sign. */
async function answered(
  created: Created,
  signedBy: (items: VerifierRequest['transaction']) => Readonly<Record<string, readonly Signed[]>>,
) {
  const request = await wallet.request(created.wallet_uri)
  const vpToken = Object.fromEntries(
    Object.entries(signedBy(request.transaction)).map(([id, all]) => [
      id,
      all.map((signed) => present(id === 'licence' ? 'mdl' : 'payment_card', request, signed)),
    ]),
  )
  const taken = await respond(service, created.id, await formBody(request, { vpToken }))
  assert.equal(taken.status, 200, taken.text)
  return read(created.id)
}

async function assertUnconfirmed(ended: { status: string; error: { code: string; message: string } }, id: string) {
  assert.equal(ended.status, 'failed', JSON.stringify(ended))
  assert.equal(ended.error.code, 'transaction_not_confirmed')
  assert.ok(!('claims' in ended))
  const { transaction } = await transactionOf(id)
  assert.ok(transaction.every(({ confirmed }: { confirmed: boolean }) => confirmed === false))
}

const CARDS = ['bank_card', 'other_card'].map((id) => ({ ...CARD, id }))
const output = (...sources: (readonly [string, readonly string[]])[]) => ({
  value: sources.map(([credential, path]) => ({ credential, path })),
})
const TEMPLATES = {
  agree: {
    query: { credentials: [LICENCE, CARD], credential_sets: [{ options: [['licence'], ['card']] }] },
    outputs: { who: output(['licence', ['org.iso.18013.5.1', 'given_name']], ['card', ['pan_last_four']]) },
    transaction: { type: CONSENT.type, members: { text: CONSENT.text } },
  },
  pay: {
    query: { credentials: CARDS, credential_sets: [{ options: [['bank_card'], ['other_card']] }] },
    outputs: { account: output(['bank_card', ['pan_last_four']], ['other_card', ['pan_last_four']]) },
    transaction: { type: PAYMENT.type, members: { payload: PAYMENT.payload } },
  },
  both: {
    query: {
      credentials: CARDS,
      credential_sets: [{ options: [['bank_card'], ['other_card']] }, { options: [['other_card']], required: false }],
    },
    outputs: { account: output(['bank_card', ['pan_last_four']], ['other_card', ['pan_last_four']]) },
    transaction: { type: PAYMENT.type, members: { payload: PAYMENT.payload } },
  },
  /** The card is in no option that the outputs can come from. */
  apart: {
    query: { credentials: CARDS, credential_sets: [{ options: [['bank_card'], ['other_card']] }] },
    outputs: { account: output(['bank_card', ['pan_last_four']]) },
    transaction: { type: PAYMENT.type, members: { payload: PAYMENT.payload } },
  },
}

async function askByTemplate(key: keyof typeof TEMPLATES): Promise<Created> {
  const document = { title: key, ...TEMPLATES[key] }
  const saved = await saveTemplate(deps, { realm, key, actor: OPERATOR, document })
  assert.ok(['created', 'replaced', 'unchanged'].includes(saved.outcome), JSON.stringify(saved))
  const created = await create({ template: key })
  assert.equal(created.status, 201, created.text)
  return created.json
}

test('T23 outputs come from the alternative that signed, not from an earlier one', async () => {
  const created = await askByTemplate('agree')
  const ended = await answered(created, (items) => ({ licence: [{}], card: [{ items }] }))
  assert.equal(ended.status, 'completed', JSON.stringify(ended))
  assert.deepEqual(ended.claims, { who: '4242' })
  assert.deepEqual(
    ended.credentials.map(({ doctype_or_vct }: { doctype_or_vct: string }) => doctype_or_vct),
    [TYPE.paymentCard],
  )
  assert.equal((await transactionOf(created.id)).transaction[0].by, 'card')
})

test('a payment and its account are of one card; the receipt names that card', async () => {
  for (const [signer, first] of [
    ['bank_card', 'other_card'],
    ['other_card', 'bank_card'],
  ] as const) {
    const created = await askByTemplate('pay')
    const ended = await answered(created, (items) => ({ [first]: [{}], [signer]: [{ items }] }))
    assert.equal(ended.status, 'completed', JSON.stringify(ended))
    assert.equal((await transactionOf(created.id)).transaction[0].by, signer)
    const receipt = await service.call('GET', `/v1/verifications/${created.id}/receipt`, { key: shop.key })
    const claims = JSON.parse(Buffer.from(receipt.text.split('.')[1] ?? '', 'base64url').toString())
    assert.deepEqual(
      claims.credentials.map(({ query }: { query: string }) => query),
      [signer],
    )
  }
})

test('an alternative that signed, but does not give the outputs, is not replaced by one that signed nothing', async () => {
  const created = await askByTemplate('apart')
  const ended = await answered(created, (items) => ({ bank_card: [{}], other_card: [{ items }] }))
  assert.equal(ended.status, 'failed', JSON.stringify(ended))
  assert.equal(ended.error.code, 'query_not_satisfied')
})

test('a credential of an optional set may sign: it is part of every alternative', async () => {
  const created = await askByTemplate('both')
  const ended = await answered(created, (items) => ({ bank_card: [{}], other_card: [{ items }] }))
  assert.equal(ended.status, 'completed', JSON.stringify(ended))
  assert.equal(ended.credentials.length, 2)
})

test('two transactions that two alternatives signed are confirmed by no answer', async () => {
  const query = TEMPLATES.pay.query
  const { transaction: _, ...document } = { title: 'Two', ...TEMPLATES.pay, query }
  const saved = await saveTemplate(deps, { realm, key: 'two', actor: OPERATOR, document })
  assert.equal(saved.outcome, 'created', JSON.stringify(saved))
  const transaction = [CONSENT, { ...CONSENT, text: 'Other terms' }]
  const created = await create({ template: 'two', transaction })
  assert.equal(created.status, 201, created.text)
  const ended = await answered(created.json, (items) => ({
    bank_card: [{ items: items.slice(0, 1) }],
    other_card: [{ items: items.slice(1) }],
  }))
  await assertUnconfirmed(ended, created.json.id)
})

const MANY = { ...CARD, multiple: true }

test('a credential with multiple signs nothing: naming it is refused, otherwise it is ignored', async () => {
  for (const credential of [{}, { credential: ['card'] }]) {
    const refused = await create({ query: { credentials: [MANY] }, transaction: [{ ...PAYMENT, ...credential }] })
    assertRefused(refused, 422, 'transaction_not_supported_for_credential')
  }
  const named = await create({
    query: { credentials: [MANY, LICENCE] },
    transaction: [{ ...CONSENT, credential: ['licence', 'card'] }],
  })
  assertRefused(named, 422, 'transaction_not_supported_for_credential')
  assert.match(named.json.error.message, /^body\.transaction\[0\]\.credential\[1\]: .*"multiple"/)
  const { id } = await asking([CONSENT], [MANY, LICENCE])
  const { data } = (await transactionOf(id)).transaction[0]
  assert.deepEqual(JSON.parse(Buffer.from(data, 'base64url').toString()).credential_ids, ['licence'])
})

/** Returns a verification that an earlier release created: its query has `multiple`. */
async function askAsBefore(transaction: readonly object[]): Promise<Created> {
  const created = await asking(transaction)
  const changed = await deps.db.query<{ query: { credentials: object[] } }>(
    {
      name: 'test_multiple',
      text: `update verifications set query = jsonb_set(query::jsonb, '{credentials,0,multiple}', 'true')::json where id = $1
             returning query`,
    },
    [created.id],
  )
  assert.deepEqual(changed[0]?.query.credentials[0], MANY)
  return created
}
const payment = (id: string) => ({ ...PAYMENT, payload: { ...PAYMENT.payload, transaction_id: id } })

test('T22 nothing is confirmed if several credentials are presented for the query of the one that signs', async () => {
  const created = await askAsBefore([PAYMENT])
  const ended = await answered(created, (items) => ({ card: [{}, { items }] }))
  await assertUnconfirmed(ended, created.id)
  assert.match(ended.error.message, /\(transaction_data_ambiguous\)/)
  const two = await askAsBefore([payment('1'), payment('2')])
  const codes = ['code-one', 'code-two']
  const both = await answered(two, (items) => ({
    card: items.map((item, at) => ({ items: [item], code: codes[at] ?? '' })),
  }))
  await assertUnconfirmed(both, two.id)
})

test('a query with multiple that gets one credential completes', async () => {
  const created = await askAsBefore([PAYMENT])
  assert.equal((await answered(created, (items) => ({ card: [{ items }] }))).status, 'completed')
})

test('every code of an answer counts once: two proofs for one query, or for two, share none', async () => {
  const { takeAuthenticationCodes } = await import('../../src/core/transactions/usecases/take-authentication-codes.ts')
  const proof = (code: string) => ({ code, factors: [] })
  const take = (id: string, ...proofs: (readonly [string, ReturnType<typeof proof>])[]) => {
    const confirmations = proofs.map(([queryId, authentication], at) => ({
      text: `${at}`,
      queryId,
      at: 1,
      authentication,
    }))
    return takeAuthenticationCodes(deps, { ...realm, id }, confirmations)
  }
  const [one, next] = [await asking([PAYMENT]), await asking([PAYMENT])]
  assert.equal(await take(one.id, ['card', proof('same')], ['card', proof('same')]), false)
  assert.equal(await take(one.id, ['card', proof('a')], ['card', proof('b')]), true)
  for (const code of ['a', 'b']) assert.equal(await take(next.id, ['card', proof(code)]), false, code)
  const shared = proof('shared')
  assert.equal(await take(one.id, ['card', shared], ['card', shared]), true, 'one proof of two items')
})

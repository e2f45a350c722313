// Tests which transactions a merchant can create: types, schemas, signers, sizes, and the parts that a template fixes.

import assert from 'node:assert/strict'
import test from 'node:test'
import { parseQuery } from '@vidimus/engine'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { freezeTransaction } from '../../src/core/transactions/usecases/freeze-transaction.ts'
import { listTypes, removeType, saveType } from '../../src/core/transactions/usecases/manage-types.ts'
import { pairDevice } from '../harness/devices.ts'
import { assertRefused, OPERATOR } from '../harness/service.ts'
import { APPROVAL, CARD, CONSENT, CONSENT_SCHEMA, LICENCE, openShop, PAYLOAD, PAYMENT, PID } from './asking.ts'

const shop = await openShop()
const { service, key, realm, create } = shop
const { deps } = service
const own = (type: string, schema: unknown = CONSENT_SCHEMA) =>
  saveType(deps, { realm, type, title: 'Terms of use', schema, actor: OPERATOR })
assert.deepEqual(await own(CONSENT.type), { outcome: 'created' })
const OPEN_TYPE = 'https://shop.example/open'
assert.deepEqual(await own(OPEN_TYPE, { type: 'object' }), { outcome: 'created' })

const PAY_OVER_18 = {
  title: 'Pay, and be over 18',
  query: {
    credentials: [{ ...PID, claims: [{ path: ['age_equal_or_over', '18'] }] }, CARD],
  },
  outputs: {
    age_over_18: { age_over: 18, flags: [{ credential: 'pid', path: ['age_equal_or_over', '18'], age: 18 }] },
  },
  transaction: {
    type: PAYMENT.type,
    credential: ['card'],
    members: { payload: { payee: PAYLOAD.payee, currency: 'EUR' } },
    fields: {
      amount: { path: ['payload', 'amount'], as: 'number' },
      order: { path: ['payload', 'transaction_id'], as: 'id' },
    },
  },
}
const saved = await saveTemplate(deps, { realm, key: 'pay_over_18', document: PAY_OVER_18, actor: OPERATOR })
assert.equal(saved.outcome, 'created', JSON.stringify(saved))

const withPayload = (change: object) => [{ ...PAYMENT, payload: { ...PAYLOAD, ...change } }]
const without = <T extends object>(object: T, name: keyof T) =>
  Object.fromEntries(Object.entries(object).filter(([one]) => one !== name))
const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) })

const SOUND: Record<string, readonly object[]> = {
  'a payment': [PAYMENT],
  'a payment with everything': withPayload({
    date_time: '2026-11-15T12:00:00+01:00',
    payee: { ...PAYLOAD.payee, logo: 'https://shop.example/logo.png', website: 'https://shop.example/' },
    pisp: { legal_name: 'Pay AG', brand_name: 'Pay', domain_name: 'pay.example' },
    amount_estimated: true,
    recurrence: { frequency: 'MNTH', start_date: '2026-12-01', number: 12, mit_options: { max_amount: 50 } },
  }),
  'a risky action': [
    { type: 'urn:eudi:sca:login_risk_transaction:1', payload: { transaction_id: 'a', action: 'Raise the limit' } },
  ],
  'access to an account': [{ type: 'urn:eudi:sca:account_access:1', payload: { transaction_id: 'a' } }],
  'a mandate by its purpose': [
    { type: 'urn:eudi:sca:emandate:1', payload: { transaction_id: 'a', purpose: 'The monthly bill' } },
  ],
  'a mandate by its payment': [
    { type: 'urn:eudi:sca:emandate:1', payload: { transaction_id: 'a', payment_payload: PAYLOAD } },
  ],
  'an approval': [APPROVAL],
  "a merchant's own type": [CONSENT],
  'two of a type for an SD-JWT VC': [CONSENT, { ...CONSENT, text: 'Other terms' }],
}
for (const [title, transaction] of Object.entries(SOUND))
  test(`${title} is accepted`, async () => {
    const created = await shop.asking(transaction)
    const { status, transaction: items } = await shop.transactionOf(created.id)
    assert.equal(status, 'pending')
    assert.equal(items.length, transaction.length)
    assert.ok(items.every((one: { confirmed: boolean }) => !one.confirmed))
  })

const WRONG: Record<string, readonly [readonly object[], RegExp]> = {
  'T18 a member that is not known': [withPayload({ tip: 1 }), /payload\.tip: is not a known member/],
  'T18 a member beside the payload': [[{ ...PAYMENT, tip: 1 }], /transaction\[0\]\.tip/],
  'T19 an amount that is a text': [withPayload({ amount: '42.50' }), /payload\.amount: must be number/],
  'a negative amount': [withPayload({ amount: -1 }), /amount/],
  'no payee': [[{ ...PAYMENT, payload: without(PAYLOAD, 'payee') }], /payee: is required/],
  'a malformed currency': [withPayload({ currency: 'eur' }), /currency/],
  'a long transaction id': [withPayload({ transaction_id: 'x'.repeat(37) }), /transaction_id/],
  'a date and a recurrence': [
    withPayload({ execution_date: '2026-12-01', recurrence: { frequency: 'MNTH' } }),
    /payload: must not have this form/,
  ],
  'a day that does not exist': [withPayload({ execution_date: '2026-02-30' }), /execution_date/],
  'an unknown frequency': [withPayload({ recurrence: { frequency: 'DAILY' } }), /frequency/],
  'a mandate without words': [
    [{ type: 'urn:eudi:sca:emandate:1', payload: { transaction_id: 'a' } }],
    /none of the allowed forms/,
  ],
  'an approval without documents': [[without(APPROVAL, 'documentDigests')], /none of the allowed forms/],
  'an approval by another algorithm': [[{ ...APPROVAL, hashAlgorithmOID: '1.2.3' }], /hashAlgorithmOID/],
  'no payload': [[{ type: PAYMENT.type }], /payload: is required/],
  'no type': [[{ payload: PAYLOAD }], /type: is required/],
  'an unknown type': [[{ type: 'urn:shop:unknown:1' }], /is not a type that is known here/],
  'credential ids, which only the service sets': [
    [{ ...CONSENT, credential_ids: ['card'] }],
    /credential_ids: is written by the service/,
  ],
  'an algorithm, which only the service sets': [
    [{ ...CONSENT, transaction_data_hashes_alg: ['sha-512'] }],
    /is written by/,
  ],
  'a credential that is not asked for': [[{ ...CONSENT, credential: ['other'] }], /names no credential/],
  'a credential twice': [[{ ...CONSENT, credential: ['card', 'card'] }], /credential: must be a list/],
  'no credential': [[{ ...CONSENT, credential: [] }], /credential: must be a list/],
  'the same transaction twice': [[CONSENT, CONSENT], /appears twice/],
  'two approvals for one credential': [[APPROVAL, { ...APPROVAL, numSignatures: 2 }], /cannot agree to two/],
  'a text that cannot be shown': [[{ ...CONSENT, text: 'a\u202eb' }], /cannot be shown/],
  'values without a template': [[{ values: { amount: 1 } }], /has no places/],
  'a transaction that is nested too deeply': [[{ ...CONSENT, text: nested(20) }], /deep/],
}
for (const [title, [transaction, message]] of Object.entries(WRONG))
  test(`${title} is refused`, async () => {
    // With an idempotency key, too: it is checked before its fingerprint is stored.
    for (const headers of [{}, { 'idempotency-key': `wrong-${title.replace(/\W/g, '-')}` }]) {
      const answer = await create({ query: { credentials: [CARD] }, transaction }, headers)
      assertRefused(answer, 422, 'invalid_transaction')
      assert.match(answer.json.error.message, message)
    }
  })

test('T17 a PID signs nothing: naming it is refused, otherwise it is ignored', async () => {
  for (const pid of [PID, { ...LICENCE, id: 'pid', meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' } }]) {
    for (const credential of [{}, { credential: ['pid'] }]) {
      const answer = await create({ query: { credentials: [pid] }, transaction: [{ ...CONSENT, ...credential }] })
      assertRefused(answer, 422, 'transaction_not_supported_for_credential')
    }
  }
  const german = { ...PID, meta: { vct_values: ['urn:example:other', 'urn:eudi:pid:de:1'] } }
  const refused = await create({ query: { credentials: [german] }, transaction: [CONSENT] })
  assertRefused(refused, 422, 'transaction_not_supported_for_credential')
  const { id } = await shop.asking([CONSENT], [PID, CARD])
  assert.deepEqual(idsIn((await shop.transactionOf(id)).transaction[0].data), ['card'])
})

const idsIn = (data: string) => JSON.parse(Buffer.from(data, 'base64url').toString()).credential_ids

test('an mdoc confirms no payment and no approval, and only one transaction of a type (T14)', async () => {
  for (const item of [PAYMENT, APPROVAL]) {
    const answer = await create({ query: { credentials: [LICENCE] }, transaction: [item] })
    assertRefused(answer, 422, 'transaction_not_supported_for_credential')
    const named = await create({
      query: { credentials: [LICENCE, CARD] },
      transaction: [{ ...item, credential: ['card', 'licence'] }],
    })
    assertRefused(named, 422, 'transaction_not_supported_for_credential')
  }
  const two = [CONSENT, { ...CONSENT, text: 'Other terms' }]
  assertRefused(await create({ query: { credentials: [LICENCE] }, transaction: two }), 422, 'invalid_transaction')
})

test('the length of a transaction is limited', async () => {
  const type = 'urn:shop:long:1'
  assert.equal((await own(type, { type: 'object' })).outcome, 'created')
  const ofLength = (letters: number, n = 0) => ({ type, n, text: 'x'.repeat(letters) })
  await shop.asking([ofLength(12_000)])
  const long = await create({ query: { credentials: [CARD] }, transaction: [ofLength(13_000)] })
  assertRefused(long, 422, 'invalid_transaction')
  const many = Array.from({ length: 5 }, (_, n) => ofLength(11_000, n))
  assertRefused(await create({ query: { credentials: [CARD] }, transaction: many }), 422, 'invalid_transaction')
  const eleven = Array.from({ length: 11 }, (_, n) => ofLength(1, n))
  assertRefused(await create({ query: { credentials: [CARD] }, transaction: eleven }), 400, 'invalid_request')
})

// Checking 19,900 members three times and sorting them took as long as 600 P-256 signature verifications.
test('members and elements of all items of a transaction together are limited', async () => {
  const parts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 0]))
  const asking = (...counts: readonly number[]) =>
    create({ query: { credentials: [CARD] }, transaction: counts.map((n) => ({ type: OPEN_TYPE, list: parts(n) })) })
  for (const counts of [[2_000], [1_000, 1_000], [19_900]])
    assertRefused(await asking(...counts), 422, 'invalid_transaction')
  assert.match(JSON.stringify((await asking(19_900)).json), /too many members and elements/)
  const lists = { type: OPEN_TYPE, list: Array(1_990).fill(0) }
  const { status, json } = await create({ query: { credentials: [CARD] }, transaction: [lists] })
  assert.equal(status, 201, JSON.stringify(json))
})

test('text that cannot be shown is refused even without a schema for it: in values, in names, nested', async () => {
  const type = 'urn:shop:open:1'
  assert.equal((await own(type, { type: 'object' })).outcome, 'created')
  for (const members of [{ a: '\u202e' }, { 'a\u200b': 1 }, { a: [{ b: 'x\u0007' }] }]) {
    const answer = await create({ query: { credentials: [CARD] }, transaction: [{ type, ...members }] })
    assertRefused(answer, 422, 'invalid_transaction')
  }
})

test('types of a merchant are its own, in one environment, and removed only for new verifications', async () => {
  const type = 'https://shop.example/terms'
  const created = async () => create({ query: { credentials: [CARD] }, transaction: [{ type, text: 'a' }] })
  assertRefused(await created(), 422, 'invalid_transaction')
  assert.equal((await own(type)).outcome, 'created')
  assert.equal((await own(type)).outcome, 'replaced')
  const { id } = (await created()).json
  const stranger = await service.key(await service.tenant())
  const elsewhere = await service.call('POST', '/v1/verifications', {
    key: stranger,
    body: { query: { credentials: [CARD] }, transaction: [{ type, text: 'a' }] },
  })
  assertRefused(elsewhere, 422, 'invalid_transaction')
  assert.ok((await listTypes(deps, realm)).some((one) => one.type === type && !one.builtIn))
  assert.equal(await removeType(deps, { realm, type, actor: OPERATOR }), true)
  assert.equal(await removeType(deps, { realm, type, actor: OPERATOR }), false)
  assertRefused(await created(), 422, 'invalid_transaction')
  assert.equal((await shop.transactionOf(id)).transaction[0].type, type)
})

test('a type has a unique name, a title and a valid schema; there are at most a hundred', async () => {
  const problem = async (change: Partial<Parameters<typeof saveType>[1]>) => {
    const input = { realm, type: 'urn:shop:a:1', title: 'A', schema: {}, actor: OPERATOR, ...change }
    const saved = await saveType(deps, input)
    return saved.outcome === 'invalid' ? saved.problem : saved.outcome
  }
  for (const type of ['terms', 'http://shop.example/a', `urn:shop:${'x'.repeat(300)}`, 'urn:shop:a b'])
    assert.match(await problem({ type }), /URN/)
  for (const type of ['urn:eudi:sca:payment:2', 'https://cloudsignatureconsortium.org/2025/qes'])
    assert.match(await problem({ type }), /belongs to a standard/)
  for (const title of ['', 'x'.repeat(101), 'a\nb']) assert.match(await problem({ title }), /title/)
  assert.match(await problem({ schema: { $ref: 'https://elsewhere.example/' } }), /not supported/)
  assert.equal(await problem({ realm: { tenantId: 'ten_nobody', environment: 'test' } }), 'no_tenant')
  const there = (await listTypes(deps, realm)).filter(({ builtIn }) => !builtIn).length
  for (let n = there; n < 100; n++) assert.equal(await problem({ type: `urn:shop:many:${n}` }), 'created')
  assert.match(await problem({ type: 'urn:shop:many:one-more' }), /100 types already/)
  assert.equal((await listTypes(deps, realm)).filter(({ builtIn }) => !builtIn).length, 100)
})

test('a template fixes the type and maps its fields: pay and be over 18 in one answer, from a till, too', async () => {
  const till = await pairDevice(service, key, { templates: ['pay_over_18'] })
  for (const caller of [key, till.accessToken]) {
    const created = await service.call('POST', '/v1/verifications', {
      key: caller,
      body: { template: 'pay_over_18', transaction: [{ values: { amount: 9.99 } }] },
    })
    assert.equal(created.status, 201, created.text)
    const ended = await shop.answer(created.json)
    assert.equal(ended.status, 'completed', JSON.stringify(ended))
    assert.deepEqual(ended.claims, { age_over_18: true })
    const seen = await service.call('GET', `/v1/verifications/${created.json.id}/transaction`, { key: caller })
    const [item] = seen.json.transaction
    assert.equal(item.confirmed, true)
    const { payload } = JSON.parse(Buffer.from(item.data, 'base64url').toString())
    assert.deepEqual(without(payload, 'transaction_id'), { payee: PAYLOAD.payee, currency: 'EUR', amount: 9.99 })
    assert.match(payload.transaction_id, /^[\w-]{22}$/)
  }
  const listed = await service.call('GET', '/v1/templates', { key: till.accessToken })
  assert.deepEqual(listed.json.data[0].fields, [{ name: 'amount', as: 'number' }])
})

test('a template accepts only its values; a device sends no transaction of its own', async () => {
  const ask = (transaction?: readonly object[]) =>
    create({ template: 'pay_over_18', ...(transaction === undefined ? {} : { transaction }) })
  for (const transaction of [
    undefined,
    [{ values: {} }],
    [{ values: { amount: 1, order: 'mine' } }],
    [{ values: { amount: 1, payee: 'me' } }],
    [{ values: { amount: '1' } }],
    [{ values: { amount: 1 } }, { values: { amount: 1 } }],
    [{ values: { amount: 1 }, type: PAYMENT.type }],
    [{ values: 1 }],
    [PAYMENT],
  ])
    assertRefused(await ask(transaction), 422, 'invalid_transaction')
  assert.match((await ask([{ values: {} }])).json.error.message, /values\.amount: is required/)
  const till = await pairDevice(service, key, { templates: ['age_over_18'] })
  const brought = await service.call('POST', '/v1/verifications', {
    key: till.accessToken,
    body: { template: 'age_over_18', transaction: [CONSENT] },
  })
  assertRefused(brought, 403, 'insufficient_scope')
})

test('a field accepts only a value of its kind, also if the type of the transaction accepts others', async () => {
  const fields = {
    note: { path: ['note'], as: 'text' },
    count: { path: ['count'], as: 'number' },
    any: { path: ['any'] },
  }
  const document = { ...PAY_OVER_18, transaction: { type: OPEN_TYPE, credential: ['card'], fields } }
  assert.equal((await saveTemplate(deps, { realm, key: 'kinds', document, actor: OPERATOR })).outcome, 'created')
  const right = { note: 'a', count: 1.5, any: '' }
  const ask = (change: object) => create({ template: 'kinds', transaction: [{ values: { ...right, ...change } }] })
  assert.equal((await ask({})).status, 201)
  const wrong: [string, string, readonly unknown[]][] = [
    ['note', 'text', [1, { any: ['thing'] }, ['a'], true, null]],
    ['count', 'number', ['1', { value: 1 }, [1], false, null]],
    ['any', 'text', [1, {}]],
  ]
  for (const [name, kind, values] of wrong)
    for (const value of values) {
      const refused = await ask({ [name]: value })
      assertRefused(refused, 422, 'invalid_transaction')
      assert.equal(refused.json.error.message, `body.transaction[0].values.${name}: is required as a ${kind}.`)
    }
})

test('an invalid template is not saved', async () => {
  const problem = async (transaction: unknown) => {
    const document = { ...PAY_OVER_18, transaction }
    const outcome = await saveTemplate(deps, { realm, key: 'unsound', document, actor: OPERATOR })
    return outcome.outcome === 'invalid' ? outcome.problem : outcome.outcome
  }
  const right = PAY_OVER_18.transaction
  assert.match(await problem([]), /^transaction: /)
  assert.match(await problem({ ...right, type: 'payment' }), /^transaction\.type/)
  assert.match(await problem({ ...right, credential: ['other'] }), /^transaction\.credential/)
  assert.match(await problem({ ...right, members: { long: 'x'.repeat(9_000) } }), /^transaction\.members/)
  assert.match(await problem({ ...right, colour: 'red' }), /^transaction: /)
  for (const field of [['payload'], { path: [] }, { path: ['__proto__'] }, { path: ['a'], as: 'money' }, { path: 'a' }])
    assert.match(await problem({ ...right, fields: { amount: field } }), /^transaction\.fields\.amount/)
  assert.match(await problem({ ...right, fields: { 'a b': { path: ['a'] } } }), /^transaction\.fields/)
  for (const name of ['type', 'credential', 'credential_ids', 'transaction_data_hashes_alg']) {
    assert.match(await problem({ ...right, members: { [name]: ['x'] } }), /^transaction\.members\.\w+: is written by/)
    assert.match(await problem({ ...right, fields: { amount: { path: [name] } } }), /amount: must not lead to a member/)
  }
  for (const members of [{ text: 'a\u202eb' }, { 'a\u202eb': 1 }, { a: [{ b: 'a\u202eb' }] }, nested(14)])
    assert.match(await problem({ ...right, members }), /^transaction\.members: /)
})

test("a template that was saved otherwise still writes none of the service's members", async () => {
  const type = OPEN_TYPE
  const query = parseQuery({ credentials: [PID, CARD] })
  const freeze = (members: object) =>
    freezeTransaction(
      deps,
      { ...realm, kind: 'api_key', keyId: 'key_test', scopes: [] },
      {
        inputs: [],
        template: { type, credential: ['card'], members: { ...members }, fields: {} },
        query,
      },
    )
  for (const members of [
    { type: PAYMENT.type, credential_ids: ['pid'], payload: PAYLOAD },
    { credential_ids: ['pid'] },
    { transaction_data_hashes_alg: ['x'] },
    { text: 'a\u202eb' },
  ])
    await assert.rejects(freeze(members), { code: 'invalid_transaction' })
  const [frozen] = await freeze({ text: 'open' })
  assert.deepEqual(JSON.parse(Buffer.from(frozen?.text ?? '', 'base64url').toString()), {
    text: 'open',
    type,
    credential_ids: ['card'],
    transaction_data_hashes_alg: ['sha-256'],
  })
})

// Tests how a till shows what a guest confirms.

import assert from 'node:assert/strict'
import test from 'node:test'
import { RefusedError, UnreachableError } from '../../sdk/typescript/src/device/device-errors.ts'
import { agreedPayment, agreementLines, learnAgreement } from '../src/agreement.ts'
import { readTillSays } from '../src/display/display-messages.ts'
import { typedValue } from '../src/views.ts'
import { WORDS } from '../src/words/words.ts'

const item = (object: { readonly [member: string]: unknown; readonly type: string }) => ({
  type: object.type,
  data: Buffer.from(JSON.stringify(object)).toString('base64url'),
})
const refused = (status: number) => new RefusedError({ status, code: 'a', message: 'a', retryAfterSeconds: null })
const MANDATE = 'urn:eudi:sca:emandate:1'
const APPROVAL = 'https://cloudsignatureconsortium.org/2025/qes-approval'
const PAYMENT = { type: 'urn:eudi:sca:payment:1', payload: { amount: 9.9, currency: 'EUR', payee: { name: 'Café Ü' } } }

test('shows amount and payee in the language of the till', () => {
  assert.deepEqual(agreementLines([item(PAYMENT)], WORDS.en), ['Pay €9.90 to Café Ü'])
  const [german] = agreementLines([item(PAYMENT)], WORDS.de)
  assert.match(german ?? '', /^9,90\s€ an Café Ü zahlen$/)
})

test('shows recurring payments and signatures', () => {
  const repeated = { ...PAYMENT, payload: { ...PAYMENT.payload, recurrence: { frequency: 'MNTH' } } }
  assert.deepEqual(agreementLines([item(repeated)], WORDS.en), ['Pay €9.90 to Café Ü', 'This payment repeats.'])
  const approval = { type: APPROVAL, documentDigests: [{ label: 'Contract' }, { label: 'Annex' }, {}] }
  const lines = ['Sign: Contract', 'Sign: Annex', 'Sign: 1 document not named here']
  assert.deepEqual(agreementLines([item(approval)], WORDS.en), lines)
  const both = { ...approval, documentInfos: Array.from({ length: 9 }, (_, n) => ({ label: `${n}` })) }
  assert.deepEqual(agreementLines([item(both)], WORDS.en).slice(-2), ['Sign: 5', 'Sign: 4 documents not named here'])
  assert.deepEqual(agreementLines([item({ ...approval, documentDigests: [] })], WORDS.en), ['Sign'])
})

test('shows of a mandate what it allows, and its payment', () => {
  const payload = { purpose: 'The monthly bill', creditor_id: 'DE98', reference_number: 'M-1', end_date: '2040-01-01' }
  const lines = ['Mandate: The monthly bill', 'Creditor: DE98', 'Mandate reference: M-1', 'Ends: 1 January 2040']
  assert.deepEqual(agreementLines([item({ type: MANDATE, payload })], WORDS.en), lines)
  const pays = { type: MANDATE, payload: { payment_payload: PAYMENT.payload, end_date: '2040-01-01' } }
  const german = agreementLines([item(pays)], WORDS.de).map((line) => line.replaceAll('\u00a0', ' '))
  assert.deepEqual(german, ['Mandat', 'Ende: 1. Januar 2040', '9,90 € an Café Ü zahlen'])
})

test('shows a single payment as paid, but not a mandate or several transactions', () => {
  const paid = agreedPayment([item(PAYMENT)], WORDS.en)
  assert.deepEqual(paid, { amount: '€9.90', payee: 'Café Ü' })
  const mandate = { type: MANDATE, payload: { payment_payload: PAYMENT.payload } }
  const repeated = { ...PAYMENT, payload: { ...PAYMENT.payload, recurrence: { frequency: 'MNTH' } } }
  const alike = { ...PAYMENT, type: 'urn:a:b' }
  for (const items of [[], ...[mandate, repeated, alike].map((one) => [item(one)]), [item(PAYMENT), item(PAYMENT)]])
    assert.equal(agreedPayment(items, WORDS.en), null)
})

test('requests the transaction until it is known, and shows nothing after a refusal', async () => {
  const agreed = [item(PAYMENT)]
  const answers = [new UnreachableError(true), refused(429), { transaction: agreed }, refused(404)]
  const client = {
    getTransaction: async () => {
      const answer = answers.shift()
      if (answer === undefined || answer instanceof Error) throw answer
      return answer
    },
  } as unknown as Parameters<typeof learnAgreement>[0]
  const { signal } = new AbortController()
  assert.deepEqual(await learnAgreement(client, 'a', signal), agreed)
  assert.equal(await learnAgreement(client, 'a', signal), null)
  assert.equal(await learnAgreement(client, 'a', AbortSignal.abort()), null)
})

test('a customer screen shows only what a till sends', () => {
  const readScene = (scene: unknown) => readTillSays({ from: 'till', language: 'en', test: true, scene })
  const code = { kind: 'code', walletUri: 'openid4vp://?a=b', agreed: [item(PAYMENT)] }
  assert.deepEqual(readScene(code)?.scene, { ...code, question: null })
  for (const agreed of [undefined, null, 'x', [null], [{ type: 'a' }], [{ data: 'a' }]])
    assert.equal(readScene({ ...code, agreed }), null)
})

test('shows the plain values of any other type', () => {
  const other = item({ type: 'urn:a:b', credential_ids: ['a'], text: 'Terms', n: 1 })
  assert.deepEqual(agreementLines([other], WORDS.en), ['To confirm: Terms · 1'])
  const alike = item({ ...PAYMENT, type: 'urn:a:b', note: 'And more' })
  assert.deepEqual(agreementLines([alike], WORDS.en), ['To confirm: And more · 9.9 · EUR · …'])
})

test('accepts a number with a point or a comma, and refuses other texts', () => {
  assert.equal(typedValue(' 9,90 ', 'number'), 9.9)
  assert.equal(typedValue('12.5', 'number'), 12.5)
  for (const typed of ['', '-1', '1e9', '1.2.3', 'abc', '0x10', '1.23456', 'Infinity'])
    assert.equal(typedValue(typed, 'number'), null, typed)
  assert.equal(typedValue(' a ', 'text'), 'a')
  assert.equal(typedValue('  ', 'text'), null)
})

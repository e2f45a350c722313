// Tests how a till shows what a guest confirms.

import assert from 'node:assert/strict'
import test from 'node:test'
import { RefusedError, UnreachableError } from '../../sdk/typescript/src/device/device-errors.ts'
import { agreedPayment, agreementLines, learnAgreement } from '../src/agreement.ts'
import { readTillSays } from '../src/display/display-messages.ts'
import { typedValue } from '../src/views.ts'
import { WORDS } from '../src/words/words.ts'

const item = (object: object) => ({ type: 'a', data: Buffer.from(JSON.stringify(object)).toString('base64url') })
const refused = (status: number) => new RefusedError({ status, code: 'a', message: 'a', retryAfterSeconds: null })
const PAYMENT = { type: 'urn:eudi:sca:payment:1', payload: { amount: 9.9, currency: 'EUR', payee: { name: 'Café Ü' } } }

test('shows amount and payee in the language of the till', () => {
  assert.deepEqual(agreementLines([item(PAYMENT)], WORDS.en), ['Pay €9.90 to Café Ü'])
  const [german] = agreementLines([item(PAYMENT)], WORDS.de)
  assert.match(german ?? '', /^9,90\s€ an Café Ü zahlen$/)
})

test('shows recurring payments and signatures', () => {
  const mandate = { payload: { payment_payload: { ...PAYMENT.payload, recurrence: { frequency: 'MNTH' } } } }
  assert.deepEqual(agreementLines([item(mandate)], WORDS.en), ['Pay €9.90 to Café Ü', 'This payment repeats.'])
  const approval = item({ documentDigests: [{ label: 'Contract' }, { label: 'Annex' }, {}] })
  assert.deepEqual(agreementLines([approval], WORDS.en), ['Sign: Contract', 'Sign: Annex'])
  assert.deepEqual(agreementLines([item({ documentDigests: [] })], WORDS.en), ['Sign'])
})

test('shows a single payment as paid, but not a mandate or several transactions', () => {
  const paid = agreedPayment([item(PAYMENT)], WORDS.en)
  assert.deepEqual(paid, { amount: '€9.90', payee: 'Café Ü' })
  const mandate = { payload: { payment_payload: { ...PAYMENT.payload, recurrence: { frequency: 'MNTH' } } } }
  for (const items of [[], [item(mandate)], [item(PAYMENT), item(PAYMENT)], [item({ documentDigests: [] })]])
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
  const other = item({ type: 'urn:a:b', credential_ids: ['a'], text: 'Terms', n: 1, deep: { hidden: true } })
  assert.deepEqual(agreementLines([other], WORDS.en), ['To confirm: Terms · 1'])
})

test('accepts a number with a point or a comma, and refuses other texts', () => {
  assert.equal(typedValue(' 9,90 ', 'number'), 9.9)
  assert.equal(typedValue('12.5', 'number'), 12.5)
  for (const typed of ['', '-1', '1e9', '1.2.3', 'abc', '0x10', '1.23456', 'Infinity'])
    assert.equal(typedValue(typed, 'number'), null, typed)
  assert.equal(typedValue(' a ', 'text'), 'a')
  assert.equal(typedValue('  ', 'text'), null)
})

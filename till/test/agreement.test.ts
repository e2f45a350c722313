// What a guest is to agree to, in the words of a till.

import assert from 'node:assert/strict'
import test from 'node:test'
import { agreementLines } from '../src/agreement.ts'
import { typedValue } from '../src/views.ts'
import { WORDS } from '../src/words/words.ts'

const item = (object: object) => ({ type: 'a', data: Buffer.from(JSON.stringify(object)).toString('base64url') })
const PAYMENT = { type: 'urn:eudi:sca:payment:1', payload: { amount: 9.9, currency: 'EUR', payee: { name: 'Café Ü' } } }

test('amount and payee, in the language of the till', () => {
  assert.deepEqual(agreementLines([item(PAYMENT)], WORDS.en), ['Pay €9.90 to Café Ü'])
  const [german] = agreementLines([item(PAYMENT)], WORDS.de)
  assert.match(german ?? '', /^9,90\s€ an Café Ü zahlen$/)
})

test('of anything else its plain values', () => {
  const other = item({ type: 'urn:a:b', credential_ids: ['a'], text: 'Terms', n: 1, deep: { hidden: true } })
  assert.deepEqual(agreementLines([other], WORDS.en), ['To agree to: Terms · 1'])
})

test('a number is typed with a point or a comma; nothing else is one', () => {
  assert.equal(typedValue(' 9,90 ', 'number'), 9.9)
  assert.equal(typedValue('12.5', 'number'), 12.5)
  for (const typed of ['', '-1', '1e9', '1.2.3', 'abc', '0x10', '1.23456', 'Infinity'])
    assert.equal(typedValue(typed, 'number'), null, typed)
  assert.equal(typedValue(' a ', 'text'), 'a')
  assert.equal(typedValue('  ', 'text'), null)
})

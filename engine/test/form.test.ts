// Tests that the form parser decodes escapes strictly, and only once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MalformedForm, parseForm } from '../src/form.ts'

const read = (body: string | Uint8Array) => Object.fromEntries(parseForm(Buffer.from(body)))

test('escapes, pluses and letters beyond ASCII are read in every combination', () => {
  const texts = [
    '',
    ' ',
    '+',
    '%',
    '%2B',
    'a b',
    'é',
    'é+é',
    '%é',
    'a%b+c d',
    '€ ',
    '😀+%',
    '+ + +',
    'x'.repeat(300) + '%é'.repeat(9),
  ]
  for (const text of texts) {
    for (const escaped of [encodeURIComponent(text), new URLSearchParams({ a: text }).toString().slice(2)])
      assert.deepEqual(read(`a=${escaped}`), { a: text }, escaped)
  }
  assert.deepEqual(read('%61=%C3%A9&b=é+%c3%a9&c=+%2b+'), { a: 'é', b: 'é é', c: ' + ' })
  assert.deepEqual(read(Buffer.concat([Buffer.from('a='), Buffer.of(0xc3), Buffer.from('%a9')])), { a: 'é' })
})

test('broken escapes and invalid UTF-8 are refused', () => {
  for (const body of [
    'a=%',
    'a=%4',
    'a=%4g',
    'a=%g4',
    'a=+%',
    'a=%%41',
    'a=%c3',
    'a=%c3+',
    'a=%ed%a0%80',
    'a=%c0%80',
    'a=%é',
  ])
    assert.throws(() => read(body), MalformedForm, body)
  assert.throws(() => read(Buffer.concat([Buffer.from('a=+'), Buffer.of(0xff)])), MalformedForm)
})

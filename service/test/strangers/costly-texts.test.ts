// Tests that texts are cut before they are read where their cost grows with the square of their length.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseLanguage } from '../../../labels/choose-language.ts'
import { searchTermOf } from '../../src/core/verifications/domain/reference.ts'

test('of a long Accept-Language, only the beginning is read', () => {
  assert.equal(chooseLanguage(undefined, `${','.repeat(250)}de`), 'de')
  assert.equal(chooseLanguage(undefined, `${','.repeat(300)}de`), 'en')
})

test('of a row of combining marks, only the first are normalized', () => {
  const word = (marks: number) => `Order e${'\u0301\u0334'.repeat(marks / 2)}1`
  assert.equal(searchTermOf(word(500)), searchTermOf(word(16)))
  assert.equal(searchTermOf('É1'), searchTermOf('e\u03011'))
})

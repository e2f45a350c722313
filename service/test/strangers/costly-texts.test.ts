// Tests that texts are cut before they are read where their cost grows with the square of their length.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { chooseLanguage } from '../../../labels/choose-language.ts'
import { searchTermOf } from '../../src/core/verifications/domain/reference.ts'
import { onlyCookie } from '../../src/platform/http/cookie.ts'

test('of a long Accept-Language, only the beginning is read', () => {
  assert.equal(chooseLanguage(undefined, `${','.repeat(250)}de`), 'de')
  assert.equal(chooseLanguage(undefined, `${','.repeat(300)}de`), 'en')
  assert.equal(chooseLanguage(undefined, 'd'.repeat(300)), 'en')
  const before = `${'pl;q=0.5,'.repeat(27)}pl;q=01,`
  assert.equal(chooseLanguage(undefined, `${before}it;q=0.1,pl`), 'en', 'no member loses its quality')
  assert.equal(chooseLanguage(undefined, `${before.slice(9)}it;q=0.1`), 'it')
})

test('of a row of combining marks, only the first are normalized', () => {
  const word = (marks: number) => `Order e${'\u0301\u0334'.repeat(marks / 2)}1`
  assert.equal(searchTermOf(word(500)), searchTermOf(word(16)))
  assert.equal(searchTermOf('É1'), searchTermOf('e\u03011'))
  const half = (marks: number) => `a${'\uff9e\u0334'.repeat(marks / 2)}1`
  assert.equal(searchTermOf(half(500)), searchTermOf(half(16)), 'letters that become marks')
})

test('a browser with too many cookies has none', () => {
  const requestWith = (cookie: string) => ({ headers: { cookie } }) as FastifyRequest
  const others = (count: number) => Array.from({ length: count }, (_, at) => `c${at}=1`).join('; ')
  assert.equal(onlyCookie(requestWith(`${others(399)}; own=x`), 'own'), 'x')
  assert.equal(onlyCookie(requestWith(`own=x; ${others(399)}; own=planted`), 'own'), null)
  assert.equal(onlyCookie(requestWith(`own=x${';'.repeat(15_000)}`), 'own'), null)
})

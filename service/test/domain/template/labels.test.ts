// Tests that every language has all labels that another language, requests or results need.

import assert from 'node:assert/strict'
import test from 'node:test'
import { answerLabel, claimLabel, documentLabel, LANGUAGES, type Labels } from '../../../../labels/catalogue.ts'
import { BUILT_IN_TEMPLATES } from '../../../src/core/templates/domain/built-in/built-in.ts'
import { LABELS, WORDS } from '../../../src/features/pages/http/words/languages.ts'

const keysOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, inner]) => [name, keysOf(inner)])
    : typeof value

test('every language has the same entries, and none in the words of another', () => {
  for (const language of LANGUAGES) {
    for (const part of Object.keys(LABELS.en) as (keyof Labels)[])
      assert.deepEqual(Object.keys(LABELS[language][part]), Object.keys(LABELS.en[part]), `${language} ${part}`)
    assert.deepEqual(keysOf(WORDS[language]), keysOf(WORDS.en), language)
    if (language !== 'en') assert.notEqual(WORDS[language].confirmAge('x', 18), WORDS.en.confirmAge('x', 18))
  }
})

test("templates have the service's names, and all their claims have words", () => {
  const { en } = LABELS
  assert.deepEqual(
    Object.fromEntries(BUILT_IN_TEMPLATES.map(({ key, title, description }) => [key, { title, description }])),
    {
      ...en.templates,
    },
  )
  for (const { outputs, query } of BUILT_IN_TEMPLATES) {
    for (const name of Object.keys(outputs ?? {}))
      assert.ok(/^age_over_\d\d$/.test(name) || Object.hasOwn(en.claims, name), name)
    for (const { meta } of query.credentials)
      for (const type of 'doctype_value' in meta ? [meta.doctype_value] : meta.vct_values)
        assert.notEqual(documentLabel(en, type), null, type)
  }
})

test('a requested claim has its word under every name that documents use', () => {
  const marked = { ...LABELS.en, claims: Object.fromEntries(Object.keys(LABELS.en.claims).map((name) => [name, '*'])) }
  for (const { query } of BUILT_IN_TEMPLATES) {
    for (const { claims } of query.credentials) {
      for (const { path } of claims ?? []) {
        const name = String(path.findLast((part) => typeof part === 'string'))
        // Ages have their own words.
        if (!/\d\d$/.test(name)) assert.equal(answerLabel(marked, name), '*', name)
      }
    }
  }
  assert.equal(answerLabel(LABELS.de, 'resident_street'), 'Straße')
})

test('every age has a label for the holder and for the reader of the answer', () => {
  assert.equal(claimLabel(LABELS.de, 'age_over_65'), 'Dass Sie 65 oder älter sind')
  assert.equal(answerLabel(LABELS.en, 'age_over_18'), '18 or older')
  assert.equal(answerLabel(LABELS.en, 'age_over_0'), 'Age over 0')
  for (const language of LANGUAGES) assert.match(claimLabel(LABELS[language], 'age_over_7'), /\b7\b/)
})

test('a claim without a word is shown by its own name', () => {
  assert.equal(claimLabel(LABELS.de, 'shoe_size'), 'Shoe size')
  assert.equal(claimLabel(LABELS.de, 'constructor'), 'Constructor')
  assert.equal(documentLabel(LABELS.de, 'toString'), null)
})

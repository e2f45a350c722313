// Tests that the template builder writes queries that the service accepts, and reads them back.

import assert from 'node:assert/strict'
import test from 'node:test'
import {
  DOCUMENT_IDS,
  type DocumentId,
  FACTS,
  type RequestedClaim,
} from '../../../dashboard/src/pages/templates/builder/documents.ts'
import { readJsonText } from '../../../dashboard/src/pages/templates/builder/json-text.ts'
import {
  type Choice,
  choiceOf,
  documentsOf,
  lackingIn,
  questionOf,
} from '../../../dashboard/src/pages/templates/builder/question.ts'
import { documentLabel, LANGUAGES } from '../../../labels/catalogue.ts'
import { BUILT_IN_TEMPLATES } from '../../src/core/templates/domain/built-in/built-in.ts'
import { judgeTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { LABELS } from '../../src/features/pages/http/words/languages.ts'

const ALL_FACTS = Object.keys(FACTS) as (keyof typeof FACTS)[]

const templateOf = (choice: Choice) => {
  const question = questionOf(choice)
  assert.ok(question !== null, JSON.stringify(choice))
  const read = judgeTemplate('mine', JSON.parse(JSON.stringify({ title: 'Mine', ...question })))
  assert.ok('template' in read, JSON.stringify([choice, read]))
  return read.template
}

test('every built-in template is a choice, can be saved as an own template, and reads back unchanged', () => {
  for (const { key, query, outputs } of BUILT_IN_TEMPLATES) {
    const choice = choiceOf({ query, outputs })
    assert.ok(choice !== null, key)
    const saved = templateOf(choice)
    assert.deepEqual({ query: saved.query, outputs: saved.outputs }, { query, outputs }, key)
    assert.deepEqual(choiceOf(saved), choice)
  }
})

test('the service accepts every fact alone, with every age, and all together; each is read back as the same choice', () => {
  const requested: (readonly RequestedClaim[])[] = [
    ...ALL_FACTS.map((fact) => [fact]),
    ...ALL_FACTS.map((fact): RequestedClaim[] => ['age_over_18', fact]),
    ...[1, 12, 16, 18, 21, 65, 99].map((age): RequestedClaim[] => [`age_over_${age}`]),
    ALL_FACTS.filter((fact) => fact !== 'driving_privileges'),
    ['age_over_16', 'address', 'birth_place'],
    ['portrait', 'age_over_21', 'address', 'given_name'],
  ]
  const documents = [[...DOCUMENT_IDS], ...DOCUMENT_IDS.map((id): DocumentId[] => [id])]
  let count = 0
  for (const one of requested) {
    for (const some of documents) {
      const usable = documentsOf({ requested: one, documents: some })
      if (usable.length === 0) continue
      count += 1
      const saved = templateOf({ requested: one, documents: some })
      assert.deepEqual(choiceOf(saved), { requested: one, documents: usable })
    }
  }
  assert.ok(count > 80, String(count))
})

test('a document that lacks one thing is not an answer; without a document there is no query', () => {
  const choice = { requested: ['age_over_18', 'given_name'], documents: DOCUMENT_IDS } as const
  assert.deepEqual(documentsOf(choice), ['pid_sd', 'pid_mdoc', 'mdl'])
  assert.deepEqual(lackingIn('age_proof', choice), ['given_name'])
  assert.equal(questionOf({ requested: ['driving_privileges', 'email'], documents: DOCUMENT_IDS }), null)
  assert.equal(questionOf({ requested: [], documents: DOCUMENT_IDS }), null)
  assert.equal(questionOf({ requested: ['given_name'], documents: ['age_proof'] }), null)
})

test('an age with a birth date asks only for the birth date; with anything else, the yes or no comes first', () => {
  const both = templateOf({ requested: ['birth_date', 'age_over_18'], documents: ['pid_sd'] })
  assert.deepEqual(
    both.query.credentials[0]?.claims?.map(({ path }) => path),
    [['birthdate']],
  )
  const named = templateOf({ requested: ['age_over_18', 'given_name'], documents: ['pid_sd'] })
  assert.deepEqual(named.query.credentials[0]?.claim_sets, [
    ['exact', 'given_name'],
    ['born', 'given_name'],
  ])
})

test('a template that says more than choices can express is not read as a choice: nothing of it is lost', () => {
  const question = questionOf({ requested: ['given_name', 'birth_date'], documents: ['pid_sd', 'mdl'] })
  assert.ok(question !== null)
  const { query, outputs } = question
  const [first, ...rest] = query.credentials
  const others: readonly (readonly [string, { query: unknown; outputs: unknown }])[] = [
    ['no outputs', { query, outputs: null }],
    ['another output', { query, outputs: { ...outputs, shoe_size: {} } }],
    ['one output less', { query, outputs: { given_name: outputs.given_name } }],
    [
      'another type',
      { query: { ...query, credentials: [{ ...first, meta: { vct_values: ['x'] } }, ...rest] }, outputs },
    ],
    ['multiple', { query: { ...query, credentials: [{ ...first, multiple: true }, ...rest] }, outputs }],
    ['a purpose', { query: { ...query, credential_sets: [{ options: [['pid_sd']], purpose: 'x' }] }, outputs }],
    ['nothing', { query: null, outputs: {} }],
  ]
  for (const [name, other] of others) assert.equal(choiceOf(other), null, name)
})

test('every choice has words in every language', () => {
  for (const language of LANGUAGES) {
    for (const fact of ALL_FACTS) assert.ok(Object.hasOwn(LABELS[language].claims, fact), `${language} ${fact}`)
    for (const { query } of BUILT_IN_TEMPLATES)
      for (const { meta } of query.credentials)
        assert.ok(
          documentLabel(LABELS[language], 'doctype_value' in meta ? meta.doctype_value : (meta.vct_values[0] ?? '')),
        )
  }
})

test('JSON is read as JSON.parse reads it', () => {
  const texts = [
    '{"a":[1,-2.5e+3,true,false,null,"x\\u00e9\\n\\"\\\\"],"b":{"__proto__":1}}',
    '[]',
    ' \r\n\t{ } ',
    '"\u007f \u2028 ü 😀"',
    '0',
  ]
  for (const text of texts) {
    const read = readJsonText(text)
    assert.ok(read.outcome === 'json', text)
    assert.deepEqual(read.value, JSON.parse(text))
  }
})

test('reports a problem with its line and column', () => {
  const faults: readonly (readonly [text: string, fault: string, line: number, column: number])[] = [
    ['', 'ends_early', 1, 1],
    ['{\n  "a": 1', 'ends_early', 2, 9],
    ['{\n  "a": 1\n  "b": 2\n}', 'comma_expected', 3, 3],
    ['{\n  "a": 1,\n}', 'trailing_comma', 2, 9],
    ['[1, 2,]', 'trailing_comma', 1, 6],
    ['{\n\n a: 1}', 'name_expected', 3, 2],
    ['{"a" 1}', 'colon_expected', 1, 6],
    ['{"a":\n}', 'value_expected', 2, 1],
    ['{"a": 01}', 'bad_number', 1, 7],
    ['["a\nb"]', 'bad_text', 1, 2],
    ['["\\x"]', 'bad_text', 1, 2],
    ['{} x', 'more_after_end', 1, 4],
    ['{"a":1,\n"a":2}', 'name_twice', 2, 1],
    ['['.repeat(100), 'too_deep', 1, 66],
  ]
  for (const [text, fault, line, column] of faults) {
    assert.deepEqual(readJsonText(text), { outcome: 'fault', fault, line, column }, text)
    if (fault !== 'name_twice' && fault !== 'too_deep') assert.throws(() => JSON.parse(text), SyntaxError)
  }
})

test('problems that the service reports have a line', () => {
  const text = JSON.stringify(
    {
      query: {
        credentials: [
          {
            id: 'pid',
            format: 'dc+sd-jwt',
            meta: { vct_values: ['urn:eudi:pid:1'] },
            claims: [{ path: ['given_name'] }],
          },
          { id: 'mdl', format: 'mso_mdoc', meta: { doctype: 'x' }, claims: [{ path: ['a', 'b'] }] },
        ],
      },
      outputs: { name: { value: [{ credential: 'pid', path: ['given_name'] }] } },
    },
    null,
    2,
  )
  const read = readJsonText(text)
  assert.ok(read.outcome === 'json')
  const judgement = judgeTemplate('mine', read.value)
  assert.ok('path' in judgement)
  assert.match(judgement.path, /^query\.credentials\[1\]\.meta/)
  assert.match(text.split('\n')[read.lineOf(judgement.path) - 1] ?? '', /"meta"|"doctype"/)
  assert.match(text.split('\n')[read.lineOf('outputs.name.value[0].credential') - 1] ?? '', /"credential": "pid"/)
  assert.match(text.split('\n')[read.lineOf('outputs.name.nothing.here') - 1] ?? '', /"name": \{/)
  assert.equal(read.lineOf('title'), 1)
})

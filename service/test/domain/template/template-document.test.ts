// Tests that a tenant's template is checked when it is saved, and that a problem is named by its path.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { DcqlQuery } from '@vidimus/engine'
import { readTemplate } from '../../../src/core/templates/domain/document.ts'
import { InvalidTemplate } from '../../../src/core/templates/domain/problem.ts'

const QUERY: DcqlQuery = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['family_name'] }, { path: ['address', 'country'] }, { path: ['nationalities', null] }],
    },
  ],
}
const from = (...path: string[]) => [{ credential: 'pid', path }]
const read = (document: unknown, key = 'mine') => readTemplate(key, document, () => QUERY)

test('a template may have only a query, or also a title, a description and outputs of every kind', () => {
  const least = {
    key: 'mine',
    title: 'mine',
    description: '',
    query: QUERY,
    outputs: null,
    intendedUse: null,
    transaction: null,
  }
  assert.deepEqual(read({ query: {} }), least)
  assert.equal(read({ query: {}, intended_use: 'age-check' }).intendedUse, 'age-check')
  const outputs = {
    surname: { value: from('family_name') },
    countries: { value: from('nationalities'), as: 'list' },
    home: { object: { country: from('address', 'country') } },
    adult: { age_over: 18, flags: [{ credential: 'pid', path: ['family_name'], age: 21 }] },
  }
  const template = read({ title: 'Who', description: 'and where', query: {}, outputs })
  assert.deepEqual(template.outputs, { ...outputs, adult: { ...outputs.adult, birth_dates: [] } })
})

const bad: [string, unknown, string][] = [
  ['no object', [], 'template'],
  ['no query', { title: 'x' }, 'query'],
  ['an unknown member', { query: {}, output: {} }, 'output'],
  ['a title that is not a line', { query: {}, title: 'a\nb' }, 'title'],
  ['a title that is too long', { query: {}, title: 'x'.repeat(101) }, 'title'],
  ['a description that is not a text', { query: {}, description: 7 }, 'description'],
  ['an intended use that is not a name', { query: {}, intended_use: 'a b' }, 'intended_use'],
  ['an intended use that is not a text', { query: {}, intended_use: 7 }, 'intended_use'],
  ['outputs that are a list', { query: {}, outputs: [] }, 'outputs'],
  ['no outputs', { query: {}, outputs: {} }, 'outputs'],
  ['a strange name', { query: {}, outputs: { 'a b': { value: from('family_name') } } }, 'outputs'],
  ['a rule of no kind', { query: {}, outputs: { a: {} } }, 'outputs.a'],
  ['a rule of two kinds', { query: {}, outputs: { a: { value: [], object: {} } } }, 'outputs.a'],
  [
    'an unknown member of a rule',
    { query: {}, outputs: { a: { value: from('family_name'), optional: true } } },
    'outputs.a.optional',
  ],
  ['no sources', { query: {}, outputs: { a: { value: [] } } }, 'outputs.a.value'],
  ['an unknown form', { query: {}, outputs: { a: { value: from('family_name'), as: 'text' } } }, 'outputs.a.as'],
  [
    'a credential that is not requested',
    { query: {}, outputs: { a: { value: [{ credential: 'x', path: ['a'] }] } } },
    'outputs.a.value[0].credential',
  ],
  [
    'a claim that is not requested',
    { query: {}, outputs: { a: { value: from('given_name') } } },
    'outputs.a.value[0].path',
  ],
  [
    'a claim next to the requested one',
    { query: {}, outputs: { a: { value: from('address', 'locality') } } },
    'outputs.a.value[0].path',
  ],
  [
    'a path with a number',
    { query: {}, outputs: { a: { value: [{ credential: 'pid', path: [0] }] } } },
    'outputs.a.value[0].path[0]',
  ],
  ['an empty object', { query: {}, outputs: { a: { object: {} } } }, 'outputs.a.object'],
  [
    'an age of 0',
    { query: {}, outputs: { a: { age_over: 0, birth_dates: from('family_name') } } },
    'outputs.a.age_over',
  ],
  ['an age from nothing', { query: {}, outputs: { a: { age_over: 18 } } }, 'outputs.a'],
  [
    'a flag without its age',
    { query: {}, outputs: { a: { age_over: 18, flags: from('family_name') } } },
    'outputs.a.flags[0].age',
  ],
]

for (const [what, document, path] of bad) {
  test(`refused at ${path}: ${what}`, () => {
    assert.throws(
      () => read(document),
      (error) => error instanceof InvalidTemplate && error.path === path,
    )
  })
}

test('the sources of all outputs are counted together', () => {
  const outputsWith = (count: number) => ({
    surname: { value: from('family_name') },
    home: {
      object: Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`m${i}`, Array.from({ length: 50 }, () => from('address')[0])]),
      ),
    },
  })
  assert.throws(
    () => read({ query: {}, outputs: outputsWith(10) }),
    (error) => error instanceof InvalidTemplate && error.message === 'outputs: must name at most 500 sources in total',
  )
  assert.ok(read({ query: {}, outputs: outputsWith(9) }))
})

for (const key of ['', 'a b', '-a', 'x'.repeat(65), 'a/b', 'ä', 'identity', 'age_over_18']) {
  test(`refused: the key '${key.slice(0, 20)}'`, () => {
    assert.throws(
      () => read({ query: {} }, key),
      (error) => error instanceof InvalidTemplate && error.path === 'key',
    )
  })
}

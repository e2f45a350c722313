// Tests the warnings about templates that ask for more than they use.

import assert from 'node:assert/strict'
import test from 'node:test'
import { listBuiltInTemplates } from '../../../src/core/templates/domain/question.ts'
import { describeTemplate } from '../../../src/core/templates/domain/question-warnings.ts'
import type { Template } from '../../../src/core/templates/domain/template.ts'

type Claims = NonNullable<Template['query']['credentials'][number]['claims']>

function asking(claims: Claims | undefined, change: Partial<Template> = {}): Template {
  const meta = { vct_values: ['urn:eudi:pid:1'] }
  const credential = { id: 'pid', format: 'dc+sd-jwt', meta, ...(claims === undefined ? {} : { claims }) }
  return {
    key: 'guest',
    title: 'Guest list',
    description: '',
    query: { credentials: [credential] } as Template['query'],
    outputs: null,
    ...change,
  }
}

const warnings = (template: Template) => describeTemplate(template).warnings

test('no built-in template asks for unused claims, or for everything', () => {
  for (const template of listBuiltInTemplates()) {
    const found = warnings(template).filter((warning) => !['portrait', 'many_claims'].includes(warning))
    assert.deepEqual(found, [], template.key)
  }
})

test('a query that asks for more than it needs gets a warning', () => {
  assert.deepEqual(warnings(asking([{ path: ['given_name'] }])), [])
  assert.deepEqual(warnings(asking(undefined)), ['no_claims'])
  assert.deepEqual(warnings(asking([{ path: ['birthdate'] }], { title: 'Age check' })), ['birth_date_for_age'])
  assert.deepEqual(warnings(asking([{ path: ['birthdate'] }])), [])
  assert.deepEqual(warnings(asking([{ path: ['picture'] }])), ['portrait'])
  const nine = Array.from({ length: 9 }, (_, index) => ({ path: [`claim_${index}`] }))
  assert.deepEqual(warnings(asking(nine)), ['many_claims'])
  const outputs = { given_name: { value: [{ credential: 'pid', path: ['given_name'] }] } }
  assert.deepEqual(warnings(asking([{ path: ['given_name'] }], { outputs })), [])
  assert.deepEqual(warnings(asking([{ path: ['given_name'] }, { path: ['sex'] }], { outputs })), ['unused_claims'])
})

import assert from 'node:assert/strict'
import test from 'node:test'
import { plainQuestion } from '../../../src/core/templates/domain/plain-question.ts'
import { listBuiltInTemplates } from '../../../src/core/templates/domain/question.ts'
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

const warnings = (template: Template) => plainQuestion(template).warnings

test('names are those of the data: nested ones from the outside in, of an mdoc without the namespace', () => {
  const [pid] = plainQuestion(
    asking([{ path: ['address', 'locality'] }, { path: ['nationalities', null] }]),
  ).credentials
  assert.deepEqual(pid?.claims, ['address.locality', 'nationalities'])
  const licence = listBuiltInTemplates().find(({ key }) => key === 'driving_licence')
  assert.ok(licence !== undefined)
  assert.ok(plainQuestion(licence).credentials[0]?.claims.includes('document_number'))
})

test('no built-in template asks for what it does not use, or for everything', () => {
  for (const template of listBuiltInTemplates()) {
    const found = warnings(template).filter((warning) => !['portrait', 'many_claims'].includes(warning))
    assert.deepEqual(found, [], template.key)
  }
})

test('more than is needed is warned about', () => {
  assert.deepEqual(warnings(asking([{ path: ['given_name'] }])), [])
  assert.deepEqual(warnings(asking(undefined)), ['whole_credential'])
  assert.deepEqual(warnings(asking([{ path: ['birthdate'] }], { title: 'Age check' })), ['birth_date_for_age'])
  assert.deepEqual(warnings(asking([{ path: ['birthdate'] }])), [])
  assert.deepEqual(warnings(asking([{ path: ['picture'] }])), ['portrait'])
  const nine = Array.from({ length: 9 }, (_, index) => ({ path: [`claim_${index}`] }))
  assert.deepEqual(warnings(asking(nine)), ['many_claims'])
  const outputs = { given_name: { value: [{ credential: 'pid', path: ['given_name'] }] } }
  assert.deepEqual(warnings(asking([{ path: ['given_name'] }], { outputs })), [])
  assert.deepEqual(warnings(asking([{ path: ['given_name'] }, { path: ['sex'] }], { outputs })), ['unused_claims'])
})

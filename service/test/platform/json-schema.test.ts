// Tests the schema of a type: accepted and refused keywords, and the cost of the most expensive one.

import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { BUILT_IN_TYPES } from '../../src/core/transactions/domain/built-in.ts'
import { InvalidSchema, readSchema, SCHEMA_MAX } from '../../src/platform/json-schema/schema.ts'
import { schemaFault } from '../../src/platform/json-schema/schema-fault.ts'

const faultOf = (schema: unknown, value: unknown) => schemaFault(readSchema(schema), value, 'it')
const nested = (depth: number): object => (depth === 0 ? {} : { items: nested(depth - 1) })
const wide = (nodes: number) => ({ anyOf: Array.from({ length: nodes - 1 }, () => ({})) })

for (const [keyword, schema] of Object.entries({
  $ref: { $ref: '#/$defs/a' },
  'a remote $ref': { $ref: 'https://elsewhere.example/schema' },
  pattern: { pattern: '^(a+)+$' },
  patternProperties: { patternProperties: { '^(a+)+$': {} } },
  uniqueItems: { uniqueItems: true },
  'a keyword of a prototype': { constructor: {} },
  'a schema that is a list': [],
  'a schema that is true': true,
  'an unknown type': { type: 'money' },
  'no type at all': { type: [] },
  'a schema for other members': { additionalProperties: {} },
  'an unknown format': { format: 'regex' },
  'a length that is not a number': { maxLength: '1' },
  'a negative length': { minLength: -1 },
  'no values': { enum: [] },
  'values that are objects': { enum: [{}] },
  'required that is not a list': { required: 'a' },
  'nothing to choose from': { anyOf: [] },
  'a malformed inner schema': { properties: { a: 1 } },
}))
  test(`${keyword} is refused`, () => assert.throws(() => readSchema(schema), InvalidSchema))

test('depth, width and length are limited', () => {
  readSchema(nested(SCHEMA_MAX.depth))
  assert.throws(() => readSchema(nested(SCHEMA_MAX.depth + 1)), /deep/)
  readSchema(wide(SCHEMA_MAX.nodes))
  assert.throws(() => readSchema(wide(SCHEMA_MAX.nodes + 1)), /parts/)
  assert.throws(() => readSchema({ title: 'x'.repeat(SCHEMA_MAX.bytes) }), /longer/)
  const members = Object.fromEntries(Array.from({ length: SCHEMA_MAX.members + 1 }, (_, i) => [`a${i}`, {}]))
  assert.throws(() => readSchema({ properties: members }), /too many/)
  assert.throws(() => readSchema({ enum: Array.from({ length: SCHEMA_MAX.values + 1 }, (_, i) => i) }), /enum/)
})

for (const [title, schema, right, wrong] of [
  ['types', { type: ['string', 'null'] }, ['a', null], [1, true, {}, []]],
  ['objects and lists', { type: 'object' }, [{}], [[], null, 'a']],
  [
    'lists',
    { type: 'array', minItems: 1, maxItems: 2, items: { type: 'integer' } },
    [[1], [1, 2]],
    [[], [1, 2, 3], [1.5]],
  ],
  ['numbers', { minimum: 1, maximum: 3, exclusiveMaximum: 3 }, [1, 2.9], [0, 3, 4]],
  ['strictly more', { exclusiveMinimum: 1 }, [1.1], [1]],
  ['lengths in characters', { minLength: 1, maxLength: 2 }, ['a', '😀😀'], ['', '😀😀😀']],
  ['values', { enum: ['a', 1, null] }, ['a', 1, null], ['b', '1', false]],
  ['one value', { const: 'a' }, ['a'], ['b']],
  ['members', { required: ['a'], properties: { a: { type: 'string' } } }, [{ a: '' }, { a: '', b: 1 }], [{}, { a: 1 }]],
  ['closed objects', { properties: { a: {} }, additionalProperties: false }, [{}, { a: 1 }], [{ b: 1 }]],
  ['days', { format: 'date' }, ['2024-02-29'], ['2026-02-29', '2026-13-01', '26-01-01', 'today']],
  [
    'moments',
    { format: 'date-time' },
    ['2026-01-01T00:00:00Z', '2026-01-01T23:59:59.5+02:00'],
    ['2026-01-01', '2026-01-01T24:00:00Z', '2026-02-30T00:00:00Z'],
  ],
  ['addresses', { format: 'uri' }, ['https://a.example/'], ['a', 'https://a b/', '/a']],
  ['alternatives', { anyOf: [{ type: 'string' }, { type: 'number' }] }, ['a', 1], [true]],
  ['negations', { not: { required: ['a'] } }, [{}], [{ a: 1 }]],
  ['texts that cannot be shown', { type: 'string' }, ['a'], ['\u202e', '\ud800', '\n']],
] as const)
  test(`${title} are checked against their schema`, () => {
    for (const value of right) assert.equal(faultOf(schema, value), null, JSON.stringify(value))
    for (const value of wrong) assert.match(faultOf(schema, value) ?? '', /^it/, JSON.stringify(value))
  })

test('a member of a prototype is not a member of the value', () => {
  assert.match(faultOf({ required: ['toString'] }, {}) ?? '', /required/)
  assert.match(faultOf({ additionalProperties: false }, JSON.parse('{"__proto__":1}')) ?? '', /not a known member/)
})

test('any value is checked, without an exception', () => {
  const values = fc.jsonValue()
  for (const { schema } of BUILT_IN_TYPES)
    fc.assert(
      fc.property(values, (value) => {
        const fault = schemaFault(schema, value, 'it')
        assert.ok(fault === null || fault.startsWith('it'))
      }),
      { numRuns: 300 },
    )
  fc.assert(
    fc.property(values, values, (schema, value) => {
      try {
        schemaFault(readSchema(schema), value, 'it')
      } catch (error) {
        assert.ok(error instanceof InvalidSchema)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('steps are at most parts times values: nested alternatives do not multiply', () => {
  let steps = 0
  const leaf = {
    get types() {
      steps += 1
      return ['null'] as const
    },
  }
  const inside = { items: { anyOf: Array.from({ length: 16 }, () => leaf) } }
  const schema = { anyOf: Array.from({ length: 16 }, () => inside) }
  const value = Array.from({ length: 100 }, () => 'a')
  schemaFault(schema, value, 'it')
  assert.ok(steps <= 2 * 16 * 16 * 100, String(steps))
})

// Tests the strict JSON parser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  equalJson,
  isLongerThan,
  jsonBudget,
  jsonLength,
  MalformedJson,
  parseJson,
  parseJsonObject,
} from '../src/json.ts'
import type { Json } from '../src/verdict.ts'
import { leastCpuMs } from './cpu-time.ts'

test('reads every kind of value', () => {
  const text = ' { "a" : [ 1 , -2.5e3 , true , false , null , "\\u0041\\n" , { } , [ ] ] , "" : "\u20ac" } '
  assert.equal(JSON.stringify(parseJson(text)), JSON.stringify(JSON.parse(text)))
})

test('agrees with JSON.parse on everything that JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5, stringUnit: 'binary' }), (text) => {
      // JSON.parse keeps the last of two equal members and accepts -0; stringifying again makes both comparable.
      const once = JSON.stringify(JSON.parse(text))
      let exact = true
      JSON.parse(once, (_, value) => {
        if (Number.isInteger(value) && !Number.isSafeInteger(value)) exact = false
      })
      if (exact) assert.equal(JSON.stringify(parseJson(once)), once)
      else assert.throws(() => parseJson(once), MalformedJson)
    }),
  )
})

test('an integer is read exactly as written', () => {
  const read = [
    '0',
    '-0',
    '9007199254740991',
    '-9007199254740991',
    '18.0',
    '1.8e1',
    '1800E-2',
    '0.000',
    '0e-999',
    '5e0',
  ]
  for (const literal of read) assert.equal(parseJson(literal), Number(literal), literal)
  for (const literal of ['17.5', '-0.25', '1e-7', '123456789.125']) assert.equal(parseJson(literal), Number(literal))
})

test('the cost of a long literal is linear in its length', () => {
  const cost = leastCpuMs(1000, () => {
    assert.throws(() => parseJson(`1.${'0'.repeat(1_000_000)}1`), MalformedJson)
  })
  assert.ok(cost < 1000, `${cost} ms of CPU`)
})

test('refuses whatever JSON.parse refuses', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 2 }), fc.nat(), fc.string({ minLength: 1, maxLength: 1 }), (text, at, put) => {
      const spoilt = text.slice(0, at % text.length) + put + text.slice((at % text.length) + 1)
      let valid = true
      try {
        JSON.parse(spoilt)
      } catch {
        valid = false
      }
      if (!valid) assert.throws(() => parseJson(spoilt), MalformedJson)
    }),
  )
})

const REFUSED: Readonly<Record<string, string>> = {
  'a duplicate member': '{"a":1,"a":1}',
  'a duplicate member spelt with an escape': '{"a":1,"\\u0061":2}',
  'a duplicate member in a nested object': '[{"b":{"a":1,"a":1}}]',
  'a duplicate __proto__': '{"__proto__":1,"__proto__":2}',
  'a lone surrogate by escape': '"\\ud800"',
  'a lone surrogate in the text': '"\ud800"',
  'a lone surrogate as a name': '{"\\udc00":1}',
  'an infinite number': '1e400',
  'an integer that a double cannot represent': '9007199254740993',
  'the first integer that is not safe': '9007199254740992',
  'a negative integer that a double cannot represent': '-9007199254740993',
  'an integer that a double cannot represent, with an exponent': '9007199254740993e0',
  'a fraction that would become an integer': '17.99999999999999999',
  'a large fraction that would become an integer': '4503599627370497.75',
  'a fraction that would become zero': '1e-400',
  'a leading zero': '01',
  'a leading plus': '+1',
  'a bare minus': '-',
  'a trailing dot': '1.',
  'a control character in a string': '"a\tb"',
  'an unknown escape': '"\\x41"',
  'a trailing comma': '[1,]',
  'a comment': '[1]//',
  'a single quote': "'a'",
  'something after the end': '{} {}',
  'a byte order mark': '\ufeff{}',
  'a vertical tab as space': '\v1',
  'an unfinished string': '"abc',
  'an unfinished object': '{"a":1',
  'a name without quotes': '{a:1}',
  nothing: '',
  NaN: 'NaN',
}
for (const [title, text] of Object.entries(REFUSED)) {
  test(`refuses ${title}`, () => assert.throws(() => parseJson(text), MalformedJson))
}

test('no name reaches a prototype', () => {
  const parsed = parseJsonObject('{"__proto__":{"admin":true},"constructor":1,"toString":2,"hasOwnProperty":3}')
  assert.deepEqual(Object.keys(parsed), ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
  assert.deepEqual(Reflect.ownKeys(Object.getPrototypeOf(parsed)), [])
  assert.equal(Object.getPrototypeOf(Object.getPrototypeOf(parsed)), null)
  assert.ok(Object.isFrozen(Object.getPrototypeOf(parsed)))
  assert.equal(parsed.admin, undefined)
  assert.equal(Reflect.get({}, 'admin'), undefined)
})

test('accepts nesting of 32 levels and refuses one more', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  assert.ok(parseJson(nested(32)))
  assert.throws(() => parseJson(nested(33)), MalformedJson)
  assert.throws(() => parseJson('['.repeat(1_000_000)), MalformedJson)
})

test('several texts can share one limit on their values', () => {
  const budget = jsonBudget()
  budget.valuesLeft = 5
  parseJson('[1,2]', budget)
  assert.throws(() => parseJson('[1,2]', budget), MalformedJson)
  assert.throws(() => parseJson(`[${'1,'.repeat(20_000)}1]`), MalformedJson)
})

test('refuses a value that is not an object where an object is expected', () => {
  for (const text of ['[]', '"{}"', 'null', '1']) assert.throws(() => parseJsonObject(text), MalformedJson)
})

test('error messages never quote the parsed text', () => {
  for (const text of ['{"secret":1,"secret":2}', '"secret', '[secret]', '"secret\\x"']) {
    assert.throws(
      () => parseJson(text),
      (error: Error) => !error.message.includes('secret'),
    )
  }
})

test('values with the same members in another order are equal', () => {
  const equal = (a: string, b: string): boolean => equalJson(parseJson(a) as Json, parseJson(b) as Json)
  assert.equal(equal('{"a":1,"b":[1,{"c":null}]}', '{"b":[1,{"c":null}],"a":1}'), true)
  for (const [a, b] of [
    ['[1,2]', '[2,1]'],
    ['{"a":1}', '{"b":1}'],
    ['{"a":1}', '{"a":1,"b":2}'],
    ['{"a":null}', '{}'],
    ['[null]', '[]'],
    ['1', '"1"'],
    ['{}', '[]'],
    ['null', '{}'],
  ] as const) {
    assert.equal(equal(a, b), false)
  }
})

test('measures a text like the whole of it escaped, and stops at the limit', (t) => {
  const whole = (text: string) => {
    const written = JSON.stringify(text)
    const bytes = Buffer.byteLength(written)
    return (bytes === written.length ? bytes : 2 * bytes) + 4 * (written.length - text.length - 2)
  }
  const texts = ['', 'x', '"', '\u0001', 'é', '\u{1f600}', 'x'.repeat(4_096), `${'x'.repeat(4_095)}\u{1f600}y`]
  for (const text of [...texts, 'é"\u{1f600}x'.repeat(3_000)])
    assert.equal(jsonLength(text), whole(text), text.slice(0, 20))
  const write = t.mock.method(JSON, 'stringify')
  assert.ok(isLongerThan('\u0001'.repeat(1_000_000), 1_000_000))
  assert.ok(isLongerThan('x'.repeat(1_000_001), 1_000_000))
  const escaped = write.mock.calls.reduce((sum, call) => sum + String(call.arguments[0]).length, 0)
  assert.ok(escaped < 110_000, `${escaped} characters`)
})

// Tests the CBOR decoder.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  byteKey,
  type CborValue,
  cborBudget,
  decodeCbor,
  isCborArray,
  isCborEmbedded,
  MalformedCbor,
} from '../../src/cbor/cbor.ts'
import { encodeArray, encodeEmbedded } from '../../src/cbor/encode.ts'
import { jsonOf } from '../../src/formats/mdoc/values.ts'
import { cbor, Raw } from './mint-mdoc.ts'

const read: [string, string, CborValue][] = [
  ['small integers', '17', 23],
  ['integers of every width', '8418181901001a000100001b0000000100000000', [24, 256, 65536, 4294967296]],
  ['the largest safe integer', '1b001fffffffffffff', Number.MAX_SAFE_INTEGER],
  ['negative integers', '823903e720', [-1000, -1]],
  ['longer heads than needed', 'b9000161611b0000000000000001', new Map([['a', 1]])],
  ['text in UTF-8', '62c3bc', 'ü'],
  ['false, true and null', '83f4f5f6', [false, true, null]],
  ['floats of every width', '83f93c00fa3fc00000fb3ff8000000000000', [{ float: 1 }, { float: 1.5 }, { float: 1.5 }]],
  ['the smallest half float', 'f90001', { float: 2 ** -24 }],
  [
    'integer keys apart from text keys',
    'a20101613102',
    new Map<string | number, number>([
      [1, 1],
      ['1', 2],
    ]),
  ],
]
for (const [title, hex, value] of read) {
  test(`reads ${title}`, () => assert.deepEqual(decodeCbor(bytes(hex)), value))
}

const refused: [string, string][] = [
  ['nothing at all', ''],
  ['a byte after the end', '0000'],
  ['a truncated integer', '19ff'],
  ['a truncated string', '42aa'],
  ['truncated text', '62c3'],
  ['an array that states more items than follow', '9affffffff'],
  ['an array that states 2^53 items', '9b001fffffffffffff'],
  ['a map that states more items than follow', 'baffffffff'],
  ['a string that states more bytes than follow', '5affffffff'],
  ['an integer beyond 2^53', '1b0020000000000000'],
  ['a negative integer beyond 2^53', '3b0020000000000000'],
  ['an array of indefinite length', '9fff'],
  ['a map of indefinite length', 'bfff'],
  ['a byte string of indefinite length', '5f4100ff'],
  ['a lone break', 'ff'],
  ['a reserved head', '1c'],
  ['undefined', 'f7'],
  ['an unassigned simple value', 'f0'],
  ['a simple value in two bytes', 'f818'],
  ['not-a-number', 'f97e00'],
  ['infinity', 'f97c00'],
  ['infinity in four bytes', 'fa7f800000'],
  ['infinity in eight bytes', 'fbfff0000000000000'],
  ['invalid UTF-8', '61ff'],
  ['an overlong UTF-8 sequence', '62c080'],
  ['a surrogate in UTF-8', '63eda080'],
  ['a map with a key twice', 'a2616101616102'],
  ['a map with a key twice in two encodings', 'a20101180102'],
  ['a map with a byte string as a key', 'a1410100'],
  ['a map with an array as a key', 'a18000'],
  ['a map with a float as a key', 'a1f93c0000'],
  ['a tag without content', 'c0'],
  ['embedded CBOR that is not in bytes', 'd81800'],
]
for (const [title, hex] of refused) {
  test(`refuses ${title}`, () => assert.throws(() => decodeCbor(bytes(hex)), MalformedCbor))
}

test('refuses nesting deeper than sixteen levels without exhausting the stack', () => {
  assert.doesNotThrow(() => decodeCbor(bytes(`${'81'.repeat(16)}00`)))
  assert.throws(() => decodeCbor(bytes(`${'81'.repeat(17)}00`)), MalformedCbor)
  assert.throws(() => decodeCbor(bytes(`${'81'.repeat(1_000_000)}00`)), MalformedCbor)
  assert.throws(() => decodeCbor(bytes(`${'c0'.repeat(100_000)}00`)), MalformedCbor)
})

test('spends one budget over several calls', () => {
  const budget = cborBudget(5)
  decodeCbor(bytes('820000'), budget)
  assert.throws(() => decodeCbor(bytes('820000'), budget), MalformedCbor)
})

test('keeps the bytes of embedded CBOR as received, including its tag', () => {
  const value = decodeCbor(bytes('82d8185900 02 0102 00'.replaceAll(' ', '')))
  assert.ok(isCborArray(value) && isCborEmbedded(value[0]))
  assert.equal(hex(value[0].raw), 'd8185900020102')
  assert.equal(hex(value[0].embedded), '0102')
})

test('does not confuse common names with texts that are similar to them', () => {
  for (const text of ['digestID', 'digestIX', 'xigestID', 'digestI', 'digestID2', 'random', 'rando\u00fc', '']) {
    assert.deepEqual(decodeCbor(encodeArray(text)), [text])
  }
})

test('accepts byte strings as keys only if the caller allows it', () => {
  assert.deepEqual(decodeCbor(bytes('a142abcd00'), cborBudget(), true), new Map([[byteKey(bytes('abcd')), 0]]))
})

test('encodes our own structures in the shortest form', () => {
  const head = (length: number) => hex(encodeArray({ bytes: Buffer.alloc(length) })).slice(2, 12)
  assert.equal(hex(encodeArray(null, 'a', { encoded: bytes('a0') })), '83f66161a0')
  assert.equal(head(23).slice(0, 2), '57')
  assert.equal(head(24).slice(0, 4), '5818')
  assert.equal(head(255).slice(0, 4), '58ff')
  assert.equal(head(256).slice(0, 6), '590100')
  assert.equal(head(65535).slice(0, 6), '59ffff')
  assert.equal(head(65536), '5a00010000')
  assert.equal(hex(encodeEmbedded(bytes('a0'))), 'd81841a0')
  assert.equal(hex(encodeArray('ü€😀')), '8169c3bce282acf09f9880')
  assert.equal(encodeArray('€'.repeat(500)).length, 1 + 3 + 1500)
})

const json: [string, string, unknown][] = [
  ['byte strings as base64url', '43fbffff', '-___'],
  ['dates as their text', 'd903ec6a323032362d30332d3031', '2026-03-01'],
  ['date-times as their text', 'c074323032362d30332d30315431323a30303a30305a', '2026-03-01T12:00:00Z'],
  ['floats', 'f93e00', 1.5],
  ['lists', '82016161', [1, 'a']],
]
for (const [title, encoded, value] of json) {
  test(`returns ${title}`, () => assert.deepEqual(jsonOf(decodeCbor(bytes(encoded))), value))
}

test('returns objects that inherit nothing, so that no name has a special meaning', () => {
  const value = jsonOf(decodeCbor(bytes('a1695f5f70726f746f5f5f01')))
  assert.equal(JSON.stringify(value), '{"__proto__":1}')
  assert.ok(typeof value === 'object' && value !== null)
  for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf']) assert.ok(!(name in value), name)
})

test('refuses values without a plain meaning in JSON', () => {
  for (const encoded of ['c11a00000000', 'c243010000', 'd81841a0', 'c000', 'a10101', '81c101']) {
    assert.throws(() => jsonOf(decodeCbor(bytes(encoded))), MalformedCbor, encoded)
  }
})

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'hex')
}

function hex(value: Uint8Array): string {
  return Buffer.from(value).toString('hex')
}

// Integer keys whose hashes collide can be computed beforehand; 10,000 of them took seconds.
test('a map has at most 512 integer keys, and as many other keys as the budget allows', () => {
  const keys = Array.from({ length: 513 }, (_, key) => key)
  const mapOf = (entries: readonly unknown[]) => cbor(new Map(entries.map((key) => [key, 0])))
  const refusal = { name: 'MalformedCbor', message: /integer keys/ }
  assert.doesNotThrow(() => decodeCbor(mapOf(keys.slice(1))))
  assert.throws(() => decodeCbor(mapOf(keys)), refusal)
  assert.throws(() => decodeCbor(mapOf(keys.map((key) => -1 - key))), refusal)
  assert.throws(() => decodeCbor(mapOf(keys), cborBudget(500_000), true), refusal)
  assert.throws(() => decodeCbor(cbor([{ nested: new Raw(mapOf(keys)) }])), refusal)
  assert.doesNotThrow(() => decodeCbor(mapOf([...keys.slice(1), ...keys.map((key) => `text ${key}`)])))
  const identifiers = keys.map((key) => Buffer.from(String(key)))
  assert.doesNotThrow(() => decodeCbor(mapOf([...keys.slice(1), ...identifiers]), cborBudget(), true))
})

test('a text counts as two items; a name that every document contains counts as one', () => {
  const read = (value: unknown, itemsMax: number) => decodeCbor(cbor(value), cborBudget(itemsMax))
  for (const [value, items] of [
    [[1, 2], 3],
    [['a text', 'another'], 5],
    [{ 'a name': 1 }, 4],
    [{ elementValue: 1 }, 3],
  ] as const) {
    read(value, items)
    assert.throws(() => read(value, items - 1), MalformedCbor)
  }
})

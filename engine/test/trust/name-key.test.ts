// Tests which distinguished names are equal (RFC 5280 §7.1).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameKey } from '../../src/trust/name-key.ts'
import { oid, oids, sequence, tlv } from './mint-certificate.ts'

const UTF8 = 0x0c
const PRINTABLE = 0x13
const TELETEX = 0x14

const attribute = (type: 'CN' | 'C' | 'ST', text: string, tag = UTF8): Uint8Array =>
  sequence(oid(oids[type]), tlv(tag, Buffer.from(text)))
const name = (...levels: readonly (readonly Uint8Array[])[]): Uint8Array =>
  sequence(...levels.map((attributes) => tlv(0x31, ...attributes)))
const named = (text: string, tag = UTF8): Uint8Array => name([attribute('CN', text, tag)])

const SAME: readonly [string, Uint8Array, Uint8Array][] = [
  ['another case', named('Issuing CA'), named('issuing ca')],
  ['another kind of string', named('Issuing CA'), named('Issuing CA', PRINTABLE)],
  ['spaces around and between', named('Issuing CA'), named('  Issuing   CA ')],
  ['a letter that folds to two letters', named('Stra\u00dfe'), named('STRASSE')],
  ['composed and decomposed letters', named('\u00c4mter'), named('a\u0308MTER')],
  ['compatibility forms', named('CA 1'), named('\uff23\uff21 \u2460')],
  [
    'a set in another order',
    name([attribute('CN', 'a'), attribute('ST', 'b')]),
    name([attribute('ST', 'B'), attribute('CN', 'A')]),
  ],
]
for (const [title, left, right] of SAME) {
  test(`names are equal despite ${title}`, () => assert.equal(nameKey(left), nameKey(right)))
}

const long = 'x'.repeat(2000)
const DIFFERENT: readonly [string, Uint8Array, Uint8Array][] = [
  ['another text', named('Issuing CA'), named('Issuing CB')],
  ['no space', named('Issuing CA'), named('IssuingCA')],
  ['another attribute', named('a'), name([attribute('ST', 'a')])],
  [
    'another order of levels',
    name([attribute('C', 'a')], [attribute('CN', 'b')]),
    name([attribute('CN', 'b')], [attribute('C', 'a')]),
  ],
  ['one level more', named('a'), name([attribute('CN', 'a')], [attribute('CN', 'a')])],
  [
    'two levels or one',
    name([attribute('CN', 'a')], [attribute('ST', 'b')]),
    name([attribute('CN', 'a'), attribute('ST', 'b')]),
  ],
  ['a kind of string that is compared by its bytes', named('ab', TELETEX), named('AB', TELETEX)],
  ['bytes that spell a text', named('ab', TELETEX), named('ab')],
  ['characters that cannot be seen', named('a'), named('a\u200b')],
  ['a name too long to prepare', named(long), named(long.toUpperCase())],
  ['a name that cannot be read', sequence(tlv(0x31, Buffer.from('a'))), sequence(tlv(0x31, Buffer.from('A')))],
]
for (const [title, left, right] of DIFFERENT) {
  test(`names differ by ${title}`, () => assert.notEqual(nameKey(left), nameKey(right)))
}

test('a name of any bytes equals itself', () => {
  for (const bytes of [named(long), Buffer.from('3003020101', 'hex'), Buffer.alloc(0), named('a\u0000')]) {
    assert.equal(nameKey(bytes), nameKey(Buffer.from(bytes)))
  }
})

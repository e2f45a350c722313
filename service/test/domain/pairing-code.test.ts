// Tests that pairing codes are uniform, shown in one form, and read in every form that people type.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import {
  hashPairingCode,
  mintPairingCode,
  parsePairingCode,
  showPairingCode,
} from '../../src/features/devices/domain/pairing-code.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))

const FORGIVEN: readonly (readonly [string, string])[] = [
  ['VD-ABCD-EFGH', 'ABCDEFGH'],
  ['vd-abcd-efgh', 'ABCDEFGH'],
  ['VDABCDEFGH', 'ABCDEFGH'],
  ['abcd efgh', 'ABCDEFGH'],
  ['  ABCD–EFGH ', 'ABCDEFGH'],
  ['ABCD—EFGH', 'ABCDEFGH'],
  ['ABCD−EFGH', 'ABCDEFGH'],
  ['V D A B C D E F G H', 'ABCDEFGH'],
  ['ＶＤ－ＡＢＣＤ－ＥＦＧＨ', 'ABCDEFGH'],
  ['VD-O1I0-LLOO', '01101100'],
  ['vd-oiil-lo10', '01111010'],
  // V and D are symbols of the alphabet: a code may begin with them, with the prefix and without.
  ['VDQ4-7H2K', 'VDQ47H2K'],
  ['VD-VDQ4-7H2K', 'VDQ47H2K'],
  ['VDVDQ47H2K', 'VDQ47H2K'],
  ['VD-VDVD-VDVD', 'VDVDVDVD'],
]

for (const [typed, code] of FORGIVEN) {
  test(`reads ${JSON.stringify(typed)}`, () => assert.equal(parsePairingCode(typed), code))
}

const REFUSED = [
  '',
  '-',
  'VD',
  'ABCDEFG',
  'ABCDEFGHJ',
  'VD-ABCD-EFG',
  'VD-ABCD-EFGHJ',
  'VDVD-ABCD-EFGH',
  'XD-ABCD-EFGH',
  'ABCD-EFGU',
  'ABCD-EFG!',
  'ABCD-EFGÄ',
  'ABCDEFG\0',
  'АВСDEFGH', // Cyrillic
]

for (const typed of REFUSED) {
  test(`refuses ${JSON.stringify(typed)}`, () => assert.equal(parsePairingCode(typed), null))
}

test('a shown code can be read back', () => {
  for (let round = 0; round < 1000; round += 1) {
    const code = mintPairingCode(random)
    assert.match(showPairingCode(code), /^VD-[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    assert.equal(parsePairingCode(showPairingCode(code)), code)
    assert.equal(parsePairingCode(code.toLowerCase()), code)
  }
})

test('symbols are uniform over the alphabet without I, L, O and U', () => {
  const counts = new Map<string, number>()
  const codes = 20_000
  for (let round = 0; round < codes; round += 1) {
    for (const symbol of mintPairingCode(random)) counts.set(symbol, (counts.get(symbol) ?? 0) + 1)
  }
  assert.equal([...counts.keys()].sort().join(''), '0123456789ABCDEFGHJKMNPQRSTVWXYZ')
  const expected = (codes * 8) / 32
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  // 31 degrees of freedom: a value above 80 occurs once in 300,000 runs.
  assert.ok(chiSquare < 80, `chi-square ${chiSquare}`)
})

test('the stored hash depends on the pepper', () => {
  const one = hashPairingCode(random(32), 'ABCDEFGH')
  const other = hashPairingCode(random(32), 'ABCDEFGH')
  assert.equal(one.length, 32)
  assert.notDeepEqual(one, other)
})

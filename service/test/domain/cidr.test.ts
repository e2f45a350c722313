// Tests blocks of IP addresses.

import assert from 'node:assert/strict'
import test from 'node:test'
import { addressBytes, contains, parseCidr } from '../../src/platform/cidr.ts'

test('a block contains its addresses and no others', () => {
  const cases: [string, string, boolean][] = [
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['127.0.0.2/32', '127.0.0.2', true],
    ['127.0.0.2/32', '127.0.0.3', false],
    ['0.0.0.0/0', '8.8.8.8', true],
    ['fd00::/8', 'fdff::1', true],
    ['fd00::/8', 'fe80::1', false],
    ['::1', '::1', true],
    ['172.16.0.0/12', '172.31.255.255', true],
    ['172.16.0.0/12', '172.32.0.0', false],
    ['10.0.0.0/8', '::ffff:10.0.0.1', false],
  ]
  for (const [block, address, inside] of cases) {
    const cidr = parseCidr(block)
    const bytes = addressBytes(address)
    assert.ok(cidr !== null && bytes !== null)
    assert.equal(contains(cidr, bytes), inside, `${address} in ${block}`)
  }
})

test('an invalid block is refused', () => {
  for (const text of [
    '',
    '10.0.0.0/33',
    '10.0.0.1/8',
    '10.0/8',
    'fd00::/129',
    '::1/64',
    'localhost',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '0x7f.1',
  ]) {
    assert.equal(parseCidr(text), null, text)
  }
})

test('every spelling of an IPv6 address has one value', () => {
  const same = ['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:0001']
  const [first, ...rest] = same.map((text) => Buffer.from(addressBytes(text) ?? []).toString('hex'))
  assert.equal(first, '00000000000000000000ffff7f000001')
  for (const other of rest) assert.equal(other, first)
  assert.equal(addressBytes('fe80::1%eth0'), null)
})

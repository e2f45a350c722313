// Tests which IP addresses requests may reach.

import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { test } from 'node:test'
import { addressBytes } from '../../src/platform/cidr.ts'
import { classifyAddress, formatAddress } from '../../src/platform/egress/address.ts'
import { REFUSED_RANGES } from '../../src/platform/egress/ranges.ts'
import { isPublic } from './public-oracle.ts'
import { cidrs } from './world.ts'

test('refuses the first and the last address of every row of the table', () => {
  for (const [cidr, reason] of REFUSED_RANGES) {
    const [block] = cidrs(cidr)
    assert.ok(block)
    const last = block.bytes.map((byte, i) => byte | (0xff >> Math.min(8, Math.max(0, block.bits - i * 8))))
    for (const bytes of [block.bytes, last]) {
      const verdict = classifyAddress(bytes)
      assert.equal(verdict.allowed, false, `${cidr}: ${formatAddress(bytes)}`)
      // ::/96 begins with :: itself, which has a narrower row.
      if (cidr !== '::/96') assert.equal(!verdict.allowed && verdict.reason, reason, cidr)
    }
  }
})

test("agrees with Node's own block list on the borders of all ranges and on random addresses", () => {
  const samples: Uint8Array[] = []
  for (const [cidr] of REFUSED_RANGES) {
    const [block] = cidrs(cidr)
    assert.ok(block)
    const first = BigInt(`0x${Buffer.from(block.bytes).toString('hex')}`)
    const size = 1n << BigInt(block.bytes.length * 8 - block.bits)
    for (const value of [first - 1n, first, first + size - 1n, first + size])
      samples.push(bytesOf(value, block.bytes.length))
  }
  for (let i = 0; i < 5000; i += 1) {
    samples.push(crypto.getRandomValues(new Uint8Array(4)))
    const ipv6 = crypto.getRandomValues(new Uint8Array(16))
    ipv6[0] = 0x20 | ((ipv6[0] ?? 0) & 0x1f)
    samples.push(ipv6)
  }
  for (const bytes of samples) assert.equal(classifyAddress(bytes).allowed, isPublic(bytes), formatAddress(bytes))
})

test('refuses what is not an address, by text and by bytes', () => {
  for (const text of [
    '',
    '127.1',
    '0x7f.0.0.1',
    '8.8.8.8 ',
    '8.8.8.08',
    '8.8.8.256',
    'fe80::1%eth0',
    '::1::',
    'example',
  ])
    assert.deepEqual(classifyAddress(text), { allowed: false, reason: 'not_an_address' }, text)
  for (const length of [0, 3, 5, 15, 17])
    assert.deepEqual(classifyAddress(new Uint8Array(length).fill(8)), { allowed: false, reason: 'not_an_address' })
})

test('applies our own addresses before the allow list, and the allow list before the table', () => {
  const lists = { allow: cidrs('10.0.0.0/8'), deny: cidrs('10.0.0.7/32', '93.184.216.34/32') }
  assert.deepEqual(classifyAddress('10.0.0.8', lists), { allowed: true, by: 'allow_list' })
  assert.deepEqual(classifyAddress('10.0.0.7', lists), { allowed: false, reason: 'own_address' })
  assert.deepEqual(classifyAddress('93.184.216.34', lists), { allowed: false, reason: 'own_address' })
  assert.deepEqual(classifyAddress('93.184.216.35', lists), { allowed: true, by: 'public' })
  assert.deepEqual(classifyAddress('11.0.0.1', lists), { allowed: true, by: 'public' })
})

test('an exception for IPv4 does not apply to IPv6 forms of the address', () => {
  const lists = { allow: cidrs('127.0.0.0/8'), deny: [] }
  for (const text of ['::ffff:127.0.0.1', '::127.0.0.1', '64:ff9b::127.0.0.1', '2002:7f00:1::'])
    assert.equal(classifyAddress(text, lists).allowed, false, text)
})

test('writes an address so that it reads back as the same bytes', () => {
  const block = new BlockList()
  for (const text of ['8.8.8.8', '::1', '2606:4700:4700::1111', '::ffff:1.2.3.4', 'ff02::']) {
    const bytes = addressBytes(text)
    assert.ok(bytes)
    assert.deepEqual(addressBytes(formatAddress(bytes)), bytes)
    // And the system's parser agrees.
    const family = bytes.length === 4 ? 'ipv4' : 'ipv6'
    block.addAddress(text, family)
    assert.ok(block.check(formatAddress(bytes), family), text)
  }
})

function bytesOf(value: bigint, length: number): Uint8Array {
  const hex = (value & ((1n << BigInt(length * 8)) - 1n)).toString(16).padStart(length * 2, '0')
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}

// Tests the buckets of addresses: every notation of an address has one bucket, and invalid texts share one.

import assert from 'node:assert/strict'
import test from 'node:test'
import { parseCidr } from '../../src/platform/cidr.ts'
import { addressBucket, isTrustedProxy, senderOf } from '../../src/platform/http/address.ts'
import { ADDRESSES_READ } from '../../src/platform/http/bounds/limits.ts'
import { assertRefused, testService } from '../harness/service.ts'

const cidr = (text: string) => {
  const read = parseCidr(text)
  assert.ok(read !== null)
  return read
}

test('an address is one bucket with and without a port, in every spelling', () => {
  for (const text of ['192.0.2.7', '192.0.2.7:4711', '::ffff:192.0.2.7', '::ffff:c000:207', '[::ffff:192.0.2.7]:1'])
    assert.equal(addressBucket(text), '192.0.2.7', text)
  for (const text of ['2001:db8::7', '2001:DB8:0::7', '[2001:db8::7]:443', '2001:db8:0:0:ffff::1'])
    assert.equal(addressBucket(text), '20010db800000000/64', text)
})

test('all invalid addresses share one bucket', () => {
  const texts = [
    '',
    'unknown',
    '_hidden',
    '192.0.2.7:',
    '192.0.2.7:port',
    '192.0.2.7:123456',
    '300.1.1.1',
    'fe80::1%eth0',
  ]
  for (const text of texts) assert.deepEqual(senderOf(text), ['unknown'], text)
})

test('IPv6 counts by /64, /56 and /48', () => {
  assert.deepEqual(senderOf('2001:db8:a:bcde::1'), ['20010db8000abcde/64', '20010db8000abc/56', '20010db8000a/48'])
  assert.deepEqual(senderOf('192.0.2.7'), ['192.0.2.7'])
})

test('an address keeps its bucket however many others came in between, and so do invalid addresses', () => {
  const long = '7'.repeat(ADDRESSES_READ.lengthMax + 1)
  for (const round of [1, 2, 3]) {
    for (let n = 0; n <= ADDRESSES_READ.most; n += 1) {
      const text = `10.${round}.${n >> 8}.${n & 255}`
      assert.deepEqual(senderOf(text), [text])
    }
    assert.deepEqual(senderOf('2001:db8:a:bcde::1')[2], '20010db8000a/48')
    assert.deepEqual(senderOf(long), ['unknown'])
  }
})

test('a proxy is trusted however its address is written', () => {
  const deps = { config: { trustedProxies: [cidr('192.0.2.0/24')] } }
  assert.ok(isTrustedProxy(deps, '192.0.2.1:443') && isTrustedProxy(deps, '::ffff:c000:201'))
  assert.ok(!isTrustedProxy(deps, '') && !isTrustedProxy(deps, '198.51.100.1:443'))
})

test('a port that a proxy appends to an address gives no additional budget', async () => {
  const LARGE = { perSecond: 1e6, burst: 1e6 }
  const service = await testService({
    rates: {
      key: LARGE,
      tenant: LARGE,
      address: { perSecond: 1, burst: 3 },
      ip: LARGE,
      verification: LARGE,
      enroll: LARGE,
      enrollAll: LARGE,
    },
    trustedProxies: [cidr('192.0.2.0/24')],
  })
  const ask = (forwarded: string) =>
    service.call('GET', '/v1/usage', { from: '192.0.2.1', headers: { 'x-forwarded-for': forwarded } })
  for (const port of [1, 2, 3]) assert.equal((await ask(`203.0.113.5:${port}`)).status, 401)
  assertRefused(await ask('203.0.113.5:4'), 429, 'rate_limit_exceeded')
  assert.equal((await ask('203.0.113.6:4')).status, 401)
})

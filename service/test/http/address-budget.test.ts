// Tests that every route has a budget per address; behind a trusted proxy the client's address counts.

import assert from 'node:assert/strict'
import test from 'node:test'
import { parseCidr } from '../../src/platform/cidr.ts'
import { senderOf } from '../../src/platform/http/address.ts'
import { OPERATOR_BUDGET } from '../../src/platform/http/bounds/limits.ts'
import { createMeter } from '../../src/platform/http/bounds/meter.ts'
import { assertRefused, testService } from '../harness/service.ts'

const LARGE = { perSecond: 1e6, burst: 1e6 }
const proxy = parseCidr('192.0.2.0/24')
assert.ok(proxy !== null)
const service = await testService({
  rates: {
    key: LARGE,
    tenant: LARGE,
    address: { perSecond: 1, burst: 5 },
    ip: LARGE,
    verification: LARGE,
    enroll: LARGE,
    enrollAll: LARGE,
  },
  trustedProxies: [proxy],
})
const { call, clock } = service
const key = await service.key(await service.tenant())

test('all routes together have one budget, unknown routes included', async () => {
  const from = '198.51.100.1'
  const paths = ['/v1/usage', '/nowhere', '/dashboard', '/wallet/request/%zz', '/%ff?x=%']
  for (const path of paths) assert.notEqual((await call('GET', path, { from })).status, 429, path)
  for (const path of paths) {
    const refused = await call('GET', path, { from, key })
    assertRefused(refused, 429, 'rate_limit_exceeded')
    assert.deepEqual([refused.headers['retry-after'], refused.headers.connection], ['1', 'close'])
  }
  assert.equal((await call('GET', '/v1/usage', { from: '198.51.100.2', key })).status, 200)
  clock.advance(1_000)
  assert.equal((await call('GET', '/v1/usage', { from, key })).status, 200)
})

test("the operator's routes have a generous budget of their own", async () => {
  const from = '198.51.100.3'
  const paths = ['/healthz', '/readyz', '/metrics'] as const
  for (let count = 0; count < OPERATOR_BUDGET.burst; count += 1) {
    assert.notEqual((await call('GET', paths[count % 3] ?? '', { from })).status, 429)
  }
  for (const path of paths) assertRefused(await call('GET', path, { from }), 429, 'rate_limit_exceeded')
  assert.equal((await call('GET', '/v1/usage', { from, key })).status, 200)
  assert.equal((await call('GET', '/readyz', { from: '198.51.100.4' })).status, 200)
})

test('requests through a trusted proxy spend the budgets of its clients, and its own probes are never refused', async () => {
  const from = '192.0.2.1'
  const visitor = { from, headers: { 'x-forwarded-for': '203.0.113.50' } }
  for (let count = 0; count < OPERATOR_BUDGET.burst; count += 1) await call('GET', '/healthz', visitor)
  assertRefused(await call('GET', '/healthz', visitor), 429, 'rate_limit_exceeded')
  for (let count = 0; count <= OPERATOR_BUDGET.burst; count += 1) {
    assert.equal((await call('GET', '/healthz', { from })).status, 200)
  }
})

test('a process remembers a limited number of addresses, and evicts the addresses not seen for longest', () => {
  const meter = createMeter({ perSecond: 1, burst: 1 }, 3)
  const isSpent = (address: string) => !meter.check([address], 0).allowed
  for (const address of ['a', 'b', 'c']) meter.spend([address], 0)
  assert.equal(meter.spend(['a'], 0).allowed, false)
  for (const address of ['d', 'e']) meter.spend([address], 0)
  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e'].filter(isSpent),
    ['a', 'd', 'e'],
    'an address that keeps sending is not evicted',
  )
})

test('a company with more networks than the limit does not get its budget back', () => {
  const meter = createMeter({ perSecond: 1, burst: 4 }, 30)
  const spent = Array.from(
    { length: 200 },
    (_, network) => meter.spend(senderOf(`2001:db8:1:${(256 * network).toString(16)}::1`), 0).allowed,
  )
  assert.equal(spent.filter((allowed) => allowed).length, 16)
})

test('the larger networks of an address have twice and four times its budget', () => {
  const meter = createMeter({ perSecond: 1, burst: 2 })
  const spend = (ip: string) => meter.spend(senderOf(ip), 0).allowed
  const spendAll = (ips: readonly string[]) => ips.map(spend)
  assert.deepEqual(spendAll(['2001:db8:1::1', '2001:db8:1::2', '2001:db8:1::3']), [true, true, false], 'a /64')
  assert.deepEqual(spendAll(['2001:db8:1:1::', '2001:db8:1:2::', '2001:db8:1:3::']), [true, true, false], 'a /56')
  assert.deepEqual(
    spendAll(['2001:db8:1:100::', '2001:db8:1:200::', '2001:db8:1:300::', '2001:db8:1:400::', '2001:db8:1:500::']),
    [true, true, true, true, false],
    'a /48',
  )
  assert.equal(spend('2001:db8:2::1'), true)
})

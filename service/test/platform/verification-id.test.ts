// Tests that a verification id names its tenant and day to the installation, and nothing to anyone else.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { newTenantId, randomVerificationId } from '../../src/platform/ids.ts'
import { createSealer } from '../../src/platform/seal/seal.ts'
import { newVerificationId, routeOf } from '../../src/platform/verification-id.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))
const keys = opened()
const NOW = Date.UTC(2026, 10, 18, 23, 59, 59, 999)
const DAY = 20_775
const FORM = /^ver_[0-9A-Za-z]{32}$/

function opened(master = random(32)) {
  const sealer = createSealer(master, random)
  sealer.keep(new Map())
  return sealer
}

const make = (tenantId: string, nowMs = NOW) => newVerificationId(keys, random, { tenantId, nowMs })

test('an id decrypts to its tenant and its day', () => {
  const tenants = [
    'ten_0000000000000000',
    'ten_zzzzzzzzzzzzzzzz',
    ...Array.from({ length: 500 }, () => newTenantId(random)),
  ]
  for (const tenantId of tenants) {
    const id = make(tenantId)
    assert.match(id, FORM)
    assert.deepEqual(routeOf(keys, id), { tenantId, day: DAY })
    assert.deepEqual(routeOf(keys, make(tenantId, NOW + 1)), { tenantId, day: DAY + 1 })
  }
})

test('under another key it decrypts to nothing', () => {
  const other = opened()
  const ids = Array.from({ length: 2_000 }, () => make(newTenantId(random)))
  assert.ok(ids.filter((id) => routeOf(other, id) !== null).length <= 1)
})

test('a random id decrypts to nothing, and neither does one with a changed character', () => {
  const randomIds = Array.from({ length: 2_000 }, () => randomVerificationId(random))
  const id = make(newTenantId(random))
  const changed = Array.from({ length: 32 }, (_, at) => {
    const place = at + 4
    return `${id.slice(0, place)}${id[place] === 'a' ? 'b' : 'a'}${id.slice(place + 1)}`
  })
  assert.ok([...randomIds, ...changed].filter((one) => routeOf(keys, one) !== null).length <= 1)
  for (const none of ['', 'ver_', 'ver_short', `oau_${id.slice(4)}`, `${id}a`]) assert.equal(routeOf(keys, none), null)
})

test('a tenant whose id has another form gets ids without a route', () => {
  for (const tenantId of ['ten_1', 'shop', '']) {
    assert.match(make(tenantId), FORM)
    assert.equal(routeOf(keys, make(tenantId)), null)
  }
})

/** Returns the share of pairs with the same character in the same position, over all pairs and positions. */
function agreement(left: readonly string[], right: readonly string[]): number {
  const places = Array.from({ length: 31 }, (_, at) => at + 5)
  const same = left.reduce((sum, id, at) => sum + places.filter((place) => id[place] === right[at]?.[place]).length, 0)
  return same / (left.length * places.length)
}

test('two ids of one tenant and day have no more in common than two of different ones', () => {
  const count = 4_000
  const tenantId = newTenantId(random)
  const own = Array.from({ length: count }, () => make(tenantId))
  const more = Array.from({ length: count }, () => make(tenantId))
  const others = Array.from({ length: count }, () => make(newTenantId(random), NOW - 86_400_000 * 300))
  assert.equal(new Set([...own, ...more].map((id) => id.slice(0, 26))).size, 2 * count)
  // 124,000 comparisons: five standard deviations are 0.0018.
  for (const found of [agreement(own, more), agreement(own, others)]) assert.ok(Math.abs(found - 1 / 62) < 0.002)
  // The first character has fewer values, because a block has 128 bits; for every tenant with the same probability.
  for (const ids of [own, others]) {
    const firsts = Map.groupBy(ids, (id) => id[4])
    assert.deepEqual([...firsts.keys()].sort(), ['0', '1', '2', '3', '4', '5', '6', '7'])
    for (const place of [5, 12, 20, 25, 26, 35]) {
      const counts = Map.groupBy(ids, (id) => id[place])
      assert.equal(counts.size, 62)
      for (const [character, found] of counts) assert.ok(found.length < 120, `${place} ${character} ${found.length}`)
    }
  }
})

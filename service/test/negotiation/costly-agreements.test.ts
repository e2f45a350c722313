// Tests the limit on large curves: one key per verification until it expires, for a limited number of verifications.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createCostlyAgreements } from '../../src/core/verifications/domain/costly-agreements.ts'
import { instantOf } from '../../src/platform/world.ts'

const NOW = Date.parse('2027-06-15T12:00:00Z')
const AGREED = { epk: { kty: 'EC' }, secret: Buffer.alloc(66, 1) }

function counted(keptMax?: number) {
  let now = NOW
  let count = 0
  const agreements = createCostlyAgreements(() => now, keptMax)
  const agree = () => {
    count += 1
    return AGREED
  }
  const fetchWith = (id: string, thumbprint: string, make: () => typeof AGREED | null = agree) =>
    agreements.of({ id, expiresAt: instantOf(NOW + 60_000) })(thumbprint, make)
  return { fetchWith, agreementCount: () => count, advance: (ms: number) => (now += ms) }
}

test('one key per verification is used, however often it is fetched and whatever other keys wallets send', () => {
  const { fetchWith, agreementCount } = counted()
  assert.equal(fetchWith('ver_a', 'one'), AGREED)
  for (let at = 0; at < 100; at += 1) {
    assert.equal(fetchWith('ver_a', 'one'), AGREED)
    assert.equal(fetchWith('ver_a', `other ${at}`), null)
  }
  assert.equal(agreementCount(), 1)
  assert.equal(fetchWith('ver_b', 'other'), AGREED)
  assert.equal(agreementCount(), 2)
})

test('an invalid key uses up the agreement of its verification', () => {
  const { fetchWith, agreementCount } = counted()
  assert.equal(
    fetchWith('ver_a', 'bad', () => null),
    null,
  )
  assert.equal(fetchWith('ver_a', 'good'), null)
  assert.equal(agreementCount(), 0)
})

test('a limited number of verifications have an agreement at a time; expired verifications free theirs', () => {
  const { fetchWith, agreementCount, advance } = counted(3)
  for (const id of ['ver_a', 'ver_b', 'ver_c']) assert.equal(fetchWith(id, 'k'), AGREED)
  assert.equal(fetchWith('ver_d', 'k'), null)
  assert.equal(agreementCount(), 3)
  advance(60_001)
  assert.equal(fetchWith('ver_d', 'k'), AGREED)
})

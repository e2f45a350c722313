// Tests a bound that senders share: a limit per sender, a total, and a reserve for light senders.

import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { createShares } from '../../src/platform/shares.ts'

test('each sender has its limit; the last part of the total is reserved for light senders', () => {
  const shares = createShares({ each: 3, all: 8, reserve: 2, light: 1 })
  const take = (who: string) => shares.take([who], 1)
  assert.deepEqual([take('a'), take('a'), take('a'), take('a')], ['taken', 'taken', 'taken', 'own_share_spent'])
  assert.deepEqual([take('b'), take('b'), take('b')], ['taken', 'taken', 'taken'])
  assert.equal(take('c'), 'taken', 'from the reserve')
  assert.equal(take('c'), 'all_spent', 'a sender that has taken capacity has no right to the reserve')
  assert.deepEqual([take('d'), take('e')], ['taken', 'all_spent'])
  assert.equal(shares.take(['e'], 0), 'all_spent', 'taking nothing reports whether capacity is left')
  shares.give(['a'], 3)
  assert.deepEqual([take('e'), shares.total()], ['taken', 6])
})

test('for any sequence no sender exceeds its share, and nothing is taken after all is given back', () => {
  const bound = { each: 5, all: 12, reserve: 4, light: 2 }
  const step = fc.record({ who: fc.constantFrom('a', 'b', 'c', 'd', 'e'), amount: fc.integer({ min: 1, max: 3 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const shares = createShares(bound)
      const taken: { who: string; amount: number }[] = []
      for (const { who, amount } of steps) {
        const before = shares.usedBy(who)
        if (shares.take([who], amount) === 'taken') taken.push({ who, amount })
        else assert.equal(shares.usedBy(who), before)
        assert.ok(shares.usedBy(who) <= bound.each && shares.total() <= bound.all)
      }
      for (const { who, amount } of taken) shares.give([who], amount)
      assert.equal(shares.total(), 0)
      for (const { who } of taken) assert.equal(shares.usedBy(who), 0)
    }),
  )
})

test('each wider group of senders may take twice as much, and the widest group decides whether a sender is light', () => {
  const shares = createShares({ each: 2, all: 20, reserve: 13, light: 1 })
  const take = (...who: [string, ...string[]]) => shares.take(who, 1)
  assert.deepEqual([take('a1', 'a', 'A'), take('a1', 'a', 'A')], ['taken', 'taken'])
  assert.equal(take('a1', 'a', 'A'), 'own_share_spent')
  assert.deepEqual([take('a2', 'a', 'A'), take('a3', 'a', 'A')], ['taken', 'taken'])
  assert.equal(take('a4', 'a', 'A'), 'own_share_spent', 'twice the share of one')
  assert.deepEqual([take('b1', 'b', 'A'), take('b2', 'b', 'A')], ['taken', 'taken'])
  shares.note(['x'], 1)
  assert.equal(
    take('c1', 'c', 'A'),
    'all_spent',
    'the sender is new in its narrow groups, but its widest group has taken much',
  )
  assert.equal(take('d1', 'd', 'D'), 'taken', 'from the reserve')
  shares.give(['a1', 'a', 'A'], 2)
  assert.deepEqual([shares.usedBy('a1'), shares.usedBy('a'), shares.usedBy('A'), shares.total()], [0, 2, 4, 6])
})

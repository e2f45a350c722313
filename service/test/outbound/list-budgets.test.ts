// Tests which budget pays for the time that a status list takes to read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS, newBudget } from '@vidimus/engine'
import { PRICES, VERIFICATION } from '@vidimus/engine/limits'
import { createListBudgets } from '../../src/features/trust/outbound/list-budgets.ts'

test('paying for a response that arrived earlier does not turn the clock of a budget back: no second is granted twice', () => {
  const budgets = createListBudgets({ lists: 10, bytes: 1_000_000, items: 1_000_000 })
  const at = (nowMs: number) => ({ owner: 'ten_a', budget: newBudget().lists, nowMs })
  let begun = 0
  for (let second = 0; second < 60; second += 1) {
    if (budgets.begin(at(second * 1000)) === 'begun') begun += 1
    // Every list is read for a response that arrived at the start.
    budgets.spend(at(0), { bytes: 1, items: 1 })
  }
  assert.ok(begun <= 20, `${begun} lists in a minute`)
})

test('the response for which a list is read pays for the list; without budget it reads no further list', () => {
  const budgets = createListBudgets({ lists: 10, bytes: 1e9, items: 1e9 })
  const budget = newBudget()
  const response = { owner: 'ten_a', budget: budget.lists, nowMs: 0 }
  budgets.spend(response, { bytes: LIMITS.unpackedListBytes, items: 1 }, true)
  const price = Math.ceil((LIMITS.unpackedListBytes * VERIFICATION) / PRICES.listBytes)
  assert.equal(budget.work.left, LIMITS.work - price)
  // A response may have one list of that size (`listBytes`), and a third of its work is left for credentials.
  assert.ok(price > 80 * VERIFICATION && price < (LIMITS.work * 2) / 3, `${price}`)
  const poor = newBudget({ left: price - 1 })
  assert.equal(budgets.mayRead({ budget: poor.lists }), true, 'the cost of a list is known when it was read')
  budgets.spend({ ...response, budget: poor.lists }, { bytes: LIMITS.unpackedListBytes, items: 1 }, true)
  assert.equal(poor.work.left, 0)
  poor.lists.bytesLeft = 1
  assert.equal(budgets.mayRead({ budget: poor.lists }), false)
  assert.equal(budgets.begin({ ...response, budget: poor.lists }), 'response')
})

test('a list, also the first, may have no more bytes than what the credentials left can pay for', () => {
  const budgets = createListBudgets({ lists: 10, bytes: 1e9, items: 1e9 })
  const bytesFor = (left: number) => budgets.limitOfNext({ budget: newBudget({ left }).lists }).bytes
  assert.ok(bytesFor(LIMITS.work) > LIMITS.unpackedListBytes)
  const price = Math.ceil((LIMITS.unpackedListBytes * VERIFICATION) / PRICES.listBytes)
  assert.ok(bytesFor(price) >= LIMITS.unpackedListBytes)
  assert.ok(bytesFor(price - 1) < LIMITS.unpackedListBytes)
  assert.equal(bytesFor(0), 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newBudget } from '@vidimus/engine'
import { createListBudgets } from '../../src/features/trust/outbound/list-budgets.ts'

test('a list that took seconds earns nothing: the time of a response that came earlier grants no second twice', () => {
  const budgets = createListBudgets({ lists: 10, bytes: 1_000_000, items: 1_000_000 })
  const at = (nowMs: number) => ({ owner: 'ten_a', budget: newBudget().lists, nowMs })
  let begun = 0
  for (let second = 0; second < 60; second += 1) {
    if (budgets.begin(at(second * 1000)) === 'begun') begun += 1
    // Read for a response that arrived at the start.
    budgets.spend(at(0), { bytes: 1, items: 1 })
  }
  assert.ok(begun <= 20, `${begun} lists in a minute`)
})

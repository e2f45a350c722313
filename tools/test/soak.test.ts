// How a soak judges: the parts of it that need no hours.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { growthOf, owedWebhooks } from '../soak/conclude.ts'
import { createLedger } from '../soak/ledger.ts'
import type { Receiver } from '../soak/receiver.ts'

const samples = (values: number[]) => ({ name: 'memory', values, slack: 10 })

describe('growth', () => {
  it('is seen where the end is above the beginning', () => {
    assert.match(growthOf(samples(Array.from({ length: 100 }, (_, i) => 100 + i * 2))) ?? '', /memory grew from 1\d\d/)
  })

  it('is not seen in noise, in a warm-up, or in a single peak', () => {
    assert.equal(growthOf(samples(Array.from({ length: 100 }, (_, i) => 100 + (i % 7) * 3))), null)
    assert.equal(growthOf(samples(Array.from({ length: 100 }, (_, i) => Math.min(200, 20 * i)))), null)
    assert.equal(growthOf(samples(Array.from({ length: 100 }, (_, i) => (i === 97 ? 900 : 100)))), null)
  })

  it('is not told from too few samples', () => {
    assert.equal(growthOf(samples([1, 2, 300, 4000])), null)
  })
})

it('a webhook is owed for what has ended, asked for one, and was neither erased nor acknowledged', () => {
  const ledger = createLedger()
  const entry = { tenant: 't', expected: 'completed', hasWebhook: true, erased: false } as const
  ledger.entries.set('owed', { ...entry, id: 'owed' })
  ledger.entries.set('had', { ...entry, id: 'had' })
  ledger.entries.set('erased', { ...entry, id: 'erased', erased: true })
  ledger.entries.set('pending', { ...entry, id: 'pending', expected: 'pending' })
  ledger.entries.set('unasked', { ...entry, id: 'unasked', hasWebhook: false })
  const receiver = { acknowledged: new Map([['had', 1]]) } as unknown as Receiver
  assert.deepEqual(owedWebhooks(ledger, receiver), ['owed'])
})

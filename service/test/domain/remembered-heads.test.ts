// Tests that a remembered head of a chain is used only if this process was recently the only writer.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { HeadWithMac } from '../../src/features/audit/domain/head-macs.ts'
import { createRememberedHeads } from '../../src/features/audit/domain/remembered-heads.ts'

const REALM = { tenantId: 'ten_a', environment: 'test' } as const
const OTHER = { tenantId: 'ten_a', environment: 'live' } as const

const headOf = (seq: number, more: Partial<HeadWithMac> = {}): HeadWithMac => ({
  seq,
  hash: Buffer.alloc(32, seq),
  at: '2027-06-15T12:00:00.000000Z',
  mac: Buffer.alloc(32, seq + 1),
  ...more,
})

/** Appends under the lock, like a batch that has read the chain's head. */
function append(heads: ReturnType<typeof createRememberedHeads>, seq: number): void {
  heads.compare(REALM, headOf(seq))
  heads.remember(REALM, headOf(seq + 1))
}

test('a remembered head is used only after it was right twice in a row, and only for its own chain', () => {
  const heads = createRememberedHeads()
  append(heads, 1)
  assert.equal(heads.recall(REALM), null)
  append(heads, 2)
  assert.equal(heads.recall(REALM), null)
  append(heads, 3)
  assert.equal(heads.recall(REALM)?.seq, 4)
  assert.equal(heads.recall(OTHER), null)
  heads.remember(REALM, headOf(9))
  assert.equal(heads.recall(REALM)?.seq, 9, 'a head that was written with a remembered one is remembered as well')
})

test('after another writer, or after a wrong head, the head must be right twice again', () => {
  const heads = createRememberedHeads()
  for (const seq of [1, 2, 3]) append(heads, seq)
  append(heads, 17)
  assert.equal(heads.recall(REALM), null)
  append(heads, 18)
  assert.equal(heads.recall(REALM), null)
  append(heads, 19)
  assert.equal(heads.recall(REALM)?.seq, 20)
  heads.forget(REALM)
  assert.equal(heads.recall(REALM), null)
})

test('a head differs if its hash, its time or its MAC differs, or if it has lost its MAC', () => {
  for (const more of [
    { hash: Buffer.alloc(32, 9) },
    { at: '2027-06-15T12:00:00.000001Z' },
    { mac: Buffer.alloc(32, 9) },
    { mac: null },
  ]) {
    const heads = createRememberedHeads()
    for (const seq of [1, 2, 3]) append(heads, seq)
    heads.compare(REALM, headOf(4, more))
    assert.equal(heads.recall(REALM), null, JSON.stringify(Object.keys(more)))
  }
})

test('only the newest ten thousand heads are remembered', () => {
  const heads = createRememberedHeads()
  const realms = Array.from({ length: 10_001 }, (_, i) => ({ tenantId: `ten_${i}`, environment: 'test' }) as const)
  for (const realm of realms)
    for (const seq of [1, 2, 3]) {
      heads.compare(realm, headOf(seq))
      heads.remember(realm, headOf(seq + 1))
    }
  const [first, second] = realms
  assert.ok(first !== undefined && second !== undefined)
  assert.equal(heads.recall(first), null)
  assert.equal(heads.recall(second)?.seq, 4)
})

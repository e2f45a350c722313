// Tests the batcher: which items share a batch, and in which order batches run.

import assert from 'node:assert/strict'
import test from 'node:test'
import { type BatchJob, createBatcher } from '../../../src/platform/event-loop/batch.ts'
import { waitUntil } from '../../harness/wait.ts'

interface Log {
  readonly batches: string[]
  /** Functions that end the running batches. */
  readonly ends: (() => void)[]
}

function testJob(log: Log, more: Partial<BatchJob<Log, string, string>> = {}): BatchJob<Log, string, string> {
  return {
    itemsMax: 3,
    ...more,
    async run(_, items) {
      log.batches.push(items.join(' '))
      await new Promise<void>((resolve) => void log.ends.push(resolve))
      return items
    },
  }
}

const newLog = (): Log => ({ batches: [], ends: [] })

/** Lets every batch end, until all items have their results. */
async function finish(log: Log, all: Promise<unknown>): Promise<void> {
  let isDone = false
  const done = all.then(() => {
    isDone = true
  })
  await waitUntil('all have their results', () => {
    log.ends.shift()?.()
    return isDone
  })
  await done
}

test('if more items wait than a batch takes, every owner’s first goes before any owner’s second', async () => {
  const log = newLog()
  const batcher = createBatcher()
  const fair = testJob(log, { ownerOf: (item) => item[0] ?? '' })
  const items = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']
  const all = Promise.all(items.map((item) => batcher.add(fair, log, { lane: 'all', item })))
  await finish(log, all)
  assert.deepEqual(log.batches, ['a1 b1 c1', 'a2 a3 b2', 'a4'])
  assert.deepEqual(await all, items, 'each has its own result')
})

test('items with many bytes do not share a batch, and smaller ones do not wait for them', async () => {
  const log = newLog()
  const batcher = createBatcher()
  const bytes = { most: 10, of: (item: string) => Number(item.slice(1)) }
  const items = ['a9', 'a8', 'a0', 'b3', 'c1', 'd99', 'b7']
  for (const job of [testJob(log, { itemsMax: 5, bytes, ownerOf: (item) => item[0] ?? '' }), testJob(log, { bytes })]) {
    const all = Promise.all(items.map((item) => batcher.add(job, log, { lane: 'all', item })))
    await finish(log, all)
    assert.deepEqual(await all, items, 'each has its own result')
  }
  assert.deepEqual(log.batches, ['a9 a0 c1', 'a8', 'b3 b7', 'd99', 'a9 a0 c1', 'a8', 'b3 b7', 'd99'])
})

test('items of the same turn of the event loop share a batch, and none waits for the next turn', async () => {
  const log = newLog()
  const batcher = createBatcher()
  const together = testJob(log)
  const added = [batcher.add(together, log, { lane: 'all', item: 'a' })]
  // Works like requests whose bodies need a few more promise steps.
  await Promise.resolve().then(() => undefined)
  added.push(batcher.add(together, log, { lane: 'all', item: 'b' }))
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(log.batches, ['a b'])
  added.push(batcher.add(together, log, { lane: 'all', item: 'c' }))
  await finish(log, Promise.all(added))
  assert.deepEqual(log.batches, ['a b', 'c'])
})

test('jobs with the same mutex key never run at once in a lane; items that arrive in between join the waiting batch', async () => {
  const log = newLog()
  const batcher = createBatcher()
  const [first, second] = [testJob(log, { mutexKey: 'rows' }), testJob(log, { mutexKey: 'rows' })]
  const added = [
    batcher.add(first, log, { lane: 'one', item: 'a' }),
    batcher.add(second, log, { lane: 'one', item: 'b' }),
    batcher.add(second, log, { lane: 'other', item: 'elsewhere' }),
  ]
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(log.batches, ['a', 'elsewhere'], 'b waits for the mutex')
  assert.ok(batcher.isBusy('rows', 'one'))
  added.push(batcher.add(second, log, { lane: 'one', item: 'c' }))
  await finish(log, Promise.all(added))
  assert.deepEqual(log.batches, ['a', 'elsewhere', 'b c'])
  assert.ok(!batcher.isBusy('rows', 'one'))
})

test('a batch that fails releases its mutex', async () => {
  const log = newLog()
  const batcher = createBatcher()
  const failing: BatchJob<Log, string, string> = {
    itemsMax: 3,
    mutexKey: 'rows',
    run: () => Promise.reject(new Error('no')),
  }
  const failed = batcher.add(failing, log, { lane: 'one', item: 'a' })
  const next = batcher.add(testJob(log, { mutexKey: 'rows' }), log, { lane: 'one', item: 'b' })
  await assert.rejects(failed, /no/)
  await finish(log, next)
  assert.equal(await next, 'b')
})

// Tests that long work of many callers is divided among turns of the event loop, and that owners take turns.

import assert from 'node:assert/strict'
import test from 'node:test'
import { fastify } from 'fastify'
import { createBatcher } from '../../../src/platform/event-loop/batch.ts'
import { inTurn, inTurnIfLong } from '../../../src/platform/event-loop/in-turn.ts'
import { addBodyParsers } from '../../../src/platform/http/body.ts'
import { withTurns } from '../../harness/event-loop.ts'

/** What a caller does right away may itself consist of many steps. */
async function deep(levels: number): Promise<void> {
  if (levels > 0) await deep(levels - 1)
}

test('while a turn has time, callers share it; after that, each has the next', async (t) => {
  const turnsOf = async (stepMs: number) => {
    const turns: number[] = []
    await withTurns(t, stepMs, (turn) =>
      Promise.all(
        Array.from({ length: 8 }, async () => {
          await inTurn('one')
          await deep(20)
          turns.push(turn())
        }),
      ),
    )
    assert.equal(turns.length, 8)
    return new Set(turns).size
  }
  assert.equal(await turnsOf(0), 1, 'short work')
  assert.equal(await turnsOf(10), 8, 'long work')
  assert.equal(await turnsOf(1), 2, 'a turn begins work for 4 ms')
})

test('owners take turns: a crowd of one delays another by one piece of work', async (t) => {
  const order: string[] = []
  const call = async (owner: string) => {
    await inTurn(owner)
    order.push(owner)
  }
  await withTurns(t, 10, () => Promise.all(['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(call)))
  assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'a', 'a'])
})

test('short work does not wait', async (t) => {
  const order: string[] = []
  const call = async (bytes: number | undefined) => {
    await inTurnIfLong('one', bytes)
    order.push(String(bytes))
  }
  await withTurns(t, 10, () => Promise.all([9_000, undefined, 1_023, 1_024].map(call)))
  assert.deepEqual(order, ['undefined', '1023', '9000', '1024'])
})

test('those whose batch ends continue in several turns, if what they do is long; results and errors reach each', async (t) => {
  const batcher = createBatcher()
  const job = { itemsMax: 64, run: async (_: null, items: readonly number[]) => items.map((item) => item * 2) }
  const turns: number[] = []
  await withTurns(t, 10, (turn) =>
    Promise.all(
      Array.from({ length: 6 }, async (_, item) => {
        assert.equal(await batcher.add(job, null, { lane: 'all', item }), item * 2)
        await deep(20)
        turns.push(turn())
      }),
    ),
  )
  assert.equal(new Set(turns).size, 6)
  const failing = { itemsMax: 64, run: (): Promise<never> => Promise.reject(new Error('away')) }
  const all = [1, 2].map((item) => batcher.add(failing, null, { lane: 'all', item }))
  for (const one of await Promise.allSettled(all)) assert.equal(one.status, 'rejected')
})

test('long JSON bodies are parsed in several turns', async (t) => {
  const app = fastify()
  addBodyParsers(app)
  const turnsOf = async (length: number) => {
    const turns: number[] = []
    await withTurns(t, 10, async (turn) => {
      const post = t.mock.method(TextDecoder.prototype, 'decode', function (this: TextDecoder, bytes: Uint8Array) {
        turns.push(turn())
        return Buffer.from(bytes).toString('utf8')
      })
      const payload = { text: 'x'.repeat(length) }
      await Promise.all(Array.from({ length: 6 }, () => app.inject({ method: 'POST', url: '/', payload })))
      post.mock.restore()
    })
    assert.equal(turns.length, 6)
    return new Set(turns).size
  }
  app.post('/', async () => '')
  assert.equal(await turnsOf(9_000), 6)
  assert.ok((await turnsOf(10)) < 6)
})

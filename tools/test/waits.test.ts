// Tests that waits end, and report what did not happen.

import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { once, waitUntil, within } from '../../service/test/harness/wait.ts'

test("waitUntil ends when the condition holds, and fails with the condition's name after its time", async () => {
  await assert.rejects(
    waitUntil('the moon is square', () => false, 50),
    { message: 'waited 0.05 s until the moon is square' },
  )
  let looks = 0
  await waitUntil('it was looked at often', async () => ++looks > 25)
  assert.equal(looks, 26)
})

test("within fails with the promise's name after its time, and with the promise's own error if it rejects", async () => {
  const never = new Promise<never>(() => undefined)
  await assert.rejects(within('pigs fly', never, 50), { message: 'waited 0.05 s until pigs fly' })
  await assert.rejects(within('pigs fly', Promise.reject(new Error('no wings')), 50), /no wings/)
  assert.equal(await within('it is there', Promise.resolve(7)), 7)
})

test("once fails with the event's name after its time, and with the emitter's own error if it emits one", async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const emitter = new EventEmitter()
  const silent = once(emitter, 'exit')
  t.mock.timers.tick(120_000)
  await assert.rejects(silent, { message: 'waited 120 s for "exit" of EventEmitter' })
  assert.equal(emitter.listenerCount('exit'), 0)
  const broken = once(emitter, 'exit')
  emitter.emit('error', new Error('broken'))
  await assert.rejects(broken, { message: 'broken' })
  const good = once(emitter, 'exit')
  emitter.emit('exit', 0, null)
  assert.deepEqual(await good, [0, null])
})

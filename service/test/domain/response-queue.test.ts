// Tests that responses of one verification run one at a time, in order, and that a limited number of them wait.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createResponseQueue } from '../../src/core/verifications/usecases/answering/conclude-response.ts'

function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { open: () => resolve(), opened: promise }
}

test('a limited number of responses wait behind the running one; a further response is refused and does not run', async () => {
  const queue = createResponseQueue(() => () => undefined, 2)
  const { open, opened } = gate()
  const ran: string[] = []
  const work = (name: string) => async (waited: boolean) => {
    await opened
    ran.push(`${name} ${waited}`)
    return name
  }
  const all = ['first', 'second', 'third', 'fourth', 'fifth'].map((name) => queue.take('one', work(name)))
  assert.deepEqual([await all[3], await all[4]], [null, null])
  assert.deepEqual(ran, [])
  open()
  assert.deepEqual(await Promise.all(all), [{ value: 'first' }, { value: 'second' }, { value: 'third' }, null, null])
  assert.deepEqual(ran, ['first false', 'second true', 'third true'])
})

test('other verifications do not wait, and a finished verification starts over', async () => {
  const queue = createResponseQueue(() => () => undefined, 0)
  const { open, opened } = gate()
  const waiting = queue.take('one', () => opened)
  assert.deepEqual(await queue.take('other', async (waited) => waited), { value: false })
  assert.equal(await queue.take('one', async () => 'never'), null)
  open()
  await waiting
  assert.deepEqual(await queue.take('one', async (waited) => waited), { value: false })
})

test('a failure affects only its own response', async () => {
  const queue = createResponseQueue(() => () => undefined, 1)
  const { open, opened } = gate()
  const failing = queue.take('one', async () => {
    await opened
    throw new Error('its own')
  })
  const next = queue.take('one', async () => 'done')
  open()
  await assert.rejects(failing, /its own/)
  assert.deepEqual(await next, { value: 'done' })
})

test('recently ended verifications are remembered, the oldest forgotten first', () => {
  const queue = createResponseQueue(() => () => undefined, 0, 2)
  for (const id of ['a', 'b', 'c']) queue.noteEnded(id)
  assert.deepEqual(
    ['a', 'b', 'c'].map((id) => queue.hasEnded(id)),
    [false, true, true],
  )
})

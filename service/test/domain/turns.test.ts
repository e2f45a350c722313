// So many at once, so many waiting, in the order they came.

import assert from 'node:assert/strict'
import test from 'node:test'
import { HASHES, isPassword } from '../../src/domain/staff/password.ts'
import { createTurns } from '../../src/domain/turns.ts'

test('two run, two wait, the fifth is turned away, and turns are in order even where work fails', async () => {
  const turns = createTurns({ atOnce: 2, waiting: 2 })
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const began: number[] = []
  const started = gates.map(({ promise }, at) =>
    turns.take(async () => {
      began.push(at)
      await promise
    }),
  )
  assert.equal(
    turns.take(async () => undefined),
    null,
  )
  assert.deepEqual(began, [0, 1])
  gates[1]?.reject(new Error('failed'))
  await assert.rejects(started[1] ?? Promise.resolve(), /failed/)
  assert.deepEqual(began, [0, 1, 2])
  for (const at of [0, 2, 3]) gates[at]?.resolve()
  await Promise.all([started[0], started[2], started[3]])
  assert.deepEqual(began, [0, 1, 2, 3])
  assert.equal(await turns.take(async () => 'free again'), 'free again')
})

test('passwords beyond those that may wait are refused at once, and everybody who waits is answered', async () => {
  const room = HASHES.atOnce + HASHES.waiting
  const answers = await Promise.allSettled(Array.from({ length: room + 3 }, () => isPassword('a password', null)))
  const refused = answers.filter((answer) => answer.status === 'rejected')
  assert.deepEqual(
    refused.map(({ reason }) => reason.code),
    ['unavailable', 'unavailable', 'unavailable'],
  )
  assert.equal(await isPassword('a password', null), false)
})

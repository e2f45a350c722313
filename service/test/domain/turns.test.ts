// Tests that a limited number of jobs run at once, a limited number wait, and they start in order of arrival.

import assert from 'node:assert/strict'
import test from 'node:test'
import { HASHES, isPassword } from '../../src/features/staff/domain/password.ts'
import type { Sender } from '../../src/platform/shares.ts'
import { createTurns } from '../../src/platform/turns.ts'

test('two jobs run, two wait, the fifth is refused, and the order is kept even if one fails', async () => {
  const turns = createTurns({ atOnce: 2, waiting: { each: 2, all: 2, reserve: 0, light: 0 } })
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const began: number[] = []
  const started = gates.map(({ promise }, at) =>
    turns.take(['a'], async () => {
      began.push(at)
      await promise
    }),
  )
  assert.equal(
    turns.take(['a'], async () => undefined),
    null,
  )
  assert.deepEqual(began, [0, 1])
  gates[1]?.reject(new Error('failed'))
  await assert.rejects(started[1] ?? Promise.resolve(), /failed/)
  assert.deepEqual(began, [0, 1, 2])
  for (const at of [0, 2, 3]) gates[at]?.resolve()
  await Promise.all([started[0], started[2], started[3]])
  assert.deepEqual(began, [0, 1, 2, 3])
  assert.equal(await turns.take(['a'], async () => 'free again'), 'free again')
})

test('passwords beyond the queue are refused immediately, and all that wait are checked', async () => {
  const capacity = HASHES.atOnce + HASHES.waiting.all
  const answers = await Promise.allSettled(
    Array.from({ length: capacity + 3 }, (_, at) => isPassword('a password', null, [`sender ${at}`])),
  )
  const refused = answers.filter((answer) => answer.status === 'rejected')
  assert.deepEqual(
    refused.map(({ reason }) => reason.code),
    ['unavailable', 'unavailable', 'unavailable'],
  )
  assert.equal(await isPassword('a password', null, ['a']), false)
})

test('a company with 65,536 networks does not fill the queue: passwords of others are still checked', async () => {
  const { each, all, reserve } = HASHES.waiting
  const company = (at: number): Sender => [`${at}/64`, `${at >> 4}/56`, 'company/48']
  const answers = Promise.allSettled(
    Array.from({ length: all * 2 }, (_, at) => isPassword('a password', null, company(at))),
  )
  const honest = await Promise.all(
    Array.from({ length: reserve }, (_, at) => isPassword('a password', null, [`somebody ${at}`])),
  )
  assert.deepEqual(honest, new Array(reserve).fill(false))
  const taken = (await answers).filter((answer) => answer.status === 'fulfilled').length
  assert.equal(taken, HASHES.atOnce + all - reserve)
  const alone = await Promise.allSettled(
    Array.from({ length: all }, () => isPassword('a password', null, ['one address'])),
  )
  assert.equal(alone.filter((answer) => answer.status === 'fulfilled').length, HASHES.atOnce + each)
})

// Tests that CPU time of child processes counts once, whether they run, have ended, or ended without being waited for.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { it } from 'node:test'
import { endOf, waitUntil } from '../../service/test/harness/wait.ts'
import { createMeter, listMostExpensive } from '../suite/processor.ts'

type Seen = Parameters<typeof createMeter>[0] extends (() => infer Processes) | undefined ? Processes : never

const process1 = (parent: number, own: number, ended = 0) => ({ parent, own, ended })

/** Returns the meter's result for these samples. */
function count(looks: readonly Seen[], nameAt: (look: number) => string) {
  let look = 0
  const meter = createMeter(() => looks[look] ?? assert.fail('one look too many'))
  for (; look < looks.length; look += 1) {
    meter.watch(10, () => nameAt(look))
    meter.leave(10)
  }
  meter.stop()
  return Object.fromEntries(meter.seconds)
}

it('counts the time of a process and its children for the file that runs at the sample', () => {
  const looks = [
    new Map([
      [10, process1(1, 2)],
      [11, process1(10, 1)],
      [99, process1(1, 50)],
    ]),
    new Map([
      [10, process1(1, 3)],
      [11, process1(10, 5)],
      [99, process1(1, 60)],
    ]),
  ]
  assert.deepEqual(
    count(looks, (look) => `file ${look}`),
    { 'file 0': 3, 'file 1': 5 },
  )
})

it('counts an ended child once, including the time that only its parent reports', () => {
  const looks = [
    new Map([
      [10, process1(1, 0)],
      [11, process1(10, 4)],
    ]),
    new Map([[10, process1(1, 0, 4.5)]]),
  ]
  assert.deepEqual(
    count(looks, () => 'file'),
    { file: 4.5 },
  )
})

it('counts a child once that ended together with its own child', () => {
  const looks = [
    new Map([
      [10, process1(1, 0)],
      [11, process1(10, 4)],
      [12, process1(11, 6, 1)],
    ]),
    new Map([[10, process1(1, 0, 11.5)]]),
  ]
  assert.deepEqual(
    count(looks, () => 'file'),
    { file: 11.5 },
  )
})

it('keeps the time of a child that its parent never waited for', () => {
  const looks = [
    new Map([
      [10, process1(1, 1)],
      [11, process1(10, 4)],
    ]),
    new Map([[10, process1(1, 2)]]),
  ]
  assert.deepEqual(
    count(looks, () => 'file'),
    { file: 6 },
  )
})

it('counts a watched process, and no other', async (t) => {
  const meter = createMeter()
  t.after(() => meter.stop())
  const child = spawn(process.execPath, ['-e', 'for (;;) ;'])
  t.after(() => child.kill('SIGKILL'))
  const pid = child.pid ?? assert.fail('it did not start')
  meter.watch(pid, () => 'busy')
  await waitUntil('a second was counted', () => (meter.seconds.get('busy') ?? 0) >= 1)
  child.kill('SIGKILL')
  await endOf(child)
  assert.deepEqual([...meter.seconds.keys()], ['busy'])
})

it('lists the most expensive files first, and prints no table for a few files', () => {
  const seconds = new Map(Array.from({ length: 40 }, (_, n) => [`file ${n}`, n] as const))
  const [head, first, ...rest] = listMostExpensive(seconds)
  assert.match(head ?? '', /: 780 in 40 files/)
  assert.deepEqual([first, rest.length], ['   39.0  file 39', 29])
  assert.deepEqual(listMostExpensive(new Map([['one', 1]])), [])
})

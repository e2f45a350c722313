// Tests that one witness runs per folder: of several starts one continues, whatever lock an earlier one left.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import {
  type ProcessWorld,
  takeWitnessLock,
  WitnessFolderTaken,
} from '../../src/features/transparency/store/witness-lock.ts'
import { processOf } from '../../src/platform/running-process.ts'

const newFolder = () => mkdtemp(join(tmpdir(), 'vidimus-witness-'))

/** Simulates a machine that runs only these processes. */
const machine = (...running: number[]): ((pid: number, begin?: string) => ProcessWorld) => {
  return (pid, begin = 'then') => ({
    self: { pid, begin },
    processOf: (requested) => (running.includes(requested) ? { pid: requested, begin: 'then' } : null),
  })
}

async function start(folder: string, world: ProcessWorld) {
  try {
    return await takeWitnessLock(folder, world)
  } catch (error) {
    assert.ok(error instanceof WitnessFolderTaken, String(error))
    return null
  }
}

const STARTS = Array.from({ length: 12 }, (_, at) => 101 + at)

for (const [left, name, text] of [
  ['none', null, ''],
  ['the lock of a process that ended', 'lock.7', '99 then'],
  ['the lock of an earlier release', 'lock', '99'],
  ['the lock of a process whose id another process has now', 'lock.7', '101 before'],
] as const)
  test(`of a dozen simultaneous starts one continues; the lock before: ${left}`, async () => {
    const folder = await newFolder()
    if (name !== null) await writeFile(join(folder, name), text)
    const on = machine(...STARTS)
    const started = await Promise.all(STARTS.map((pid) => start(folder, on(pid))))
    const [release, ...more] = started.filter((one) => one !== null)
    assert.ok(release !== undefined)
    assert.equal(more.length, 0)
    assert.equal((await readdir(folder)).length, 1, 'the lock alone is left')
    // Later starts: none while it runs, and once it ends the next.
    assert.equal(await start(folder, on(101)), null)
    await release()
    assert.notEqual(await start(folder, on(112)), null)
    assert.equal(await start(folder, on(103)), null)
  })

test('of starts while others end, never two run at once', async () => {
  const folder = await newFolder()
  const on = machine(...STARTS)
  let running = 0
  let runs = 0
  const live = async (pid: number) => {
    for (let tries = 0; tries < 20; tries += 1) {
      const release = await start(folder, on(pid))
      if (release === null) continue
      running += 1
      runs += 1
      assert.equal(running, 1)
      await readdir(folder)
      running -= 1
      await release()
    }
  }
  await Promise.all(STARTS.map(live))
  assert.ok(runs > 0)
})

test('never takes a lock that no witness wrote; without a start time only the process id counts', async () => {
  const folder = await newFolder()
  await writeFile(join(folder, 'lock.3'), '')
  assert.equal(await start(folder, machine(1)(1)), null)
  await writeFile(join(folder, 'lock.3'), '5')
  assert.equal(await start(folder, machine(5, 6)(6)), null)
  // In a container every start has the same pid, so a lock with the own pid is of an earlier start.
  assert.notEqual(await start(folder, machine(5)(5, '')), null)
})

test('a process is distinguished from another with the same id by its start time', () => {
  const self = processOf(process.pid)
  assert.deepEqual(self, processOf(process.pid))
  assert.equal(self?.pid, process.pid)
  if (process.platform === 'linux') assert.match(self?.begin ?? '', /^[0-9a-f-]{36}\.\d+$/)
  assert.notDeepEqual(self?.begin, processOf(process.ppid)?.begin)
  assert.equal(processOf(2 ** 30), null)
})

// Tests that a process never remembers a smaller log, or a different one of the same size.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { compareLog, type LogInStore } from '../../src/features/transparency/domain/log/seen-log.ts'
import { createLogMemory, loadLogInStore, markChecked } from '../../src/features/transparency/store/log-memory.ts'
import { readSeenLog, writeSeenLog } from '../../src/features/transparency/store/seen-file.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { openDb } from '../../src/platform/postgres/db.ts'
import { StoreRefused } from '../../src/platform/store-unavailable.ts'
import { testSealer } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'

const service = await testService()
const { db } = service.deps
const run = (name: string, text: string) => db.query({ name: `test_${name}`, text })
const grow = async () => {
  await service.tenant()
  await growLog(service.deps)
}
const refused = (why: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StoreRefused && error.refusal === 'set_back', String(error))
  assert.match(error.message, why)
  return true
}

test('a log may grow; a smaller log, another log of the same size and a fork below a larger log are refused', async () => {
  await grow()
  const memory = createLogMemory(null)
  await memory.check(db)
  await grow()
  await memory.check(db)
  await run('keep', 'create table kept as table log_heads')
  await run('keep_tiles', 'create table kept_tiles as table log_tiles')
  const undo = async () => {
    await run('drop_heads', 'delete from log_heads')
    await run('undo_heads', 'insert into log_heads select * from kept')
    await run('drop_tiles', 'delete from log_tiles')
    await run('undo_tiles', 'insert into log_tiles select * from kept_tiles')
  }

  await run('smaller', 'update log_heads set size = size - 1')
  await assert.rejects(memory.check(db), refused(/had \d+ leaves and has \d+: the store was rolled back/))
  // From now on the store itself reports it to every caller.
  await assert.rejects(createLogMemory(null).check(db), refused(/was rolled back/))
  await undo()
  await memory.check(db)

  const other = `update log_heads set note = replace(note, split_part(note, E'\\n', 3), '${'A'.repeat(43)}=')`
  await run('other_root', other)
  await assert.rejects(memory.check(db), refused(/not the one that was seen/))
  await undo()

  await run('no_note', 'update log_heads set note = null')
  await assert.rejects(
    memory.check(db),
    refused(/not the one that was seen/),
    'a missing checkpoint does not count as the same log',
  )
  await undo()

  await run('fork', `update log_tiles set bytes = set_byte(bytes, 3, (get_byte(bytes, 3) + 1) % 256) where level = 0`)
  await run('fork_head', 'update log_heads set size = size + 1')
  await assert.rejects(memory.check(db), refused(/differ from those that were seen/))
  await undo()
  await memory.check(db)
})

test('every fresh connection is checked, and all are dropped when the store is refused', async () => {
  const memory = createLogMemory(null)
  const own = await openDb({ connection: { url: service.url }, sealer: testSealer(), poolMax: 3, admit: memory.admit })
  try {
    const one = { name: 'one', text: 'select 1 as one' }
    await own.query(one)
    await run('smaller_again', 'update log_heads set size = size - 1')
    const error = await memory.check(own.probe).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof StoreRefused)
    own.refuse(error)
    await assert.rejects(own.query(one), { name: 'StoreRefused' })
    assert.equal(own.hosts().refused?.refusal, 'set_back')
    await run(
      'larger_again',
      'update log_heads set size = size + 1, set_back = null, set_back_from = null, halted = null',
    )
    await waitUntil('it is used again', async () => (await own.query(one).catch(() => null)) !== null)
    assert.equal(own.hosts().refused, null)
  } finally {
    await own.close()
  }
})

test('simultaneous checks of connections do not mistake growth for a loss', async () => {
  const memory = createLogMemory(null)
  let isOver = false
  const growing = (async () => {
    for (let i = 0; i < 10; i += 1) await grow()
    isOver = true
  })()
  // bounded: by ten growths.
  while (!isOver) await Promise.all([1, 2, 3, 4].map(() => memory.check(db)))
  await growing
  await memory.check(db)
  assert.equal(memory.seen()?.size, (await loadLogInStore(db)).size)
})

const STORE: LogInStore = {
  storeId: 'one',
  size: 10,
  haltedRuns: 0,
  root: 'r',
  checkedAt: null,
  note: null,
  setBack: null,
  restoredFrom: null,
}

test('a check counts only for a caller that remembers no more than it covered', () => {
  const outcome = (seen: Partial<LogInStore>, store: Partial<LogInStore>) =>
    compareLog({ ...STORE, ...seen }, { ...STORE, ...store }).outcome
  assert.equal(outcome({}, {}), 'same')
  assert.equal(outcome({}, { size: 11 }), 'grown')
  assert.equal(outcome({}, { size: 9 }), 'set_back')
  assert.equal(outcome({}, { root: 's' }), 'set_back')
  assert.equal(outcome({}, { root: null }), 'set_back')
  assert.equal(outcome({ size: 0, root: null }, { size: 0 }), 'grown', 'the first checkpoint is of an empty log')
  assert.equal(outcome({}, { storeId: 'two' }), 'set_back')
  const checkedAt = '2026-11-17T09:00:00.000000Z'
  assert.equal(outcome({}, { size: 5, checkedAt, restoredFrom: 10 }), 'checked')
  assert.equal(outcome({}, { size: 5, checkedAt, restoredFrom: 9 }), 'set_back', 'the check covered fewer leaves')
  assert.equal(outcome({}, { size: 5, checkedAt, restoredFrom: null }), 'set_back')
  assert.equal(outcome({ haltedRuns: 2 }, { haltedRuns: 1, size: 11 }), 'set_back')
  assert.equal(outcome({ haltedRuns: 2 }, { haltedRuns: 1, checkedAt, restoredFrom: 10 }), 'set_back')
  assert.equal(outcome({ haltedRuns: 2 }, { haltedRuns: 3, checkedAt, restoredFrom: 10 }), 'checked')
  assert.equal(outcome({ checkedAt }, { size: 20 }), 'set_back', 'from before the check')
  assert.equal(outcome({ checkedAt }, { size: 9, checkedAt, restoredFrom: 10 }), 'set_back', 'rolled back once more')
  assert.equal(outcome({ checkedAt }, { checkedAt: '2026-11-17T08:00:00.000000Z', restoredFrom: 99 }), 'set_back')
})

test('a check acknowledges the store up to the known size, and removes the mark', async () => {
  await run('mark', `update log_heads set set_back = 'why', set_back_from = 50000`)
  await markChecked(db, { at: '2026-11-17T09:00:00.000000Z', from: 40_000, haltedRuns: 3 })
  const [row] = await db.query({
    name: 'test_marked',
    text: 'select set_back, set_back_from, restored_from::int, acknowledged_to::int, halted_runs::int from log_heads',
  })
  assert.deepEqual(row, {
    set_back: null,
    set_back_from: null,
    restored_from: 50_000,
    acknowledged_to: 50_000,
    halted_runs: 3,
  })
})

test('a store that was rolled back while the log was halted is refused, until a check that knows of it', async () => {
  const minute = async () => {
    service.clock.advance(60_000)
    await growLog(service.deps)
  }
  await grow()
  await run('halt', `update log_heads set halted = 'a witness has seen more', set_back = null, set_back_from = null`)
  await minute()
  await run('keep_halted', 'create table kept_halted as table log_heads')
  const restore = async () => {
    await run('drop_halted', 'delete from log_heads')
    await run('restore_halted', 'insert into log_heads select * from kept_halted')
  }
  const memory = createLogMemory(null)
  await memory.check(db)
  await minute()
  await memory.check(db)
  const seen = memory.seen() ?? assert.fail('nothing was seen')
  const dataDir = await mkdtemp(join(tmpdir(), 'vidimus-seen-'))
  await writeSeenLog(dataDir, seen)
  const known = createLogMemory(await readSeenLog(dataDir))

  await restore()
  await assert.rejects(
    memory.check(db),
    refused(/found halted \d+ times, and the store counts \d+: the store was rolled back/),
  )
  await assert.rejects(
    createLogMemory(null).check(db),
    refused(/was rolled back/),
    'the store reports it to every caller',
  )
  const at = '2027-11-19T09:00:00.000000Z'
  await markChecked(db, { at, from: seen.size, haltedRuns: 0 })
  await memory.check(db)
  await known.check(db)

  // The check runs before this process, and does not know what the process has seen.
  await restore()
  await markChecked(db, { at: '2027-11-19T10:00:00.000000Z', from: seen.size, haltedRuns: 0 })
  await assert.rejects(createLogMemory(seen).check(db), refused(/was rolled back/))
  await markChecked(db, { at: '2027-11-19T11:00:00.000000Z', from: seen.size, haltedRuns: 0 })
  await createLogMemory(seen).check(db)

  // A file of an earlier release has no count.
  const { haltedRuns: _, ...older } = seen
  await writeFile(join(dataDir, 'log-seen.json'), JSON.stringify(older))
  assert.deepEqual(await readSeenLog(dataDir), { ...seen, haltedRuns: 0 })
  await rm(dataDir, { recursive: true })
})

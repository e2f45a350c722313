// Tests how a process follows verifications: by announcements of others, and by bounded polling.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Step } from '../../src/core/verifications/domain/progress.ts'
import { createProgressWatch } from '../../src/core/verifications/store/progress-watch.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { withTurns } from '../harness/event-loop.ts'
import { testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const key = await service.key(await service.tenant())

/** Another process on the same store, and the ids of each of its reads. */
async function otherProcess() {
  const reads: (readonly string[])[] = []
  const db: Db = {
    ...service.deps.db,
    query(statement, values = []) {
      if (/^load_progress/.test(statement.name)) reads.push(values[0] as readonly string[])
      return service.deps.db.query(statement, values)
    },
  }
  const report = (_event: string, error: unknown) => assert.fail(error as Error)
  const progress = await createProgressWatch({ ...service.deps, db, report })
  after(() => progress.close())
  return {
    progress,
    reads,
    async until(condition: () => boolean): Promise<void> {
      await waitUntil('the other process is notified', condition)
    },
  }
}

test('a process learns of a fetch by another process from its notification, and reads only that row for the end', async () => {
  const other = await otherProcess()
  const created = [await create(service, key), await create(service, key), await create(service, key)]
  const steps = new Map<string, Step[]>(created.map(({ id }) => [id, []]))
  for (const { id } of created) {
    other.progress.watch(id, (step) => void steps.get(id)?.push(step))
  }
  const [watched] = created
  if (watched === undefined) throw new Error('nothing was created')
  const stepsSeen = () => steps.get(watched.id) ?? []
  await other.until(() => [...steps.values()].every(({ length }) => length === 1))
  await wallet.present(watched.wallet_uri)
  await other.until(() => stepsSeen().includes('completed'))
  await other.until(() => other.reads.some((ids) => ids.length === 1 && ids[0] === watched.id))
  assert.deepEqual([stepsSeen()[0], stepsSeen().at(-1)], ['waiting', 'completed'])
  assert.deepEqual(
    created.slice(1).map(({ id }) => steps.get(id)),
    [['waiting'], ['waiting']],
  )
})

test('pages of verifications that end together learn of it in several turns, and pages that were closed do not', async (t) => {
  const other = await otherProcess()
  const all = await Promise.all(Array.from({ length: 6 }, () => create(service, key)))
  const turns: number[] = []
  let [open, late] = [0, 0]
  let turn = () => 0
  for (const { id } of all)
    other.progress.watch(id, (step) => {
      if (step === 'waiting') open += 1
      else turns.push(turn())
    })
  const [first, last] = [all[0]?.id ?? '', all[5]?.id ?? '']
  const leave = other.progress.watch(last, (step) => {
    if (step !== 'waiting') late += 1
  })
  other.progress.watch(first, (step) => {
    if (step !== 'waiting') leave()
  })
  await other.until(() => open === all.length)
  await withTurns(t, 10, async (number) => {
    turn = number
    service.clock.advance(3_600_000)
    await other.until(() => turns.length === all.length)
  })
  assert.equal(new Set(turns).size, all.length, turns.join(' '))
  assert.equal(late, 0)
})

test('of many open pages, some are read each second, and all in turn', async () => {
  const other = await otherProcess()
  const ids = Array.from({ length: 1_201 }, (_, i) => `ver_${String(i).padStart(32, '0')}`)
  for (const id of ids) other.progress.watch(id, () => undefined)
  // Three reads for the start, and three for a round.
  await other.until(() => other.reads.length >= 6)
  const round = other.reads.slice(3, 6)
  assert.deepEqual(
    round.map(({ length }) => length),
    [500, 500, 201],
  )
  assert.deepEqual(round.flat().sort(), ids)
})

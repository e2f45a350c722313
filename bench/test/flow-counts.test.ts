// Tests the limits on the work that one verification causes in the service and its store. Counts, never times.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { listeningService } from '../../service/test/harness/listening.ts'
import { testCluster } from '../../service/test/harness/servers/cluster.ts'
import { afterwardsOf, type Counts, countSteps, createFlowCounter, sumSteps } from '../src/counts/flow-counts.ts'
import { openWalReader, type WalReader } from '../src/counts/wal.ts'
import { holderOf, sendFlows } from '../src/flow.ts'

/**
 * Counts per flow, one flow at a time. A change that makes a count grow by more than 5 % raises its bound here, and its
 * commit says why. A change that makes a count much smaller lowers the bound, so that the next growth is noticed.
 */
const BOUNDS = {
  statements: 5.9,
  roundTrips: 6,
  commits: 2.2,
  // The queue of receipts costs one tuple, which is inserted and deleted. With 16 flows at once they share it.
  tuples: 17.3,
  indexEntries: 9.5,
  walKilobytes: 8.2,
  walRecords: 38.5,
  socketWrites: 10.2,
} as const
const GROWTH_MAX = 1.05
const SHRINKAGE_MAX = 0.85

const FLOWS = 24
/** This many flows open the connections and fill the caches. */
const FIRST_FLOWS = 8
/**
 * Jobs that become due also write, and the tiles of the log are not spread evenly, so one window may count too much.
 * Growth of a flow shows in every window.
 */
const WINDOWS_MAX = 6

const service = await listeningService()

it('a flow causes no more statements, writes and log bytes than the limits allow', async () => {
  const { deps } = service
  const world = {
    deps,
    key: await service.key(await service.tenant()),
    servicePort: Number(new URL(service.base).port),
  }
  const holder = await holderOf(world)
  const found = await withWal(async (wal) => {
    const counter = createFlowCounter(deps.db, wal, afterwardsOf(deps))
    const count = (flows: number) =>
      countSteps(counter, (sent) => sendFlows(world, holder, sent), { flows, connections: 1 })
    await count(FIRST_FLOWS)
    let window = bounded(sumSteps(await count(FLOWS)))
    for (let n = 1; n < WINDOWS_MAX && outside(window).length > 0; n++) window = bounded(sumSteps(await count(FLOWS)))
    return window
  })
  assert.deepEqual(outside(found), [], `of ${JSON.stringify(found)}`)
})

function outside(found: Record<keyof typeof BOUNDS, number>): [string, number][] {
  return Object.entries(found).filter(([name, count]) => {
    const bound = BOUNDS[name as keyof typeof BOUNDS]
    return !(count <= bound * GROWTH_MAX && count >= bound * SHRINKAGE_MAX)
  })
}

async function withWal<T>(work: (wal: WalReader) => Promise<T>): Promise<T> {
  const [row] = await service.deps.db.query<{ name: string }>({
    name: 'test_database_name',
    text: 'select current_database() as name',
  })
  assert.ok(row !== undefined)
  const cluster = await testCluster()
  const wal = await openWalReader(cluster.admin, row.name)
  try {
    return await work(wal)
  } finally {
    await wal.close()
    await cluster.stop()
  }
}

function bounded(counts: Counts): Record<keyof typeof BOUNDS, number> {
  const { statements, roundTrips, commits, indexEntries, walRecords, socketWrites } = counts
  const tuples = counts.inserts + counts.hotUpdates + counts.otherUpdates + counts.deletes
  const walKilobytes = counts.walBytes / 1000
  return { statements, roundTrips, commits, tuples, indexEntries, walKilobytes, walRecords, socketWrites }
}

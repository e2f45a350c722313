// Counts statements, commits and bytes of whole verifications next to the floor of flow.ts (`npm run bench -- counts`).

import { startEmbeddedPostgres } from '../../../service/src/platform/postgres/embedded/server.ts'
import { addFloor, floorBody, holderOf, neverAnalyse, sendFloorFlows, sendFlows, warmUp } from '../flow.ts'
import { openBench } from '../world.ts'
import {
  afterwardsOf,
  COUNTED,
  type Counts,
  countSteps,
  countTables,
  createFlowCounter,
  createMixedCount,
  type FlowCounts,
  type StepTables,
} from './flow-counts.ts'
import type { SendFlows } from './mixed.ts'
import { openWalReader } from './wal.ts'

const STORES = ['fresh', 'analysed'] as const
const VOLUMES = [
  { connections: 1, flows: 60 },
  { connections: 16, flows: 240 },
  { connections: 64, flows: 480 },
] as const
/** Flows whose steps are counted one after another. */
const STEP_FLOWS = 60

type Side = 'ours' | 'floor'

interface Found {
  /** How many flows each side ran before the count. */
  readonly warm: Readonly<Record<Side, number>>
  readonly mixed: readonly {
    readonly store: (typeof STORES)[number]
    readonly connections: number
    readonly ours: Counts
    readonly floor: Counts
  }[]
  readonly steps: Readonly<Record<Side, FlowCounts>>
  readonly tables: readonly StepTables[]
}

/** Counts on a store that was never analysed, as in the first minutes of an installation, and on an analysed store. */
export async function benchCounts(): Promise<Found> {
  const world = await openBench(addFloor)
  const server = await startEmbeddedPostgres(world.deps.config.dataDir)
  const wal = await openWalReader(server.admin, 'vidimus')
  try {
    await neverAnalyse(world.deps)
    const holder = await holderOf(world)
    const form = await floorBody(holder)
    const afterwards = afterwardsOf(world.deps)
    const counters = {
      ours: createFlowCounter(world.deps.db, wal, afterwards),
      floor: createFlowCounter(world.deps.db, wal, null),
    }
    const sides: Readonly<Record<Side, SendFlows>> = {
      ours: (flows) => sendFlows(world, holder, flows),
      floor: (flows) => sendFloorFlows(world, form, flows),
    }
    const warm = { ours: await warmUp(sides.ours), floor: await warmUp(sides.floor) }
    await afterwards.work()
    const mixed: Found['mixed'][number][] = []
    for (const store of STORES) {
      if (store === 'analysed') await world.deps.db.query({ name: 'bench_analyse', text: 'analyze' })
      for (const volume of VOLUMES) {
        const count = async (side: Side): Promise<Counts> => {
          const countNext = createMixedCount(counters[side], sides[side], volume)
          for (let i = 0; i < 3; i += 1) await countNext()
          return countNext()
        }
        mixed.push({ store, connections: volume.connections, ours: await count('ours'), floor: await count('floor') })
      }
    }
    const volume = { connections: 1, flows: STEP_FLOWS }
    const steps = {
      ours: await countSteps(counters.ours, sides.ours, volume),
      floor: await countSteps(counters.floor, sides.floor, volume),
    }
    const tables = await countTables({ db: world.deps.db, wal, afterwards }, sides.ours, STEP_FLOWS)
    return { warm, mixed, steps, tables }
  } finally {
    await wal.close()
    await server.stop()
    await world.close()
  }
}

const ROWS: readonly {
  readonly what: string
  readonly of: (counts: Counts) => number
  readonly wanted?: string
}[] = [
  { what: 'statements', of: ({ statements }) => statements, wanted: '3.2' },
  { what: 'round trips to the store', of: ({ roundTrips }) => roundTrips },
  { what: 'transactions that wrote', of: ({ commits }) => commits },
  {
    what: 'tuples written',
    of: ({ inserts, hotUpdates, otherUpdates, deletes }) => inserts + hotUpdates + otherUpdates + deletes,
    wanted: '6.5',
  },
  { what: '· inserted', of: ({ inserts }) => inserts },
  { what: '· updated, HOT', of: ({ hotUpdates }) => hotUpdates },
  { what: '· updated, other', of: ({ otherUpdates }) => otherUpdates, wanted: '0' },
  { what: '· deleted', of: ({ deletes }) => deletes },
  { what: 'index entries', of: ({ indexEntries }) => indexEntries, wanted: '9' },
  { what: 'WAL, kB', of: ({ walBytes }) => walBytes / 1000, wanted: '6' },
  { what: 'WAL records', of: ({ walRecords }) => walRecords },
  { what: 'writes to sockets', of: ({ socketWrites }) => socketWrites },
  { what: 'allocated, kB', of: ({ allocatedBytes }) => allocatedBytes / 1000 },
]

export function renderCounts({ warm, mixed, steps, tables }: Found): string {
  const show = (ours: number, floor: number) => `${digits(ours)} / ${digits(floor)}`
  const heads = mixed.map(({ store, connections }) => `${connections} at once, ${store}`)
  const lines = ROWS.map(({ what, of, wanted = '' }) =>
    [what, ...mixed.map(({ ours, floor }) => show(of(ours), of(floor))), wanted].join(' | '),
  )
  const byStep = ROWS.map(({ what, of }) => {
    const at = (side: Side, step: (typeof COUNTED)[number]) => of(steps[side][step])
    return [what, ...COUNTED.map((step) => show(at('ours', step), at('floor', step)))].join(' | ')
  })
  const byTable = tables.flatMap(renderTables)
  return `## Counts of a flow

Written by \`npm run bench -- counts\`. Ours / the floor's, per flow: create, fetch the request, answer, read, and what is left for later (notes of first fetches and reads, the log's growth, the
statistics). Steps of different flows reach the service in turns, as many at once as the column says, after ${warm.ours} flows of ours and ${warm.floor} of the floor's. Counts do not depend on how busy the machine is, but those that batching
makes smaller depend a little on its speed.

| per flow | ${heads.join(' | ')} | wanted, 16 at once |
|---|${'---|'.repeat(heads.length + 1)}
| ${lines.join(' |\n| ')} |

One at a time, by step; notes of first fetches and reads are in their steps:

| per flow | ${COUNTED.join(' | ')} |
|---|${'---|'.repeat(COUNTED.length)}
| ${byStep.join(' |\n| ')} |

Ours, one at a time, by step and table; of each step the statements that at least every fifth flow sends:

| step | table | inserted | updated, HOT | updated, other | deleted | index entries | WAL, bytes |
|---|---|---|---|---|---|---|---|
| ${byTable.join(' |\n| ')} |

Method: tuples, index entries, WAL and transactions that wrote are read from the write-ahead log (\`pg_walinspect\`), so an entry that a partial index leaves out is not counted and a
page split is; the catalogue's are left out, and so are full-page images, which depend on checkpoints. Transactions that only read are not counted. Statements and round trips are those
that the service sends; look-ups that PostgreSQL makes for foreign keys are not in them. Writes to sockets are the write calls of the serving thread (\`/proc\`), to clients and to the
store. Allocated is what V8 counts on the heap of the serving thread, without buffers.
`
}

/** Statements that are sent less often per flow are not listed, because each works for many flows at once. */
const OFTEN = 0.2

function renderTables({ step, statements, tables }: StepTables): string[] {
  const often = [...statements].flatMap(([name, count]) => (count >= OFTEN ? [`\`${name}\` ${digits(count)}`] : []))
  const written = tables.map(({ table, inserts, hotUpdates, otherUpdates, deletes, indexEntries, walBytes }) => [
    table,
    ...[inserts, hotUpdates, otherUpdates, deletes, indexEntries].map((count) => (count === 0 ? '' : digits(count))),
    walBytes.toFixed(0),
  ])
  return [[`**${step}**`, often.join(', '), ...Array<string>(6).fill('')], ...written.map((row) => ['', ...row])].map(
    (row) => row.join(' | '),
  )
}

const digits = (count: number) => (count >= 100 ? count.toFixed(0) : count.toFixed(count >= 10 ? 1 : 2))

if (import.meta.main) console.log(renderCounts(await benchCounts()))

// Counts what the service and its store do for a whole verification. A busy machine does not distort these counts.

import { readFileSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'
import type { Deps } from '../../../service/src/deps.ts'
import { JOBS } from '../../../service/src/job-table.ts'
import type { Db } from '../../../service/src/platform/postgres/db.ts'
import { NEVER_STOPPED } from '../../../service/src/platform/world.ts'
import { STEPS, type Step } from '../flow.ts'
import { fire } from '../volley.ts'
import { createMixed, type SendFlows } from './mixed.ts'
import type { WalReader, Written, WrittenTable } from './wal.ts'

/** What one flow costs. */
export interface Counts extends Written {
  /** Statements that the service sends, without those that PostgreSQL runs for foreign keys. */
  readonly statements: number
  /** Messages to the store that the service waits for. A begin or a commit mostly shares one with a statement. */
  readonly roundTrips: number
  /** Writes of the serving thread to clients and to the store. */
  readonly socketWrites: number
  /** Bytes allocated on the JavaScript heap of the serving thread, without buffers. */
  readonly allocatedBytes: number
}

export const COUNTED = [...STEPS, 'later'] as const
/** Each step, and the work that flows leave to a worker: the log's growth, the statistics. */
export type FlowCounts = Readonly<Record<Step | 'later', Counts>>

/** The jobs that have work for each ended flow. Other jobs find nothing to do. */
const LATER_JOBS = ['count-endings', 'keep-log']

interface FlowCounter {
  count(flows: number, work: () => Promise<void>): Promise<Counts>
  /** Counts one step, with the notes that it leaves to be written later. */
  countStep(flows: number, work: () => Promise<void>): Promise<Counts>
  countLater(flows: number): Promise<Counts>
}

interface Volume {
  readonly flows: number
  readonly connections: number
}

/** The work that flows leave for later. */
interface Afterwards {
  /** Writes at once the notes that the process otherwise gathers for a second, so that the machine's speed does not matter. */
  writeNotes(): Promise<void>
  /** Runs the jobs that a worker would run. */
  work(): Promise<void>
}

/** `afterwards` is null if flows leave nothing. */
export function createFlowCounter(db: Db, wal: WalReader, afterwards: Afterwards | null): FlowCounter {
  let statements = 0
  let roundTrips = 0
  db.watch(({ name }) => {
    roundTrips += 1
    if (name !== 'commit' && name !== 'rollback') statements += 1
  })

  async function count(flows: number, work: () => Promise<void>): Promise<Counts> {
    let own = { statements: 0, roundTrips: 0, socketWrites: 0, allocatedBytes: 0 }
    const written = await wal.during(async () => {
      const before = { statements, roundTrips, ...countThread() }
      await work()
      const after = countThread()
      own = {
        statements: statements - before.statements,
        roundTrips: roundTrips - before.roundTrips,
        socketWrites: after.socketWrites - before.socketWrites,
        allocatedBytes: after.allocatedBytes - before.allocatedBytes,
      }
    })
    return mapCounts({ ...written, ...own }, (counted) => counted / flows)
  }
  return {
    count,
    countStep: (flows, work) =>
      count(flows, async () => {
        await work()
        await afterwards?.writeNotes()
      }),
    countLater: (flows) => count(flows, async () => afterwards?.work()),
  }
}

export function afterwardsOf(deps: Deps): Afterwards {
  const writeNotes = async () => {
    await deps.fetchNotes.flush()
    await deps.readNotes.flush()
  }
  return {
    writeNotes,
    async work() {
      await writeNotes()
      for (const { name, run } of JOBS) if (LATER_JOBS.includes(name)) await run(deps, NEVER_STOPPED)
    },
  }
}

/** Counts each step for all flows before the next step begins. */
export async function countSteps(
  counter: FlowCounter,
  sendFlows: SendFlows,
  { flows, connections }: Volume,
): Promise<FlowCounts> {
  const found = new Map<Step | 'later', Counts>()
  await sendFlows({
    flows,
    async send(port, requests, step) {
      let bodies: readonly string[] = []
      const counts = await counter.countStep(flows, async () => {
        bodies = (await fire({ port, connections, requests })).bodies
      })
      found.set(step, counts)
      return bodies
    },
  })
  found.set('later', await counter.countLater(flows))
  return Object.fromEntries(found) as FlowCounts
}

/** The tables that one step of a flow wrote, and the names and numbers of its statements. */
export interface StepTables {
  readonly step: Step | 'later'
  readonly statements: ReadonlyMap<string, number>
  readonly tables: readonly WrittenTable[]
}

/** Counts what each step writes to each table. Sends one request at a time. */
export async function countTables(
  { db, wal, afterwards }: { readonly db: Db; readonly wal: WalReader; readonly afterwards: Afterwards },
  sendFlows: SendFlows,
  flows: number,
): Promise<readonly StepTables[]> {
  let sent = new Map<string, number>()
  db.watch(({ name }) => void sent.set(name, (sent.get(name) ?? 0) + 1 / flows))
  const found: StepTables[] = []
  async function countStep(step: StepTables['step'], work: () => Promise<void>): Promise<void> {
    sent = new Map()
    const tables = (await wal.tablesDuring(work)).map(({ table, ...counts }) => ({
      table,
      ...mapNumbers(counts, (count) => count / flows),
    }))
    found.push({ step, statements: sent, tables })
  }
  await sendFlows({
    flows,
    async send(port, requests, step) {
      let bodies: readonly string[] = []
      await countStep(step, async () => {
        bodies = (await fire({ port, connections: 1, requests })).bodies
        await afterwards.writeNotes()
      })
      return bodies
    },
  })
  await countStep('later', afterwards.work)
  return found
}

export function sumSteps(steps: FlowCounts): Counts {
  return mapCounts(steps.create, (_, name) => COUNTED.reduce((sum, step) => sum + steps[step][name], 0))
}

/** Counts concurrent flows at different steps. The first three calls count less than whole flows. */
export function createMixedCount(
  counter: FlowCounter,
  sendFlows: SendFlows,
  { flows, connections }: Volume,
): () => Promise<Counts> {
  const sendNext = createMixed(flows, sendFlows)
  return async () => {
    const found: Counts[] = []
    await sendNext(async (port, requests) => {
      let bodies: readonly string[] = []
      const counts = await counter.count(flows, async () => {
        bodies = (await fire({ port, connections, requests })).bodies
      })
      found.push(counts)
      return bodies
    })
    found.push(await counter.countLater(flows))
    return found.reduce((a, b) => mapCounts(a, (count, name) => count + b[name]))
  }
}

const mapCounts = (counts: Counts, of: (count: number, name: keyof Counts) => number): Counts => mapNumbers(counts, of)

function mapNumbers<T extends object>(numbers: T, of: (count: number, name: keyof T) => number): T {
  const entries = Object.entries(numbers) as [keyof T, number][]
  return Object.fromEntries(entries.map(([name, count]) => [name, of(count, name)])) as T
}

/** Does not count the client's writes and heap, because the client has its own thread. */
function countThread(): { socketWrites: number; allocatedBytes: number } {
  const io = readFileSync(`/proc/self/task/${process.pid}/io`, 'latin1')
  const socketWrites = Number(/^syscw: (\d+)$/m.exec(io)?.[1] ?? Number.NaN)
  const { total_allocated_bytes: allocatedBytes } = getHeapStatistics() as { total_allocated_bytes?: number }
  if (allocatedBytes === undefined || Number.isNaN(socketWrites)) throw new Error('this system does not count them')
  return { socketWrites, allocatedBytes }
}

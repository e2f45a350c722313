// Parses lists in worker threads, because a long list takes half a second. Tenants take turns.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { ListContent, ListCost, ListLifetime, StatusSource } from '@vidimus/engine'
import { takeInTurn } from '../../../platform/owner-turns.ts'
import { READ_WITHIN_MS } from '../domain/list-bounds.ts'

export interface ListJob {
  readonly id: number
  readonly bytes: Uint8Array
  readonly kind: StatusSource['kind']
  readonly limit: ListCost
}

export interface ReadContent {
  /** The bytes of the job, which the worker transfers back. */
  readonly bytes: Uint8Array
  readonly content: ListContent
  /** Bytes of memory that the list occupies in the cache. */
  readonly memory: number
  readonly lifetime: ListLifetime
}

export interface ListRead {
  readonly id: number
  /** Set even if the bytes are not a list, because parsing them cost as much. */
  readonly cost: ListCost
  /** null: not a list of this kind, or over the budget. */
  readonly read: ReadContent | null
  /** The list costs more than allowed, so the worker returned no content. */
  readonly isOverBudget: boolean
}

export interface ListReader {
  /**
   * Transfers the bytes to a worker and returns them with the parsed list; null if no worker could parse it. Omits the
   * content of a list that costs more than `limit`, because the event loop would have to free its memory.
   */
  read(list: Omit<ListJob, 'id'>, owners: ListOwners): Promise<Omit<ListRead, 'id'> | null>
  close(): Promise<void>
}

/**
 * The tenants that wait for a list, also those that joined while it was queued. The list is parsed when the first of
 * them has its turn.
 */
export type ListOwners = ReadonlySet<string>

export interface ReaderOptions {
  readonly workers?: number
  readonly readWithinMs?: number
  readonly workerUrl?: URL
  /** Called with the reason why a list was not parsed. The reason contains no part of the list. */
  readonly report?: (problem: string) => void
}

interface Waiting {
  readonly job: ListJob
  readonly owners: ListOwners
  readonly settle: (read: ListRead | null) => void
}

interface Slot {
  worker: Worker | null
  waiting: Waiting | null
  timer: NodeJS.Timeout | undefined
}

/** Leaves one processor to the event loop. */
export const readersFor = (processors: number): number => Math.max(1, Math.min(2, processors - 1))

/** JavaScript heap of a worker: enough for the texts and numbers of the longest list. The list's bytes are outside the heap. */
const HEAP_MB = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

export function createListReader(options: ReaderOptions = {}): ListReader {
  const workerUrl = options.workerUrl ?? new URL('./list-worker.ts', import.meta.url)
  const readWithinMs = options.readWithinMs ?? READ_WITHIN_MS
  const report = options.report ?? (() => undefined)
  const count = options.workers ?? readersFor(availableParallelism())
  const slots = Array.from({ length: count }, (): Slot => ({ worker: null, waiting: null, timer: undefined }))
  /** Bounded by the number of lists in progress. */
  const queue: Waiting[] = []
  const servedAt = new Map<string, number>()
  let jobs = 0
  let isClosed = false

  function startNext(): void {
    for (const slot of slots) {
      const next = slot.waiting === null && !isClosed ? takeInTurn(queue, servedAt) : undefined
      if (next !== undefined) start(slot, next)
    }
  }

  function start(slot: Slot, waiting: Waiting): void {
    slot.waiting = waiting
    slot.timer = setTimeout(() => discard(slot, 'a worker took too long to read a list'), readWithinMs)
    try {
      slot.worker ??= open(slot)
      slot.worker.ref()
      const { job } = waiting
      slot.worker.postMessage(job, [job.bytes.buffer as ArrayBuffer])
    } catch {
      discard(slot, 'no worker could be started to read a list')
    }
  }

  function open(slot: Slot): Worker {
    const worker = new Worker(workerUrl, { resourceLimits: HEAP_MB, env: {}, stdout: false, stderr: false })
    const isCurrent = () => slot.worker === worker
    worker.on('message', (read: ListRead) => {
      if (isCurrent() && read.id === slot.waiting?.job.id) finish(slot, read)
    })
    worker.on('error', () => isCurrent() && discard(slot, 'a worker failed while it read a list'))
    worker.on('exit', () => isCurrent() && discard(slot, 'a worker ended while it read a list'))
    return worker
  }

  function finish(slot: Slot, read: ListRead | null): void {
    clearTimeout(slot.timer)
    slot.worker?.unref()
    const { waiting } = slot
    slot.waiting = null
    waiting?.settle(read)
    startNext()
  }

  /** Ends the worker and ignores further output of it. */
  function discard(slot: Slot, problem: string): void {
    const { worker, waiting } = slot
    slot.worker = null
    void worker?.terminate()
    if (waiting !== null && !isClosed) report(problem)
    finish(slot, null)
  }

  return {
    read({ bytes, kind, limit }, owners) {
      if (isClosed) return Promise.resolve(null)
      jobs += 1
      const job = { id: jobs, bytes: ownBytes(bytes), kind, limit }
      return new Promise((resolve) => {
        queue.push({ job, owners, settle: resolve })
        startNext()
      })
    },
    async close() {
      isClosed = true
      for (const { settle } of queue.splice(0)) settle(null)
      const workers = slots.map(({ worker }) => worker)
      for (const slot of slots) if (slot.waiting !== null) discard(slot, 'closed')
      await Promise.all(workers.map((worker) => worker?.terminate()))
    },
  }
}

/** Copies a view of a larger buffer, because only a whole buffer can be transferred. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer
    ? bytes
    : new Uint8Array(bytes)
}

// Hands jobs to one worker thread, one at a time. Owners take turns.

import { Worker } from 'node:worker_threads'
import { takeInTurn } from '../owner-turns.ts'
import { createShares, type ShareBound } from '../shares.ts'

/** The thread answers each `ThreadJob` with a `ThreadReply` of its id. */
export interface ThreadJob<Input> {
  readonly id: number
  readonly input: Input
}

export interface ThreadReply<Output> {
  readonly id: number
  readonly output: Output
}

export interface ThreadTurns<Input, Output> {
  /** Calls `inputOf` when the job is next. null: too many jobs wait, or the thread failed or took too long. */
  run(owner: string, inputOf: () => Input): Promise<Output | null>
  close(): Promise<void>
}

interface ThreadTerms<Input> {
  readonly workerUrl: URL
  readonly heapMb: number
  /** How many jobs run or wait. The shares leave room for other owners. */
  readonly waiting: ShareBound
  /** Includes the start of the thread. */
  readonly withinMs: (input: Input) => number
  /** Parts that are transferred to the thread instead of copied. */
  readonly buffersOf?: (input: Input) => ArrayBuffer[]
  /** Called with the reason why a job was not done. The reason contains nothing of the job. */
  readonly report: (problem: string) => void
}

interface Waiting<Input, Output> {
  readonly id: number
  readonly owners: readonly [string]
  readonly inputOf: () => Input
  readonly settle: (output: Output | null) => void
}

export function createThreadTurns<Input, Output>(terms: ThreadTerms<Input>): ThreadTurns<Input, Output> {
  const { workerUrl, heapMb, waiting, withinMs, buffersOf = () => [], report } = terms
  const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
  const queue: Waiting<Input, Output>[] = []
  const shares = createShares(waiting)
  const servedAt = new Map<string, number>()
  /** Started by the first job. */
  let worker: Worker | null = null
  let current: Waiting<Input, Output> | null = null
  let timer: NodeJS.Timeout | undefined
  let jobs = 0
  let isClosed = false

  function startNext(): void {
    if (current !== null) return
    current = takeInTurn(queue, servedAt) ?? null
    if (current === null) return
    try {
      const { id, inputOf } = current
      const input = inputOf()
      timer = setTimeout(() => discard('the thread took too long'), withinMs(input))
      worker ??= open()
      worker.ref()
      worker.postMessage({ id, input } satisfies ThreadJob<Input>, buffersOf(input))
    } catch {
      discard('the thread could not be given a job')
    }
  }

  function open(): Worker {
    const opened = new Worker(workerUrl, { resourceLimits, env: {}, stdout: false, stderr: false })
    const isCurrent = () => worker === opened
    opened.on('message', ({ id, output }: ThreadReply<Output>) => {
      if (isCurrent() && id === current?.id) finish(output)
    })
    opened.on('error', () => isCurrent() && discard('the thread failed'))
    opened.on('exit', () => isCurrent() && discard('the thread ended'))
    return opened
  }

  function finish(output: Output | null): void {
    clearTimeout(timer)
    worker?.unref()
    const done = current
    current = null
    done?.settle(output)
    startNext()
  }

  /** Ignores all further output of the thread. */
  function discard(problem: string): void {
    const lost = worker
    worker = null
    void lost?.terminate()
    if (current !== null && !isClosed) report(problem)
    finish(null)
  }

  return {
    run(owner, inputOf) {
      if (isClosed) return Promise.resolve(null)
      const owners = [owner] as const
      if (shares.take(owners, 1) !== 'taken') {
        report('too many wait')
        return Promise.resolve(null)
      }
      jobs += 1
      const id = jobs
      return new Promise((resolve) => {
        const settle = (output: Output | null) => {
          shares.give(owners, 1)
          resolve(output)
        }
        queue.push({ id, owners, inputOf, settle })
        startNext()
      })
    },
    async close() {
      isClosed = true
      for (const { settle } of queue.splice(0)) settle(null)
      const last = worker
      discard('closed')
      await last?.terminate()
    },
  }
}

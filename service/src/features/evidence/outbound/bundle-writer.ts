// Hands evidence bundles to a worker thread, one at a time, because a large one takes 20 ms. Merchants take turns.

import { Worker } from 'node:worker_threads'
import type { MerchantTerms } from '../../../core/result-keys/domain/result-key.ts'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import { takeInTurn } from '../../../platform/owner-turns.ts'
import { createShares, type ShareBound } from '../../../platform/shares.ts'
import type { BundleContent } from '../domain/bundle-content.ts'

export interface BundleJob {
  readonly id: number
  readonly content: BundleContent
  readonly terms: MerchantTerms
}

export interface WrittenBundle {
  readonly jwe: string
  /** The hash of the JWE (base64url), which is in the receipt. */
  readonly sha256: string
}

export interface BundleReply {
  readonly id: number
  readonly written: WrittenBundle
}

export interface BundleWriter {
  /** Calls `contentOf` when the bundle is next. null if too many bundles wait, or if the thread failed. */
  write(realm: Realm, contentOf: () => BundleContent, terms: MerchantTerms): Promise<WrittenBundle | null>
  close(): Promise<void>
}

export interface WriterOptions {
  readonly waiting?: ShareBound
  readonly writeWithinMs?: number
  readonly workerUrl?: URL
  /** Called with the reason why a bundle was not written. The reason contains nothing of the bundle. */
  readonly report?: (problem: string) => void
}

interface Waiting {
  readonly id: number
  /** The realm of the verification. */
  readonly owners: readonly [string]
  readonly contentOf: () => BundleContent
  readonly terms: MerchantTerms
  readonly settle: (written: WrittenBundle | null) => void
}

/**
 * How many bundles are written or wait, each with its response in memory; only the next one's is copied. The shares
 * leave room for other merchants.
 */
const WAITING: ShareBound = { each: 64, all: 88, reserve: 24, light: 4 }
/** Includes the start of the thread. */
const WRITE_WITHIN_MS = 10_000
/** JavaScript heap of the worker: a bundle has at most 5 MB, and a few copies of it exist. */
const HEAP_MB = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

export function createBundleWriter(options: WriterOptions = {}): BundleWriter {
  const workerUrl = options.workerUrl ?? new URL('./bundle-worker.ts', import.meta.url)
  const { waiting = WAITING, writeWithinMs = WRITE_WITHIN_MS, report = () => undefined } = options
  const queue: Waiting[] = []
  const shares = createShares(waiting)
  const servedAt = new Map<string, number>()
  /** Started by the first bundle. */
  let worker: Worker | null = null
  let current: Waiting | null = null
  let timer: NodeJS.Timeout | undefined
  let jobs = 0
  let isClosed = false

  function startNext(): void {
    if (current !== null) return
    current = takeInTurn(queue, servedAt) ?? null
    if (current === null) return
    timer = setTimeout(() => discard('the thread took too long'), writeWithinMs)
    try {
      worker ??= open()
      worker.ref()
      const { id, contentOf, terms } = current
      const content = contentOf()
      worker.postMessage({ id, content, terms } satisfies BundleJob, buffersOf(content))
    } catch {
      discard('the thread could not be given a bundle')
    }
  }

  function open(): Worker {
    const opened = new Worker(workerUrl, { resourceLimits: HEAP_MB, env: {}, stdout: false, stderr: false })
    const isCurrent = () => worker === opened
    opened.on('message', ({ id, written }: BundleReply) => {
      if (isCurrent() && id === current?.id) finish(written)
    })
    opened.on('error', () => isCurrent() && discard('the thread failed'))
    opened.on('exit', () => isCurrent() && discard('the thread ended'))
    return opened
  }

  function finish(written: WrittenBundle | null): void {
    clearTimeout(timer)
    worker?.unref()
    const done = current
    current = null
    done?.settle(written)
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
    write(realm, contentOf, terms) {
      if (isClosed) return Promise.resolve(null)
      const owners = [realmName(realm)] as const
      if (shares.take(owners, 1) !== 'taken') {
        report('too many wait')
        return Promise.resolve(null)
      }
      jobs += 1
      const id = jobs
      return new Promise((resolve) => {
        const settle = (written: WrittenBundle | null) => {
          shares.give(owners, 1)
          resolve(written)
        }
        queue.push({ id, owners, contentOf, terms, settle })
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

/** Large parts are transferred to the thread instead of copied, because only the content uses them. */
function buffersOf({ response, lists }: BundleContent): ArrayBuffer[] {
  return [response, ...lists].flatMap((part) => Object.values(part)).flatMap((value) => bufferOf(value) ?? [])
}

const bufferOf = (value: unknown) =>
  value instanceof Uint8Array && value.buffer instanceof ArrayBuffer ? value.buffer : null

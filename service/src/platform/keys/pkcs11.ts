// Uses keys in an HSM by PKCS #11 from the event loop. Threads make the calls, one at a time each.

import { createPublicKey } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { KeyFailure, type KeyProvider } from './key-provider.ts'
import { type Pkcs11Reference, readPkcs11Reference } from './key-reference.ts'
import type { Pkcs11Answer, Pkcs11Answers, Pkcs11Request, Pkcs11Settings } from './pkcs11-messages.ts'
import type { KeyAlgorithm } from './signing-key.ts'
import type { PinnedKey } from './stored-key.ts'

const THREADS = 2

interface Thread {
  worker: Worker | null
  settle: ((answer: Pkcs11Answer) => void) | null
}

type Content<T> = T extends unknown ? Omit<T, keyof Pkcs11Reference> : never

export function createPkcs11(settings: Pkcs11Settings, threadCount = THREADS): KeyProvider {
  const threads = Array.from({ length: threadCount }, (): Thread => ({ worker: null, settle: null }))
  let isClosed = false
  const ask = async (request: Pkcs11Request): Promise<Pkcs11Answers[keyof Pkcs11Answers]> => {
    const thread = threads.find(({ settle }) => settle === null)
    if (isClosed || thread === undefined) throw new KeyFailure('busy', 'no thread is free')
    const pending = Promise.withResolvers<Pkcs11Answer>()
    thread.settle = pending.resolve
    thread.worker ??= startWorker(thread, settings)
    thread.worker.postMessage(request)
    const answer = await pending.promise
    if (answer.outcome === 'failed') throw new KeyFailure(answer.kind, answer.message)
    return answer.value
  }
  // The type of the answer depends on `does`.
  const of = <Does extends Pkcs11Request['does']>(reference: string, request: Content<Pkcs11Request>) =>
    ask({ ...requireReference(reference), ...request }) as Promise<Pkcs11Answers[Does]>
  return {
    concurrency: threadCount,
    async find(reference) {
      const found = await of<'find'>(reference, { does: 'find' })
      return found === null ? null : pinned(reference, found)
    },
    create: async (reference, algorithm) =>
      pinned(reference, await of<'create'>(reference, { does: 'create', algorithm })),
    async sign({ reference, algorithm }, bytes) {
      return { encoding: 'raw', signature: await of<'sign'>(reference, { does: 'sign', algorithm, bytes }) }
    },
    wrap: (reference, bytes) => of<'wrap'>(reference, { does: 'wrap', bytes }),
    unwrap: (reference, bytes) => of<'unwrap'>(reference, { does: 'unwrap', bytes }),
    async close() {
      isClosed = true
      // A thread in a call of the module cannot be stopped, and must not keep the process alive.
      for (const { worker, settle } of threads) {
        if (settle === null) await worker?.terminate()
        else worker?.unref()
      }
    },
  }
}

function startWorker(thread: Thread, settings: Pkcs11Settings): Worker {
  const worker = new Worker(new URL('./pkcs11-worker.ts', import.meta.url), { workerData: settings })
  worker.unref()
  const settle = (answer: Pkcs11Answer) => {
    const waiting = thread.settle
    thread.settle = null
    waiting?.(answer)
  }
  worker.on('message', settle)
  const end = () => {
    if (thread.worker === worker) thread.worker = null
    settle({ outcome: 'failed', kind: 'away', message: 'the thread of the module ended' })
  }
  worker.on('error', end)
  worker.on('exit', end)
  return worker
}

function requireReference(reference: string): Pkcs11Reference {
  const read = readPkcs11Reference(reference)
  if (read === null) throw new KeyFailure('refused', 'not a PKCS #11 reference')
  return read
}

const pinned = (
  reference: string,
  { algorithm, jwk }: { algorithm: KeyAlgorithm; jwk: Pkcs11Answers['create']['jwk'] },
): PinnedKey => ({ reference, algorithm, publicKey: createPublicKey({ key: jwk, format: 'jwk' }) })

// Sends requests outside the event loop, in the worker thread of request-thread.ts.

import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../threads/thread-priority.ts'
import type { Environment } from '../world.ts'
import { type Egress, egressUntil, makeEgress, requestHere } from './client.ts'
import type { Outcome } from './outcome.ts'
import type { ThreadOrder, ThreadReply, ThreadSettings } from './request-thread.ts'

lowerPriority()

const settings: ThreadSettings = workerData
const opened: Partial<Record<Environment, Egress>> = {}

const running = new Map<number, AbortController>()

/** Only a bug rejects. Then the thread ends. */
parentPort?.on('message', async ({ id, environment, options }: ThreadOrder) => {
  if (options === null) return running.get(id)?.abort('cancelled')
  const cancelled = new AbortController()
  running.set(id, cancelled)
  let bodyBytes = 0
  let handshakeBytes = 0
  opened[environment] ??= makeEgress(settings[environment])
  const egress = egressUntil(opened[environment], cancelled.signal)
  const onBodyBytes = (length: number) => {
    bodyBytes += length
  }
  const onHandshakeBytes = (bytes: number) => {
    handshakeBytes = bytes
  }
  const done = await requestHere(egress, { ...options, onBodyBytes, onHandshakeBytes }).catch((error: unknown) => {
    if (cancelled.signal.aborted) return null
    throw error
  })
  running.delete(id)
  if (done === null) return
  const outcome = withOwnBody(done)
  const buffers = outcome.outcome === 'answered' ? [outcome.body.buffer as ArrayBuffer] : []
  parentPort?.postMessage({ id, outcome, bodyBytes, handshakeBytes } satisfies ThreadReply, buffers)
})

/** Transfers the body instead of copying it. A view of a larger buffer must be copied first. */
function withOwnBody(outcome: Outcome): Outcome {
  if (outcome.outcome !== 'answered') return outcome
  const { body } = outcome
  return body.byteLength === body.buffer.byteLength ? outcome : { ...outcome, body: new Uint8Array(body) }
}

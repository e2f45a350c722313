// The worker thread that runs the engine's `readList` outside the event loop. See list-reader.ts.

import { getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { costOf, costOfUnreadable, lifetimeOf, memoryOf, readList } from '@vidimus/engine/list-content'
import type { ListJob, ListRead } from './list-reader.ts'

/**
 * Below the event loop, which requests wait for; not so low that a longest list takes more than READ_WITHIN_MS with few
 * processors. On Linux this is the priority of the calling thread, elsewhere it would be that of the process.
 */
const NICER_BY = 5
const NICEST = 19

function lowerPriority(): void {
  if (platform() !== 'linux') return
  try {
    setPriority(Math.min(NICEST, getPriority() + NICER_BY))
  } catch {
    // A sandboxed process may not be allowed to: lists are read all the same.
  }
}

lowerPriority()

parentPort?.on('message', ({ id, bytes, kind, most }: ListJob) => {
  const content = readList(bytes, kind)
  const cost = content === null ? costOfUnreadable(bytes.length, kind) : costOf(bytes, content)
  const isOverBudget = content !== null && (cost.bytes > most.bytes || cost.items > most.items)
  const isReturned = content !== null && !isOverBudget
  const read: ListRead = {
    id,
    cost,
    isOverBudget,
    read: isReturned ? { bytes, content, memory: memoryOf(bytes, content), lifetime: lifetimeOf(content) } : null,
  }
  const buffers = new Set<ArrayBuffer>()
  collectBuffers(read, buffers)
  parentPort?.postMessage(read, [...buffers])
})

/** Buffers are transferred, not copied. */
function collectBuffers(value: unknown, buffers: Set<ArrayBuffer>): void {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength) buffers.add(value.buffer)
  } else if (value instanceof Map) for (const member of value.values()) collectBuffers(member, buffers)
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) collectBuffers(member, buffers)
}

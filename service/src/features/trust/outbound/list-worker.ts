// Runs the engine's `readList` outside the event loop, in a worker thread of list-reader.ts.

import { parentPort } from 'node:worker_threads'
import { costOf, costOfUnreadable, lifetimeOf, memoryOf, readList } from '@vidimus/engine/list-content'
import { lowerPriority } from '../../../platform/threads/thread-priority.ts'
import type { ListJob, ListRead } from './list-reader.ts'

lowerPriority()

parentPort?.on('message', ({ id, bytes, kind, limit }: ListJob) => {
  const content = readList(bytes, kind)
  const cost = content === null ? costOfUnreadable(bytes.length, kind) : costOf(bytes, content)
  const isOverBudget = content !== null && (cost.bytes > limit.bytes || cost.items > limit.items)
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

/** Finds buffers in a value, which are then transferred instead of copied. */
function collectBuffers(value: unknown, buffers: Set<ArrayBuffer>): void {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength) buffers.add(value.buffer)
  } else if (value instanceof Map) for (const member of value.values()) collectBuffers(member, buffers)
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) collectBuffers(member, buffers)
}

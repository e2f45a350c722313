// The thread that reads lists, so that the event loop never does: the engine's `readList`, and nothing else. See list-reader.ts.

import { parentPort } from 'node:worker_threads'
import { costOf, costOfUnreadable, lifetimeOf, memoryOf, readList } from '@vidimus/engine/list-content'
import type { ListJob, ListRead } from './list-reader.ts'

parentPort?.on('message', ({ id, bytes, kind }: ListJob) => {
  const content = readList(bytes, kind)
  const read: ListRead = {
    id,
    bytes,
    cost: content === null ? costOfUnreadable(bytes.length, kind) : costOf(bytes, content),
    read: content === null ? null : { content, memory: memoryOf(bytes, content), lifetime: lifetimeOf(content) },
  }
  const buffers = new Set<ArrayBuffer>()
  collectBuffers(read, buffers)
  parentPort?.postMessage(read, [...buffers])
})

/** Everything that has bytes is handed over and not copied. */
function collectBuffers(value: unknown, buffers: Set<ArrayBuffer>): void {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength) buffers.add(value.buffer)
  } else if (value instanceof Map) for (const member of value.values()) collectBuffers(member, buffers)
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) collectBuffers(member, buffers)
}

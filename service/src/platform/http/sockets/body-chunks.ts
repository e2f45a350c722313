// Node hands a body over chunk by chunk as its sender cut it, and each costs as much memory and time as hundreds of bytes do. So a
// chunk has a weight of its own, and tiny ones are paid for.

import type { IncomingMessage } from 'node:http'
import { CHUNK_BYTES_AVERAGE, CHUNK_BYTES_LEAST, CHUNKS_AT_ONCE } from '../bounds/limits.ts'

/** What a chunk counts for wherever bytes of bodies are counted. */
export const weightOf = (chunk: Uint8Array): number => Math.max(chunk.length, CHUNK_BYTES_LEAST)

/** Whether the head announces a body at all. */
export function announcesBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}

/** Fastify reads the body of none of these. */
export const isBodyRead = (method: string | undefined): boolean => !['GET', 'HEAD', 'TRACE'].includes(method ?? '')

/**
 * Counts where Node's parser hands chunks over, before anybody keeps one. The first few are free; while they are tiny on average,
 * as many again are asked for each time, and `end` ends the connection where they are not granted.
 */
export function watchChunks(
  request: IncomingMessage,
  { isGranted, end }: { readonly isGranted: () => boolean; readonly end: () => void },
): void {
  const { socket } = request
  const push = request.push.bind(request)
  let chunks = 0
  let bytes = 0
  let granted = CHUNKS_AT_ONCE
  request.push = (chunk: Uint8Array | null) => {
    if (chunk === null) return push(null)
    if (socket.destroyed) return false
    chunks += 1
    bytes += chunk.length
    if (chunks <= granted || bytes >= chunks * CHUNK_BYTES_AVERAGE) return push(chunk)
    if (!isGranted()) {
      end()
      return false
    }
    granted = chunks - 1 + CHUNKS_AT_ONCE
    return push(chunk)
  }
}

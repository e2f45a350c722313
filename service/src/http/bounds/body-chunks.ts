// Node hands a body over chunk by chunk as its sender cut it, and each costs as much memory and time as hundreds of bytes do. So a
// chunk has a weight of its own, and a body of nothing but tiny ones ends its connection.

import type { IncomingMessage } from 'node:http'
import { BODY_CHUNKS_FREE, CHUNK_BYTES_AVERAGE, CHUNK_BYTES_LEAST } from './limits.ts'

/** What a chunk counts for wherever bytes of bodies are counted. */
export const weightOf = (chunk: Uint8Array): number => Math.max(chunk.length, CHUNK_BYTES_LEAST)

/** Whether the head announces a body at all. */
export function announcesBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}

/** Fastify reads the body of none of these. */
export const isBodyRead = (method: string | undefined): boolean => !['GET', 'HEAD', 'TRACE'].includes(method ?? '')

/**
 * Counts where Node's parser hands chunks over, before anybody keeps one; `tooMany` ends the connection. The parser goes on to the
 * end of the 64 KiB that it has, whatever becomes of the connection: what it hands over then is dropped here.
 */
export function watchChunks(request: IncomingMessage, tooMany: () => void): void {
  const { socket } = request
  const push = request.push.bind(request)
  let chunks = 0
  let bytes = 0
  request.push = (chunk: Uint8Array | null) => {
    if (chunk === null) return push(null)
    if (socket.destroyed) return false
    chunks += 1
    bytes += chunk.length
    if (chunks <= BODY_CHUNKS_FREE || bytes >= chunks * CHUNK_BYTES_AVERAGE) return push(chunk)
    tooMany()
    return false
  }
}

// Charges for tiny chunks of a body, because each costs as much memory and time as hundreds of bytes.

import type { IncomingMessage } from 'node:http'
import { CHUNK_BYTES_AVERAGE, CHUNK_BYTES_LEAST, CHUNKS_AT_ONCE } from '../bounds/limits.ts'

/** How many bytes a chunk counts for, wherever body bytes are counted. */
export const weightOf = (chunk: Uint8Array): number => Math.max(chunk.length, CHUNK_BYTES_LEAST)

/** Whether the request has a body, by its headers. */
export function announcesBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}

/** Fastify does not read the body of these methods. */
export const isBodyRead = (method: string | undefined): boolean => !['GET', 'HEAD', 'TRACE'].includes(method ?? '')

/**
 * Counts chunks as Node's parser emits them, before they are stored. If chunks are tiny on average, `isGranted` must
 * allow each lot after the first. If it refuses, `end` closes the connection.
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

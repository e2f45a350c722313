// Closes connections whose client does not read its responses, so that unread responses cannot fill our memory.

import type { Socket } from 'node:net'

interface UnreadWatch {
  watch(socket: Socket): void
  /** Closes connections whose clients read nothing for too long. */
  sweep(): void
}

export function createUnreadWatch(options: {
  readonly now: () => number
  readonly unreadMs: number
  readonly closeSocket: (socket: Socket) => void
}): UnreadWatch {
  const { now, unreadMs, closeSocket } = options
  /** For each socket, how many bytes the client has read, and when that number last changed. */
  const seen = new Map<Socket, { taken: number; at: number }>()
  return {
    watch(socket) {
      seen.set(socket, { taken: 0, at: now() })
      socket.once('close', () => seen.delete(socket))
    },
    sweep() {
      const at = now()
      for (const [socket, last] of seen) {
        const taken = socket.bytesWritten - socket.writableLength
        if (socket.writableLength === 0 || taken !== last.taken) seen.set(socket, { taken, at })
        else if (at - last.at > unreadMs) closeSocket(socket)
      }
    },
  }
}

// Connections whose client takes nothing of what was written for it end, so that nobody keeps our answers in our memory.

import type { Socket } from 'node:net'

export interface UnreadWatch {
  watch(socket: Socket): void
  /** Ends those that took nothing for too long. */
  sweep(): void
}

export function createUnreadWatch(options: {
  readonly now: () => number
  readonly unreadMs: number
  readonly cut: (socket: Socket) => void
}): UnreadWatch {
  const { now, unreadMs, cut } = options
  /** What each had taken when it last took something, and when that was. */
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
        else if (at - last.at > unreadMs) cut(socket)
      }
    },
  }
}

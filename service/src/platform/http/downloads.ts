// Streams files from the store, with limits per tenant and in total, and with a deadline.

import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Refusal } from '../errors.ts'
import { createShares, type Sender } from '../shares.ts'
import { DOWNLOADS, TIMES } from './bounds/limits.ts'

export interface Downloads {
  /** Takes a slot, opens the file and sends it. Releases the slot when both response and reading have ended. */
  send(reply: FastifyReply, tenantId: string, open: () => Promise<Download>): Promise<FastifyReply>
}

export interface Download {
  readonly type: string
  /** Absent: it is not a file to save. */
  readonly name?: string
  readonly lines: AsyncIterable<string>
}

const RETRY_SECONDS = 10

export function createDownloads(deadlineMs: number = TIMES.download): Downloads {
  const running = createShares(DOWNLOADS)
  return {
    async send(reply, tenantId, open) {
      const sender: Sender = [tenantId]
      const taken = running.take(sender, 1)
      if (taken === 'own_share_spent') throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: RETRY_SECONDS })
      if (taken === 'all_spent') throw new Refusal('unavailable', { retryAfterSeconds: RETRY_SECONDS, missing: 'room' })
      const closeConnection = () => reply.raw.destroy()
      const deadline = setTimeout(closeConnection, deadlineMs)
      // A connection that is already closed emits no further event.
      const closed = reply.raw.destroyed
        ? Promise.resolve()
        : new Promise<void>((resolve) => reply.raw.once('close', resolve))
      const opening = open()
      // Keeps the slot until `open` settles, even if the client disconnects.
      void Promise.allSettled([closed, opening]).then(() => {
        clearTimeout(deadline)
        running.give(sender, 1)
      })
      const { type, name, lines } = await opening
      if (name !== undefined) reply.header('Content-Disposition', `attachment; filename="${name}"`)
      const isHead = reply.request.method === 'HEAD'
      return reply.type(`${type}; charset=utf-8`).send(Readable.from(isHead ? [] : lines))
    },
  }
}

// Files that are read from the store while they are sent. Each holds a request at work for as long as its reader takes, so that
// they are few for a tenant and in all, and end by a deadline. The connection is ended then, before the file's own end: whoever
// reads it knows that there would be more.

import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Refusal } from '../../../platform/errors.ts'
import { DOWNLOADS, TIMES } from '../../../platform/http/bounds/limits.ts'
import { createShares, type Sender } from '../../../platform/shares.ts'

export interface Downloads {
  /** Takes a slot, asks for the file, and sends it; the slot is free when the answer is over and nothing more is read for it. */
  send(reply: FastifyReply, tenantId: string, open: () => Promise<Download>): Promise<FastifyReply>
}

export interface Download {
  readonly type: string
  readonly name: string
  readonly lines: AsyncIterable<string>
}

const RETRY_SECONDS = 10

export function createDownloads(deadlineMs: number = TIMES.download): Downloads {
  const running = createShares(DOWNLOADS)
  return {
    async send(reply, tenantId, open) {
      const who: Sender = [tenantId]
      const taken = running.take(who, 1)
      if (taken === 'own_share_spent') throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: RETRY_SECONDS })
      if (taken === 'all_spent') throw new Refusal('unavailable', { retryAfterSeconds: RETRY_SECONDS, missing: 'room' })
      const cut = () => reply.raw.destroy()
      const deadline = setTimeout(cut, deadlineMs)
      // Who left before is not told of again.
      const closed = reply.raw.destroyed
        ? Promise.resolve()
        : new Promise<void>((resolve) => reply.raw.once('close', resolve))
      const opening = open()
      // The slot is kept while anything runs for it, though its reader has left.
      void Promise.allSettled([closed, opening]).then(() => {
        clearTimeout(deadline)
        running.give(who, 1)
      })
      const { type, name, lines } = await opening
      return reply
        .type(`${type}; charset=utf-8`)
        .header('Content-Disposition', `attachment; filename="${name}"`)
        .send(Readable.from(lines))
    },
  }
}

// Reports in test what live would refuse: in a header, because the schemas of bodies allow no further members.

import type { FastifyReply } from 'fastify'
import type { Warning } from '../domain/choose.ts'

export const WARNING_HEADER = 'Vidimus-Warning'
const WARNINGS_MAX = 5

/** A list of strings (RFC 9651 §3.1, §3.3.3): the code and the message of each refusal. */
export function addWarnings(reply: FastifyReply, concerns: readonly Warning[]): void {
  if (concerns.length === 0) return
  const items = concerns.slice(0, WARNINGS_MAX).map(({ code, message }) => quoted(`${code}: ${message}`))
  reply.header(WARNING_HEADER, items.join(', '))
}

/** Headers are ASCII, so other characters (in the name of a claim) are replaced. */
function quoted(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')}"`
}

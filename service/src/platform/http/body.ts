// Bodies: read once, strictly, by the same JSON parser the engine judges presentations with.

import { MalformedJson, parseJson } from '@vidimus/engine/json'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../errors.ts'

/** A DCQL query is the largest thing a merchant sends. */
export const JSON_BODY_BYTES_MAX = 256 * 1024

export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseBody(body),
  )
}

function parseBody(body: Buffer): unknown {
  // As if there were none: a route that wants a body says so, one that wants none does not care.
  if (body.length === 0) return undefined
  try {
    const value = parseJson(decode(body))
    refuseReservedNames(value)
    return value
  } catch (error) {
    if (error instanceof MalformedJson || error instanceof TypeError) {
      throw new Refusal('invalid_request', { message: 'body: not valid JSON, or a member appears twice.' })
    }
    throw error
  }
}

/** Throws a TypeError on bytes that are not UTF-8; a byte order mark stays and is then no JSON. */
function decode(body: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
}

/** No merchant means `__proto__`, and some consumer downstream may copy members carelessly. */
function refuseReservedNames(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__')
      throw new Refusal('invalid_request', { message: "body: '__proto__' is not a member name." })
    refuseReservedNames(member)
  }
}

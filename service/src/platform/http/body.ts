// Parses bodies once and strictly, with the JSON parser that the engine uses for presentations.

import { jsonBudget, MalformedJson, parseJson } from '@vidimus/engine/json'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import { inTurnIfLong } from '../event-loop/in-turn.ts'
import { addressBucket } from './address.ts'

/** For callers that were authenticated before their body is read. A DCQL query is the largest body that a merchant sends. */
export const JSON_BODY_BYTES_MAX = 256 * 1024
/** For everyone else. The longest is a password of 1,024 characters. Routes with other bodies have their own limit. */
export const ANONYMOUS_BODY_BYTES_MAX = 8 * 1024

export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async ({ ip }: FastifyRequest, body: Buffer) => {
    await inTurnIfLong(addressBucket(ip), body.length)
    return parseBody(body)
  })
}

function parseBody(body: Buffer): unknown {
  // An empty body counts as absent: a route that needs a body refuses it, other routes ignore it.
  if (body.length === 0) return undefined
  try {
    // No merchant needs `__proto__`, and code that reads the members later may copy them carelessly.
    return parseJson(decode(body), jsonBudget(), '__proto__')
  } catch (error) {
    if (error instanceof MalformedJson || error instanceof TypeError) {
      throw new Refusal('invalid_request', {
        message: "body: not valid JSON, a member appears twice, or a member is called '__proto__'.",
      })
    }
    throw error
  }
}

/** Throws a TypeError for bytes that are not UTF-8. Keeps a byte order mark, so that the JSON parser refuses the text. */
function decode(body: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
}

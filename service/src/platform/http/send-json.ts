// Sends JSON that is already rendered, so that every reader gets the same bytes.

import type { FastifyReply } from 'fastify'
import { JSON_TYPE } from './send-problem.ts'

export function sendJson(
  reply: { readonly statusCode: number },
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): FastifyReply {
  // The reply type requires the object that the schema describes. The tests compare the text with the schema instead.
  return (reply as FastifyReply).code(status).type(JSON_TYPE).headers(headers).send(text)
}

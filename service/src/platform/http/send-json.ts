// Sends JSON that is already rendered, so that every reader gets the same bytes.

import type { FastifyReply } from 'fastify'
import { JSON_TYPE } from './send-problem.ts'

export function sendJson(
  reply: { readonly statusCode: number },
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): FastifyReply {
  // A route's reply type requires the object that its schema describes; the tests compare the text with it instead.
  return (reply as FastifyReply).code(status).type(JSON_TYPE).headers(headers).send(text)
}

// Reads a cookie of a request.

import type { FastifyRequest } from 'fastify'

/** null: there is none, or there are several, because an attacker may have planted one of them. */
export function onlyCookie(request: FastifyRequest, name: string): string | null {
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
  return found.length === 1 ? (found[0] ?? '').slice(name.length + 1) : null
}

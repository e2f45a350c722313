// Reads a cookie of a request.

import type { FastifyRequest } from 'fastify'

/**
 * Returns `name=value`. Removes only spaces and tabs, as browsers do. If other white space (U+00A0) precedes `__Host-`,
 * browsers do not see the prefix and let a sibling domain set the cookie, so the name must not match here either.
 */
export const cookiesOf = ({ headers }: FastifyRequest): readonly string[] =>
  (headers.cookie ?? '').split(';').map((pair) => pair.replace(/^[ \t]+/, ''))

/** null if there is no such cookie, or several, because an attacker may have planted one. */
export function onlyCookie(request: FastifyRequest, name: string): string | null {
  const found = cookiesOf(request).filter((pair) => pair.startsWith(`${name}=`))
  return found.length === 1 ? (found[0] ?? '').slice(name.length + 1) : null
}

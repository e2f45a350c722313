// Reads a cookie of a request.

import type { FastifyRequest } from 'fastify'

/**
 * As `name=value`. Only spaces and tabs are removed, as in browsers: they take other white space (U+00A0) for a part of
 * the name, which then does not begin with `__Host-`, so that a sibling domain could set it.
 */
export const cookiesOf = ({ headers }: FastifyRequest): readonly string[] =>
  (headers.cookie ?? '').split(';').map((pair) => pair.replace(/^[ \t]+/, ''))

/** null: there is none, or there are several, because an attacker may have planted one of them. */
export function onlyCookie(request: FastifyRequest, name: string): string | null {
  const found = cookiesOf(request).filter((pair) => pair.startsWith(`${name}=`))
  return found.length === 1 ? (found[0] ?? '').slice(name.length + 1) : null
}

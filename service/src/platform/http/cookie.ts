// Reads a cookie of a request.

import type { FastifyRequest } from 'fastify'

/** No browser keeps as many for one host. */
const PAIRS_MAX = 400
/** A page may ask for a dozen names. */
const parsed = new WeakMap<FastifyRequest, readonly string[]>()

/**
 * Returns `name=value`; none if there are too many, of which a part could hide a planted one. Removes only spaces and tabs, as browsers do. If other white space (U+00A0) precedes `__Host-`,
 * browsers do not see the prefix and let a sibling domain set the cookie, so the name must not match here either.
 */
export function cookiesOf(request: FastifyRequest): readonly string[] {
  const known = parsed.get(request)
  if (known !== undefined) return known
  const pairs = (request.headers.cookie ?? '').split(';', PAIRS_MAX + 1)
  const cookies = pairs.length > PAIRS_MAX ? [] : pairs.map((pair) => pair.replace(/^[ \t]+/, ''))
  parsed.set(request, cookies)
  return cookies
}

/** null if there is no such cookie, or several, because an attacker may have planted one. */
export function onlyCookie(request: FastifyRequest, name: string): string | null {
  const found = cookiesOf(request).filter((pair) => pair.startsWith(`${name}=`))
  return found.length === 1 ? (found[0] ?? '').slice(name.length + 1) : null
}

// Rewrites targets that Fastify cannot route or decode, so that hooks, budgets and metrics see them.

/** The target of a request in the form that the router can look up. */
export function decodableTarget(requested: string): string {
  const target = requested.startsWith('/') || requested === '*' ? requested : withoutAuthority(requested)
  const end = target.search(/[?#]/)
  const path = end === -1 ? target : target.slice(0, end)
  return isDecodable(path) ? target : path.replaceAll('%', '%25') + target.slice(path.length)
}

/**
 * RFC 9112 §3.2.2: a request to a proxy names the whole URL. It is cut and not parsed: no budget has counted the request
 * yet, and parsing a long host of combining characters takes milliseconds.
 */
function withoutAuthority(address: string): string {
  const [scheme] = /^https?:\/\//i.exec(address) ?? []
  if (scheme === undefined) return '/no-address'
  const rest = address.slice(scheme.length)
  const end = rest.search(/[/?#]/)
  if (end === -1) return '/'
  return rest[end] === '/' ? rest.slice(end) : `/${rest.slice(end)}`
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

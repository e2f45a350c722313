// Rewrites targets that Fastify cannot decode, so that hooks, budgets and metrics see them.

/** The target of a request in the form that the router can look up. */
export function decodableTarget(requested: string): string {
  const target = requested.startsWith('/') || requested === '*' ? requested : pathOfAddress(requested)
  const end = target.search(/[?#]/)
  const path = end === -1 ? target : target.slice(0, end)
  return isDecodable(path) ? target : path.replaceAll('%', '%25') + target.slice(path.length)
}

/** RFC 9112 §3.2.2: a request to a proxy names the whole URL. */
function pathOfAddress(address: string): string {
  const url = URL.parse(address)
  const isOurs = url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
  return isOurs ? url.pathname + url.search : '/no-address'
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

// Fastify answers a target that it cannot look up by itself, past every hook: without a budget, without our headers, uncounted.
// So a percent sign that begins nothing stands for itself, a whole address counts by its path, and one that is none is a path that
// nobody has: each is a path like any other.

/** The request's target as routes are looked up by. */
export function decodableTarget(given: string): string {
  const target = given.startsWith('/') || given === '*' ? given : pathOfAddress(given)
  const end = target.search(/[?#]/)
  const path = end === -1 ? target : target.slice(0, end)
  return isDecodable(path) ? target : path.replaceAll('%', '%25') + target.slice(path.length)
}

/** RFC 9112 §3.2.2: whoever speaks to a proxy names the whole address. */
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

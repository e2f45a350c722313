// Fastify answers a path that cannot be decoded by itself, past every hook: without a budget, without our headers, uncounted.
// So a percent sign that begins nothing stands for itself, and the path is one like any other.

/** The request's target as routes are looked up by. */
export function decodableTarget(target: string): string {
  const end = target.search(/[?#]/)
  const path = end === -1 ? target : target.slice(0, end)
  return isDecodable(path) ? target : path.replaceAll('%', '%25') + target.slice(path.length)
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

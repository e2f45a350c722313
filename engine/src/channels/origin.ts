// The origin of a page or an app, as its platform writes it.

/** One at least, and each as the platform will write it. Throws. */
export function requireOrigins(origins: readonly string[]): void {
  if (origins.length === 0) throw new Error('bug: a request of no origin')
  if (!origins.every(isOrigin)) throw new Error('bug: an origin that no platform writes so')
}

/**
 * As wallets compare it, letter for letter: a page's origin is `https` (or `http` on this very machine), host and port
 * without slash or path; that of an app is a text of its own kind, such as `android:apk-key-hash:…`.
 */
export function isOrigin(text: string): boolean {
  if (!/^https?:/i.test(text)) return /^[a-z][a-z0-9+.-]*:[\x21-\x2e\x30-\x7e]+$/.test(text)
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.origin !== text) return false
  return url.protocol === 'https:' || isLoopback(url.hostname)
}

/**
 * This very machine, as `URL` writes it: over plain http its pages alone are secure contexts, and have the API (W3C Secure Contexts
 * §3.1). Names below `localhost` are not taken: not every system keeps them on the machine.
 */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

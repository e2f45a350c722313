// Checks that the origin of a page or an app has the form in which its platform writes it.

/** Throws if there is no origin, or if an origin does not have the form that platforms write. */
export function requireOrigins(origins: readonly string[]): void {
  if (origins.length === 0) throw new Error('bug: a request without an origin')
  if (!origins.every(isOrigin)) throw new Error('bug: an origin is not in the form that platforms write')
}

/**
 * Wallets compare origins character by character. A page's origin is `https` (or `http` on this machine), host and
 * port, without a slash or a path. An app's origin has its own form, such as `android:apk-key-hash:…`.
 */
export function isOrigin(text: string): boolean {
  if (!/^https?:/i.test(text)) return /^[a-z][a-z0-9+.-]*:[\x21-\x2e\x30-\x7e]+$/.test(text)
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.origin !== text) return false
  return url.protocol === 'https:' || isLoopback(url.hostname)
}

/**
 * Whether the host is this machine, as `URL` writes it: its pages have the API over plain http too (W3C Secure Contexts
 * §3.1). Names below `localhost` are refused, because not every system resolves them to this machine.
 */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

// By which way did we ask? What an answer must be bound to follows from it: the audience of a key binding JWT, and the
// session transcript of an mdoc (mdoc/transcript.ts). Everything here is our own request's, never the sender's.

export type Channel = RedirectChannel | DcApiChannel | AnnexCChannel

/** OpenID4VP by a link or a QR code: the wallet posts its answer to us. */
export interface RedirectChannel {
  readonly kind: 'redirect'
  /** The full client_id with its prefix. */
  readonly clientId: string
  /** The exact response_uri of the request object. */
  readonly responseUri: string
}

/** OpenID4VP through the Digital Credentials API (Annex A): the platform tells the wallet the page's origin. */
export interface DcApiChannel {
  readonly kind: 'dc_api'
  /** Of the pages that may have asked, as browsers write them: nearly always one. */
  readonly origins: readonly string[]
}

/** ISO 18013-7 Annex C through the same API. */
export interface AnnexCChannel {
  readonly kind: 'annex_c'
  readonly origins: readonly string[]
  /** The text that was sent, letter for letter: the transcript is over it, and the nonce is in it. */
  readonly encryptionInfo: string
}

/** What `aud` of a key binding JWT may be. OpenID4VP A.4: over the API it is the origin, also where the request was signed. */
export function audiencesOf(channel: Channel): readonly string[] {
  switch (channel.kind) {
    case 'redirect':
      return [channel.clientId]
    case 'dc_api':
      return channel.origins.map((origin) => `origin:${origin}`)
    case 'annex_c':
      // Nothing but mdocs travels there.
      return []
  }
}

/** A channel that binds to nothing would take an answer to anybody: that is our fault, not the sender's. Throws. */
export function demandChannel(channel: Channel): void {
  if (channel.kind === 'redirect') {
    if (channel.clientId === '' || channel.responseUri === '')
      throw new Error('bug: a request without client_id or response_uri')
    return
  }
  demandOrigins(channel.origins)
  if (channel.kind === 'annex_c' && channel.encryptionInfo === '')
    throw new Error('bug: a request without encryptionInfo')
}

/** One at least, and each as the platform will write it. Throws. */
export function demandOrigins(origins: readonly string[]): void {
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

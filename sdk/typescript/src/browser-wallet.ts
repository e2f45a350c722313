// Asks wallets through the browser's Digital Credentials API, and sends their answer to the service.

/** A request in one protocol, as the service wrote it. */
interface CredentialRequest {
  readonly protocol: string
  readonly data: object
}

interface BrowserCredential {
  readonly protocol: string
  readonly data: unknown
}

/** Not in the DOM's types yet. */
interface BrowserApi {
  readonly DigitalCredential?: { userAgentAllowsProtocol?(protocol: string): boolean }
  readonly navigator?: {
    readonly credentials: {
      get(options: {
        readonly digital: { readonly requests: readonly CredentialRequest[] }
        readonly signal: AbortSignal
      }): Promise<BrowserCredential | null>
    }
  }
}

/**
 * `taken`: the service has this answer or another one. The status says how it ended.
 * `cancelled`: no answer, because there is no wallet or the holder declined. Browsers do not say which.
 * `failed`: the browser or the service failed.
 */
export type BrowserOutcome =
  | { readonly kind: 'taken'; readonly redirectUri: string | null }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed' }

export interface BrowserWallet {
  /** Call it in the task of a click, before any `await`: browsers require a gesture. */
  ask(): Promise<BrowserOutcome>
}

const TRIES = 3

/** Null if this browser cannot ask, or this verification cannot be answered on this page. Then use the QR code or the link. */
export async function openBrowserWallet(
  verification: { readonly base: string; readonly id: string },
  signal: AbortSignal,
): Promise<BrowserWallet | null> {
  const { DigitalCredential, navigator } = globalThis as unknown as BrowserApi
  if (DigitalCredential === undefined || navigator === undefined) return null
  const address = `${verification.base}/wallet/dc-api/${encodeURIComponent(verification.id)}`
  const offered = await fetchOffer(address, signal)
  // Older browsers do not say what they allow, so the code tries.
  const requests = offered.filter(({ protocol }) => DigitalCredential.userAgentAllowsProtocol?.(protocol) ?? true)
  if (requests.length === 0) return null
  return {
    ask: () => handOn(address, navigator.credentials.get({ digital: { requests }, signal }), signal),
  }
}

async function fetchOffer(address: string, signal: AbortSignal): Promise<readonly CredentialRequest[]> {
  try {
    const answer = await fetch(address, {
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
    })
    if (!answer.ok) return []
    return ((await answer.json()) as { requests: readonly CredentialRequest[] }).requests
  } catch {
    return []
  }
}

async function handOn(
  address: string,
  answered: Promise<BrowserCredential | null>,
  signal: AbortSignal,
): Promise<BrowserOutcome> {
  try {
    const credential = await answered
    if (credential === null) return { kind: 'cancelled' }
    const { protocol, data } = credential
    const outcome = await send(address, JSON.stringify({ protocol, data }), signal)
    // An error of the wallet does not end the verification.
    const isError = typeof data === 'object' && data !== null && 'error' in data
    return outcome.kind === 'taken' && outcome.redirectUri === null && isError ? { kind: 'cancelled' } : outcome
  } catch (error) {
    return { kind: error instanceof DOMException && error.name === 'NotAllowedError' ? 'cancelled' : 'failed' }
  }
}

/** Retries while the service is busy or unreachable, because the holder has already answered. */
async function send(address: string, body: string, signal: AbortSignal): Promise<BrowserOutcome> {
  for (let tries = TRIES; ; tries -= 1) {
    const answer = await post(address, body)
    if (answer?.ok === true) {
      const { redirect_uri: redirectUri } = (await answer.json()) as { redirect_uri?: string }
      return { kind: 'taken', redirectUri: redirectUri ?? null }
    }
    // Another answer came first, or this one is too late. The status says so.
    if (answer?.status === 409 || answer?.status === 410) return { kind: 'taken', redirectUri: null }
    const again = answer === null || answer.status === 429 || answer.status === 503
    if (!again || tries <= 1 || signal.aborted) return { kind: 'failed' }
    const seconds = Number(answer?.headers.get('retry-after')) || 1
    await new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000))
  }
}

/** Not aborted once sent: the answer may have the redirect address, even if the status ended before it arrived. */
async function post(address: string, body: string): Promise<Response | null> {
  try {
    return await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      credentials: 'omit',
      body,
      signal: AbortSignal.timeout(30_000),
    })
  } catch {
    return null
  }
}

// <vidimus-verify>: asks wallets through the browser if it can, shows a code to scan and a button for this device, and the progress. For the
// merchant's page; it needs no key. It tells the page when to continue. The merchant's server must read the result from the service, because
// a browser can be deceived.

import { openBrowserWallet } from './browser-wallet.ts'
import { drawElement, type ElementStatus, type ElementView } from './element-view.ts'
import { openWakeUps, type WakeUps } from './wake-ups.ts'

export type { ElementStatus } from './element-view.ts'

export interface ElementStatusDetail {
  readonly id: string
  /** `unknown`: there is no such verification, or it was erased. */
  readonly status: ElementStatus
}

export interface ElementRedirectDetail {
  readonly id: string
  /** The merchant's `redirect_url` with the response code, which its server redeems once. */
  readonly redirectUri: string
}

const NAME = 'vidimus-verify'
const ATTRIBUTES = ['base-url', 'verification', 'wallet-uri'] as const
/** How much less often to poll while the page is hidden, and while the service does not answer. */
const SLOW = 4

// Where there is no document (a server that renders pages), the module may still be imported.
const Base: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as unknown as typeof HTMLElement)

/**
 * ```html
 * <vidimus-verify base-url="https://verify.example.com" verification="ver_…" wallet-uri="openid4vp://…"></vidimus-verify>
 * ```
 *
 * Each attribute may be written with `data-` before its name. Raises `vidimus-status` (bubbling, `detail: { id, status }`) at
 * every change of the status, and `vidimus-redirect` (bubbling, cancelable, `detail: { id, redirectUri }`) where this page's
 * browser had the answer and the verification has a `redirect_url`; the page goes there unless that is prevented. Style it by the
 * parts `code`, `button`, `ways`, `note`, `mark` and `status`, and by `--vidimus-accent`.
 */
export class VidimusVerifyElement extends Base {
  static readonly observedAttributes: readonly string[] = [
    ...ATTRIBUTES,
    ...ATTRIBUTES.map((name) => `data-${name}`),
    'lang',
  ]
  #watch: AbortController | null = null
  /** The verification it shows now: what an earlier one's answer says leads nowhere any more. */
  #shown: string | null = null

  connectedCallback(): void {
    this.#begin()
  }

  disconnectedCallback(): void {
    this.#watch?.abort()
    this.#watch = null
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (this.isConnected && before !== after) this.#begin()
  }

  #begin(): void {
    this.#watch?.abort()
    const watch = new AbortController()
    this.#watch = watch
    const terms = termsOf(this)
    this.#shown = terms?.id ?? null
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    if (terms === null) {
      root.replaceChildren()
      return
    }
    const view = drawElement(root, {
      codeUrl: `${terms.base}/verify/${encodeURIComponent(terms.id)}/qr.svg`,
      walletUri: terms.walletUri,
      language: this.closest('[lang]')?.getAttribute('lang') ?? '',
    })
    const { id } = terms
    void follow(terms, watch.signal, (status) => {
      // A chooser that is still open has nothing left to choose.
      if (status !== 'pending') watch.abort()
      view.show(status)
      this.#raise('vidimus-status', { id, status })
    })
    void this.#offerBrowser(terms, { view, signal: watch.signal })
  }

  async #offerBrowser(terms: Terms, { view, signal }: { view: ElementView; signal: AbortSignal }): Promise<void> {
    const wallet = await openBrowserWallet(terms, signal)
    if (wallet === null || signal.aborted) return
    view.offerBrowser(async () => {
      const outcome = await wallet.ask()
      if (outcome.kind === 'taken' && outcome.redirectUri !== null) this.#goOn(terms.id, outcome.redirectUri)
      return outcome.kind
    })
  }

  #goOn(id: string, redirectUri: string): void {
    // Never a link that runs a script, and nowhere from a page that took the element away.
    if (!/^https?:\/\//.test(redirectUri) || !this.isConnected || this.#shown !== id) return
    if (this.#raise('vidimus-redirect', { id, redirectUri })) location.assign(redirectUri)
  }

  /** False if a listener prevented the default. */
  #raise(name: string, detail: ElementStatusDetail | ElementRedirectDetail): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }))
  }
}

interface Terms {
  readonly base: string
  readonly id: string
  readonly walletUri: string
}

/** Attributes may come one by one; until all are there, nothing is shown. */
function termsOf(element: HTMLElement): Terms | null {
  const [base, id, walletUri] = ATTRIBUTES.map(
    (name) => element.getAttribute(name) ?? element.getAttribute(`data-${name}`) ?? '',
  )
  if (!base || !id || !walletUri) return null
  // Never a link that runs a script.
  if (!/^https?:\/\//.test(base) || !/^(?:openid4vp|haip-vp):\/\//.test(walletUri)) {
    console.error(`<${NAME}> needs an http(s) base-url and an openid4vp:// wallet-uri`)
    return null
  }
  return { base: base.replace(/\/+$/, ''), id, walletUri }
}

async function follow(terms: Terms, signal: AbortSignal, tell: (status: ElementStatus) => void): Promise<void> {
  let told: ElementStatus | null = null
  let wakeUps: WakeUps | null = null
  while (!signal.aborted) {
    const { status, leastMs } = await ask(terms, signal)
    if (signal.aborted) return
    if (status !== null && status !== told) tell(status)
    told = status ?? told
    if (told !== null && told !== 'pending') return
    wakeUps ??= openWakeUps(`${terms.base}/verify/${encodeURIComponent(terms.id)}/events`, signal)
    await wakeUps.wait({ slow: status === null || document.hidden ? SLOW : 1, leastMs })
  }
}

/** null: the service did not say. */
async function ask(
  { base, id }: Terms,
  signal: AbortSignal,
): Promise<{ status: ElementStatus | null; leastMs: number }> {
  try {
    const answer = await fetch(`${base}/v1/verifications/${encodeURIComponent(id)}/status`, {
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
    })
    if (answer.status === 404) return { status: 'unknown', leastMs: 0 }
    if (answer.ok) return { status: ((await answer.json()) as ElementStatusDetail).status, leastMs: 0 }
    return { status: null, leastMs: Number(answer.headers.get('retry-after') ?? 0) * 1000 }
  } catch {
    return { status: null, leastMs: 0 }
  }
}

if (globalThis.customElements !== undefined && customElements.get(NAME) === undefined) {
  customElements.define(NAME, VidimusVerifyElement)
}

// Defines <vidimus-verify>: a card with the question, the ways to answer it, the progress and the end.

import { openBrowserWallet } from './browser-wallet.ts'
import { drawElement, type ElementStatus, type ElementView } from './card/view.ts'
import { elementLanguage } from './card/words.ts'
import { openWakeUps, type WakeUps } from './wake-ups.ts'
import type { VerificationCard } from './wire.ts'

export type { ElementStatus } from './card/view.ts'

/** The merchant's server must read the result from the service, because a browser can be deceived. */
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

/** The detail of `vidimus-retry` and `vidimus-cancel`. */
export interface ElementRetryDetail {
  readonly id: string
}

const NAME = 'vidimus-verify'
const ATTRIBUTES = ['base-url', 'verification', 'wallet-uri'] as const
/** How much less often to poll while the page is hidden, and while the service does not answer. */
const SLOW = 4
/** The end is shown without its reason if the service does not say it by then. */
const CARD_MS_MAX = 4_000

// The module can also be imported without a document, for example by a server that renders pages.
const Base: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as unknown as typeof HTMLElement)

/**
 * ```html
 * <vidimus-verify base-url="https://verify.example.com" verification="ver_…" wallet-uri="openid4vp://…"></vidimus-verify>
 * ```
 *
 * Each attribute may be written with `data-` before its name. Raises `vidimus-status` (bubbling, `detail: { id, status }`) at
 * every change of the status, and `vidimus-redirect` (bubbling, cancelable, `detail: { id, redirectUri }`) where this page's
 * browser had the answer and the verification has a `redirect_url`; the page goes there unless that is prevented. `vidimus-retry`
 * (bubbling, cancelable, `detail: { id }`) asks for a new verification: set the attributes to it and prevent the default, which
 * reloads the page. `vidimus-cancel` (bubbling, cancelable, `detail: { id }`) says that the person left; cancel the verification
 * on your server. Style it by the parts `card`, `question`, `heading`, `code`, `button`, `ways`, `note`, `mark` and `status`, and by
 * `--vidimus-accent` and `--vidimus-surface` (the card's background); otherwise it has the colours of your brand, light or dark by
 * the page's `color-scheme`.
 */
export class VidimusVerifyElement extends Base {
  static readonly observedAttributes: readonly string[] = [
    ...ATTRIBUTES,
    ...ATTRIBUTES.map((name) => `data-${name}`),
    'lang',
  ]
  #watch: AbortController | null = null
  /** The current verification. Answers to earlier ones are ignored. */
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
    const language = elementLanguage(this.closest('[lang]')?.getAttribute('lang') ?? '')
    const view = drawElement(root, {
      codeUrl: `${terms.base}/verify/${encodeURIComponent(terms.id)}/qr.svg`,
      walletUri: terms.walletUri,
      language,
      retry: () => {
        if (this.#raise('vidimus-retry', { id: terms.id })) location.reload()
      },
      cancel: () => {
        if (!this.#raise('vidimus-cancel', { id: terms.id })) return
        watch.abort()
        view.showCancelled()
      },
    })
    const { id } = terms
    void fetchCard(terms, language).then((card) => {
      if (card !== null && !watch.signal.aborted) view.showCard(card)
    })
    const tell = (status: ElementStatus) => {
      // Closes a wallet chooser that is still open.
      if (status !== 'pending') {
        watch.abort()
        void fetchCard(terms, language).then((card) => view.show(status, card))
      }
      this.#raise('vidimus-status', { id, status })
    }
    void follow(terms, watch.signal, { tell, onStep: (step) => view.show(step, null) })
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
    // Never follows a link that runs a script, and does not redirect if the page has removed the element.
    if (!/^https?:\/\//.test(redirectUri) || !this.isConnected || this.#shown !== id) return
    if (this.#raise('vidimus-redirect', { id, redirectUri })) location.assign(redirectUri)
  }

  /** False if a listener prevented the default. */
  #raise(name: string, detail: ElementStatusDetail | ElementRedirectDetail | ElementRetryDetail): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }))
  }
}

interface Terms {
  readonly base: string
  readonly id: string
  readonly walletUri: string
}

/** Attributes may be set one by one. Shows nothing until all are set. */
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

interface Follower {
  tell(status: ElementStatus): void
  onStep(step: string): void
}

async function follow(terms: Terms, signal: AbortSignal, { tell, onStep }: Follower): Promise<void> {
  let reported: ElementStatus | null = null
  let wakeUps: WakeUps | null = null
  while (!signal.aborted) {
    const { status, leastMs } = await ask(terms, signal)
    if (signal.aborted) return
    if (status !== null && status !== reported) tell(status)
    reported = status ?? reported
    if (reported !== null && reported !== 'pending') return
    wakeUps ??= openWakeUps(`${terms.base}/verify/${encodeURIComponent(terms.id)}/events`, signal, onStep)
    await wakeUps.wait({ slow: status === null || document.hidden ? SLOW : 1, leastMs })
  }
}

/** In the language of the page; null if the service refuses, for example because another browser holds the verification. */
async function fetchCard({ base, id }: Terms, language: string): Promise<VerificationCard | null> {
  try {
    const answer = await fetch(
      `${base}/verify/${encodeURIComponent(id)}/card?${new URLSearchParams({ lang: language })}`,
      {
        cache: 'no-store',
        credentials: 'omit',
        signal: AbortSignal.timeout(CARD_MS_MAX),
      },
    )
    return answer.ok ? ((await answer.json()) as VerificationCard) : null
  } catch {
    return null
  }
}

/** null: the service did not answer. */
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

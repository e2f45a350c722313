// <vidimus-verify>: a code to scan, a button for this device, and how it stands. For the merchant's page; needs no key.
// It tells the page when to go on. What was verified, the merchant's server asks of the service: a browser can be lied to.

export type ElementStatus = 'pending' | 'completed' | 'failed' | 'expired' | 'unknown'

export interface ElementStatusDetail {
  readonly id: string
  /** `unknown`: there is no such verification, or it was erased. */
  readonly status: ElementStatus
}

const NAME = 'vidimus-verify'
const ATTRIBUTES = ['base-url', 'verification', 'wallet-uri', 'lang'] as const
const PAUSE_MS = 1_500
/** While nobody looks, and while the service does not answer. */
const SLOW = 4

const WORDS = {
  en: {
    scan: 'Scan this code with your wallet',
    code: 'Code for your wallet app',
    open: 'Open the wallet on this device',
    pending: 'Waiting for your wallet…',
    completed: '✓ Your answer has arrived.',
    failed: '✕ The proof was not accepted.',
    expired: 'The time is over. Please start again.',
    unknown: 'This request no longer exists. Please start again.',
  },
  de: {
    scan: 'Scannen Sie diesen Code mit Ihrer Wallet',
    code: 'Code für Ihre Wallet-App',
    open: 'Wallet auf diesem Gerät öffnen',
    pending: 'Warten auf Ihre Wallet…',
    completed: '✓ Ihre Antwort ist da.',
    failed: '✕ Der Nachweis wurde nicht angenommen.',
    expired: 'Die Zeit ist abgelaufen. Bitte beginnen Sie neu.',
    unknown: 'Diese Anfrage gibt es nicht mehr. Bitte beginnen Sie neu.',
  },
} as const

const STYLE = `
:host { display: block; max-width: 20rem; text-align: center; font: inherit; color: inherit }
img { width: 100%; aspect-ratio: 1; background: #fff; border-radius: .5rem }
a { display: block; margin: .75rem 0; padding: .75rem 1rem; border-radius: .5rem; background: var(--vidimus-accent, #1b4fd6);
  color: var(--vidimus-accent-text, #fff); text-decoration: none; font-weight: 600 }
a:focus-visible { outline: 3px solid currentColor; outline-offset: 2px }
p { margin: .5rem 0 }
[hidden] { display: none }
`

// Where there is no document (a server that renders pages), the module may still be imported.
const Base: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as unknown as typeof HTMLElement)

/**
 * ```html
 * <vidimus-verify base-url="https://verify.example.com" verification="ver_…" wallet-uri="openid4vp://…"></vidimus-verify>
 * ```
 *
 * Raises `vidimus-status` (bubbling, `detail: { id, status }`) at every change of the status. Style it by the parts `code`,
 * `button` and `status`, and by `--vidimus-accent`.
 */
export class VidimusVerifyElement extends Base {
  static readonly observedAttributes: readonly string[] = ATTRIBUTES
  #watch: AbortController | null = null

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
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    if (terms === null) {
      root.replaceChildren()
      return
    }
    const view = draw(root, terms)
    void follow(terms, watch.signal, (status) => {
      view(status)
      const detail: ElementStatusDetail = { id: terms.id, status }
      this.dispatchEvent(new CustomEvent('vidimus-status', { detail, bubbles: true, composed: true }))
    })
  }
}

interface Terms {
  readonly base: string
  readonly id: string
  readonly walletUri: string
  readonly words: (typeof WORDS)['en' | 'de']
}

/** Attributes may come one by one; until all are there, nothing is shown. */
function termsOf(element: HTMLElement): Terms | null {
  const [base, id, walletUri] = ATTRIBUTES.map((name) => element.getAttribute(name) ?? '')
  if (!base || !id || !walletUri) return null
  // Never a link that runs a script.
  if (!/^https?:\/\//.test(base) || !/^(?:openid4vp|haip-vp):\/\//.test(walletUri)) {
    console.error(`<${NAME}> needs an http(s) base-url and an openid4vp:// wallet-uri`)
    return null
  }
  const language = element.closest('[lang]')?.getAttribute('lang') ?? ''
  const words = language.toLowerCase().startsWith('de') ? WORDS.de : WORDS.en
  return { base: base.replace(/\/+$/, ''), id, walletUri, words }
}

/** Nodes, never HTML; a constructed style sheet, which a strict content security policy allows. */
function draw(root: ShadowRoot, { base, id, walletUri, words }: Terms): (status: ElementStatus) => void {
  const style = new CSSStyleSheet()
  style.replaceSync(STYLE)
  root.adoptedStyleSheets = [style]
  const hint = make('p', {}, words.scan)
  const code = make('img', { part: 'code', alt: words.code, src: `${base}/verify/${encodeURIComponent(id)}/qr.svg` })
  const button = make('a', { part: 'button', href: walletUri, rel: 'noreferrer' }, words.open)
  const said = make('p', { part: 'status', role: 'status', 'aria-live': 'polite' }, words.pending)
  root.replaceChildren(hint, code, button, said)
  return (status) => {
    for (const part of [hint, code, button]) part.hidden = status !== 'pending'
    said.textContent = words[status]
  }
}

function make(name: string, attributes: Readonly<Record<string, string>>, text = ''): HTMLElement {
  const element = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  element.textContent = text
  return element
}

async function follow(terms: Terms, signal: AbortSignal, tell: (status: ElementStatus) => void): Promise<void> {
  let told: ElementStatus | null = null
  while (!signal.aborted) {
    const { status, pause } = await ask(terms, signal)
    if (signal.aborted) return
    if (status !== null && status !== told) tell(status)
    told = status ?? told
    if (told !== null && told !== 'pending') return
    await new Promise<void>((resolve) => setTimeout(resolve, document.hidden ? pause * SLOW : pause))
  }
}

async function ask({ base, id }: Terms, signal: AbortSignal): Promise<{ status: ElementStatus | null; pause: number }> {
  try {
    const answer = await fetch(`${base}/v1/verifications/${encodeURIComponent(id)}/status`, {
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
    })
    if (answer.status === 404) return { status: 'unknown', pause: 0 }
    if (answer.ok) return { status: ((await answer.json()) as ElementStatusDetail).status, pause: PAUSE_MS }
    return { status: null, pause: Math.max(PAUSE_MS * SLOW, Number(answer.headers.get('retry-after') ?? 0) * 1000) }
  } catch {
    return { status: null, pause: PAUSE_MS * SLOW }
  }
}

if (globalThis.customElements !== undefined && customElements.get(NAME) === undefined) {
  customElements.define(NAME, VidimusVerifyElement)
}

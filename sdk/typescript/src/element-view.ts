// What <vidimus-verify> shows: one button where the browser can ask a wallet, the other ways below it, and how it stands.

import type { BrowserOutcome } from './browser-wallet.ts'

export type ElementStatus = 'pending' | 'completed' | 'failed' | 'expired' | 'unknown'

const WORDS = {
  en: {
    browser: 'Use a wallet on this device or phone',
    ways: 'Other ways',
    troubled: 'That did not work. You can try again, or take one of the other ways.',
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
    browser: 'Wallet auf diesem Gerät oder Telefon verwenden',
    ways: 'Andere Wege',
    troubled: 'Das hat nicht geklappt. Sie können es noch einmal versuchen oder einen der anderen Wege nehmen.',
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
a, button { display: block; box-sizing: border-box; width: 100%; margin: .75rem 0; padding: .75rem 1rem; border: 0; border-radius: .5rem;
  background: var(--vidimus-accent, #1b4fd6); color: var(--vidimus-accent-text, #fff); font: inherit; font-weight: 600;
  text-decoration: none; cursor: pointer }
button:disabled { opacity: .6; cursor: progress }
summary { padding: .5rem 0; cursor: pointer }
a:focus-visible, button:focus-visible, summary:focus-visible { outline: 3px solid currentColor; outline-offset: 2px }
p { margin: .5rem 0 }
[hidden] { display: none }
`

export interface ViewTerms {
  readonly codeUrl: string
  readonly walletUri: string
  /** Of the page around it. */
  readonly language: string
}

export interface ElementView {
  show(status: ElementStatus): void
  /** One button first, the other ways folded below. `ask` is called in the task of the click. */
  offerBrowser(ask: () => Promise<BrowserOutcome['kind']>): void
}

/** Nodes, never HTML; a constructed style sheet, which a strict content security policy allows. */
export function drawElement(root: ShadowRoot, { codeUrl, walletUri, language }: ViewTerms): ElementView {
  const words = language.toLowerCase().startsWith('de') ? WORDS.de : WORDS.en
  const style = new CSSStyleSheet()
  style.replaceSync(STYLE)
  root.adoptedStyleSheets = [style]
  const button = make('button', { part: 'button browser', type: 'button' }, words.browser)
  const trouble = make('p', { part: 'note', role: 'status' })
  const fold = make('summary', { part: 'fold' }, words.ways)
  const ways = make('details', { part: 'ways' })
  ways.append(
    fold,
    make('p', {}, words.scan),
    make('img', { part: 'code', alt: words.code, src: codeUrl }),
    make('a', { part: 'button', href: walletUri, rel: 'noreferrer' }, words.open),
  )
  // As long as there is one way only, there is nothing to fold.
  ways.open = true
  fold.hidden = true
  button.hidden = true
  const said = make('p', { part: 'status', role: 'status', 'aria-live': 'polite' }, words.pending)
  root.replaceChildren(button, trouble, ways, said)
  return {
    show(status) {
      if (status !== 'pending') for (const part of [button, trouble, ways]) part.hidden = true
      said.textContent = words[status]
    },
    offerBrowser(ask) {
      button.hidden = false
      fold.hidden = false
      ways.open = false
      button.addEventListener('click', () => {
        const asked = ask()
        button.disabled = true
        trouble.textContent = ''
        void asked.then((outcome) => {
          if (outcome === 'taken') return
          // Cancelled and "no wallet" look alike, so nothing is said; the other ways are there.
          trouble.textContent = outcome === 'failed' ? words.troubled : ''
          ways.open = true
          button.disabled = false
        })
      })
    },
  }
}

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  text = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  element.textContent = text
  return element
}

// What <vidimus-verify> shows: a button if the browser can ask a wallet, the other channels below it, and the progress.

import type { BrowserOutcome } from './browser-wallet.ts'
import { elementWords } from './element-words.ts'

export type ElementStatus = 'pending' | 'completed' | 'failed' | 'expired' | 'unknown'

const STYLE = `
:host { display: block; max-width: 20rem; text-align: center; font: inherit; color: inherit }
img { box-sizing: border-box; width: 100%; max-width: 17rem; aspect-ratio: 1; padding: .5rem; background: #fff; border: 1px solid #8886; border-radius: .75rem }
a, button { display: block; box-sizing: border-box; width: 100%; min-height: 3rem; margin: .75rem 0; padding: .75rem 1rem; border: 0; border-radius: .75rem;
  background: var(--vidimus-accent, #1f5f5b); color: var(--vidimus-accent-text, #fff); font: inherit; font-weight: 600;
  text-decoration: none; text-wrap: balance; cursor: pointer }
button:disabled { opacity: .6; cursor: progress }
summary { padding: .75rem 0; font-weight: 600; cursor: pointer }
a:focus-visible, button:focus-visible, summary:focus-visible { outline: 3px solid currentColor; outline-offset: 2px }
p { margin: .5rem 0; text-wrap: balance }
.way { display: flex; flex-direction: column; align-items: center }
/* On a phone the wallet is on the same device. */
@media (pointer: coarse) and (width < 48rem) { .way a { order: -1 } }
.mark { display: grid; place-items: center; width: 3.5rem; height: 3.5rem; margin: 1rem auto; border-radius: 50%;
  background: color-mix(in srgb, currentColor 12%, transparent); font-size: 1.5rem; font-weight: 700 }
.ended { font-size: 1.125rem; font-weight: 600 }
[hidden] { display: none !important }
`

const MARKS: Readonly<Record<ElementStatus, string>> = {
  pending: '',
  completed: '✓',
  failed: '✕',
  expired: '–',
  unknown: '?',
}

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
  const words = elementWords(language)
  const style = new CSSStyleSheet()
  style.replaceSync(STYLE)
  root.adoptedStyleSheets = [style]
  const button = make('button', { part: 'button browser', type: 'button' }, words.browser)
  const trouble = make('p', { part: 'note', role: 'status' })
  const fold = make('summary', { part: 'fold' }, words.ways)
  const ways = make('details', { part: 'ways' })
  const way = make('div', { class: 'way' })
  way.append(
    make('img', { part: 'code', alt: words.code, src: codeUrl }),
    make('p', {}, words.scan),
    make('a', { part: 'button', href: walletUri, rel: 'noreferrer' }, words.open),
  )
  ways.append(fold, way)
  // As long as there is one way only, there is nothing to fold.
  ways.open = true
  fold.hidden = true
  button.hidden = true
  const said = make('p', { part: 'status', role: 'status', 'aria-live': 'polite' }, words.pending)
  const mark = make('span', { part: 'mark', class: 'mark', 'aria-hidden': 'true' })
  mark.hidden = true
  root.replaceChildren(button, trouble, ways, mark, said)
  return {
    show(status) {
      const isOver = status !== 'pending'
      if (isOver) for (const part of [button, trouble, ways]) part.hidden = true
      mark.hidden = !isOver
      mark.textContent = MARKS[status]
      said.classList.toggle('ended', isOver)
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

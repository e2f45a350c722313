// What <vidimus-verify> shows: the question, the ways to answer it, the progress, and how it ended with a way to try again.

import type { BrowserOutcome } from './browser-wallet.ts'
import { STYLE } from './element-style.ts'
import { elementWords } from './element-words.ts'
import type { VerificationCard } from './wire.ts'

export type ElementStatus = 'pending' | 'completed' | 'failed' | 'expired' | 'unknown'

export interface ViewTerms {
  readonly codeUrl: string
  readonly walletUri: string
  /** Of the page around it. */
  readonly language: string
  retry(): void
}

export interface ElementView {
  /** The question, once the service has said it. */
  showCard(card: VerificationCard): void
  /** A step on the way, or the end; `card`: as it is after the end, null if it is not known. */
  show(step: string, card: VerificationCard | null): void
  /** One button first, the other ways folded below. `ask` is called in the task of the click. */
  offerBrowser(ask: () => Promise<BrowserOutcome['kind']>): void
}

const OPEN = ['pending', 'waiting', 'fetched', 'checking']
const COLOUR = /^#[0-9a-f]{6}$|^transparent$/

/** Nodes, never HTML; a constructed style sheet, which a strict content security policy allows. */
export function drawElement(root: ShadowRoot, { codeUrl, walletUri, language, retry }: ViewTerms): ElementView {
  const words = elementWords(language)
  const style = new CSSStyleSheet()
  style.replaceSync(STYLE)
  root.adoptedStyleSheets = [style]
  // On a phone the wallet is on the same device.
  const onPhone = matchMedia('(pointer: coarse) and (width < 48rem)').matches
  const test = make('p', { class: 'test' })
  const question = make('div', { part: 'question' })
  const browser = make('button', { part: 'button browser', type: 'button' }, words.choose)
  const trouble = make('p', { part: 'note', role: 'status' })
  const link = make('a', { part: 'button', href: walletUri, rel: 'noreferrer' }, onPhone ? words.open : words.openHere)
  const fold = make('summary', { part: 'fold' }, onPhone ? words.another : words.other)
  const ways = make('details', { part: 'ways' })
  const way = make('div', { class: 'way' })
  way.append(make('img', { part: 'code', alt: words.code, src: codeUrl }), make('p', { class: 'soft' }, words.scan))
  ways.append(fold, way)
  if (!onPhone) {
    link.className = 'quiet'
    way.append(link)
  }
  // As long as there is one way only, there is nothing to fold.
  ways.open = !onPhone
  fold.hidden = !onPhone
  const mark = make('span', { part: 'mark', class: 'mark', 'aria-hidden': 'true' })
  const title = make('p', { class: 'title' }, words.pending)
  const text = make('p', {})
  const said = make('div', { part: 'status', role: 'status', 'aria-live': 'polite' })
  said.append(title, text)
  const time = make('p', { class: 'soft time' })
  const again = make('button', { part: 'button retry', type: 'button' }, words.retry)
  again.addEventListener('click', retry)
  const answer = make('div', { class: 'answer' })
  answer.append(browser, trouble, ...(onPhone ? [link] : []), ways, mark, said, time, again)
  const card = make('div', { part: 'card', class: 'card', 'data-step': 'pending' })
  card.append(test, question, answer)
  for (const part of [test, question, browser, mark, text, time, again]) part.hidden = true
  root.replaceChildren(card)

  let clock: ReturnType<typeof setInterval> | undefined
  function countDown(secondsLeft: number): void {
    clearInterval(clock)
    const endMs = performance.now() + secondsLeft * 1000
    const tick = () => {
      const left = Math.max(0, Math.ceil((endMs - performance.now()) / 1000))
      time.textContent = `${words.timeLeft} ${left < 60 ? '' : `${Math.floor(left / 60)} min `}${left % 60} s`
      // Without its page, nothing is left to count for.
      if (left === 0 || !root.host.isConnected) clearInterval(clock)
    }
    clock = setInterval(tick, 1000)
    tick()
  }

  return {
    showCard({ step, heading, purpose, facts, receives, seconds_left: secondsLeft, test: notice, colours }) {
      if (colours !== null) paint(root.host, colours)
      test.textContent = notice ?? ''
      test.hidden = notice === null
      if (!OPEN.includes(step)) return
      question.replaceChildren(
        make('h2', { part: 'heading' }, heading),
        ...(purpose === null ? [] : [make('p', { class: 'soft' }, purpose)]),
        ...(facts.length === 0 ? [] : [factsOf(facts)]),
        ...(receives.items.length === 0 ? [] : [make('h3', {}, receives.title), listOf(receives.items)]),
      )
      question.hidden = false
      time.hidden = false
      countDown(secondsLeft)
    },
    show(step, ended) {
      const isOpen = OPEN.includes(step)
      const isWaiting = step === 'pending' || step === 'waiting'
      card.dataset.step = isWaiting ? 'pending' : (ended?.step ?? step)
      mark.hidden = isWaiting
      // The wallet has it: what it shows there is what counts now.
      ways.hidden = !isWaiting
      if (onPhone) link.hidden = !isWaiting
      title.textContent = ended?.end?.title ?? words[isWaiting ? 'pending' : (step as keyof typeof words)] ?? ''
      if (isOpen) return
      clearInterval(clock)
      card.dataset.ended = ''
      text.textContent = ended?.end?.text ?? ''
      text.hidden = text.textContent === ''
      for (const part of [question, browser, trouble, time]) part.hidden = true
      again.hidden = step === 'completed'
    },
    offerBrowser(ask) {
      browser.hidden = false
      fold.hidden = false
      fold.textContent = words.other
      ways.open = false
      if (onPhone) way.append(link)
      link.className = 'quiet'
      browser.addEventListener('click', () => {
        const asked = ask()
        browser.disabled = true
        trouble.textContent = ''
        void asked.then((outcome) => {
          if (outcome === 'taken') return
          // Cancelled and "no wallet" look alike, so nothing is said; the other ways are there.
          trouble.textContent = outcome === 'failed' ? words.troubled : ''
          ways.open = true
          browser.disabled = false
        })
      })
    },
  }
}

/** The page's own `--vidimus-accent` wins over the brand. */
function paint(host: Element, { light, dark }: NonNullable<VerificationCard['colours']>): void {
  const own = getComputedStyle(host).getPropertyValue('--vidimus-accent') !== ''
  if (own || [...Object.values(light), ...Object.values(dark)].some((colour) => !COLOUR.test(colour))) return
  const sheet = new CSSStyleSheet()
  const pair = (name: keyof typeof light) => `light-dark(${light[name]}, ${dark[name]})`
  sheet.replaceSync(
    `:host { --b: ${pair('button')}; --ob: ${pair('on_button')}; --e: ${pair('edge')}; --a: ${pair('accent')} }`,
  )
  host.shadowRoot?.adoptedStyleSheets.push(sheet)
}

function factsOf(facts: VerificationCard['facts']): HTMLElement {
  const list = make('dl', {})
  for (const { name, value } of facts) {
    const row = make('div', {})
    row.append(...(name === '' ? [] : [make('dt', {}, name)]), make('dd', {}, value))
    list.append(row)
  }
  return list
}

function listOf(items: readonly string[]): HTMLElement {
  const list = make('ul', {})
  list.append(...items.map((item) => make('li', {}, item)))
  return list
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

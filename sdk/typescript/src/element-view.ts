// What <vidimus-verify> shows: the question, the ways to answer it, the progress, and how it ended with a way to try again.

import type { BrowserOutcome } from './browser-wallet.ts'
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

/** A card that is narrow or wide as its place allows, light or dark as the page around it. */
const STYLE = `
:host { display: block; container-type: inline-size; max-width: 44rem; font: inherit; line-height: 1.5; text-align: start;
  --b: var(--vidimus-accent, light-dark(#1f5f5b, #7fd0c7)); --ob: var(--vidimus-accent-text, light-dark(#fff, #06211f)); --e: transparent; --a: var(--vidimus-accent, light-dark(#1f5f5b, #7fd0c7));
  --soft: light-dark(#55625e, #a9b6b1); --line: light-dark(#d9dfdc, #35413d) }
.card { display: grid; gap: 1.25rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: 1.25rem; background: light-dark(#fff, #181f1d); color: light-dark(#17211f, #e9efec) }
h2 { margin: 0 0 .5rem; font: inherit; font-size: 1.375rem; font-weight: 700; line-height: 1.25; text-wrap: balance }
h3 { margin: 1rem 0 .25rem; font: inherit; font-weight: 600 }
p { margin: .5rem 0; text-wrap: pretty }
ul, dl { margin: 0; padding: 0; list-style: none }
h2, p, li, dd { overflow-wrap: anywhere }
li { position: relative; padding: .25rem 0; padding-inline-start: 1.75rem }
li::before { content: ''; position: absolute; inset-inline-start: .3rem; top: .55rem; width: .35rem; height: .7rem; border: solid var(--a); border-width: 0 2px 2px 0; rotate: 45deg }
dl { margin-top: .75rem; border: 1px solid var(--line); border-radius: .75rem }
dl div { display: flex; gap: 1rem; justify-content: space-between; padding: .6rem .9rem }
dl div + div { border-top: 1px solid var(--line) }
dt { color: var(--soft) }
dd { margin: 0; font-weight: 600 }
.soft { color: var(--soft); font-size: .875rem }
.test { margin: 0; padding: .25rem .75rem; border-radius: .5rem; background: light-dark(#fdf1d8, #382a0d); color: light-dark(#5e3d00, #f0c269); font-size: .8125rem; font-weight: 600; justify-self: start }
.answer { display: grid; align-content: center; justify-items: center; text-align: center }
.answer > * { width: 100%; max-width: 22rem }
img { box-sizing: border-box; width: 100%; max-width: 14rem; aspect-ratio: 1; padding: .5rem; background: #fff; border: 1px solid var(--line); border-radius: .75rem }
a, button { display: block; box-sizing: border-box; width: 100%; min-height: 3.25rem; margin: .5rem 0; padding: .85rem 1rem; border: 1px solid var(--e); border-radius: .875rem;
  background: var(--b); color: var(--ob); font: inherit; font-weight: 600; text-align: center; text-decoration: none; text-wrap: balance; cursor: pointer }
a.quiet { min-height: 2.5rem; padding: .4rem 1rem; border-color: transparent; background: none; color: var(--a); font-weight: 500 }
button:disabled { opacity: .6; cursor: progress }
summary { padding: .6rem 0; color: var(--a); font-weight: 600; cursor: pointer }
:focus-visible { outline: 3px solid var(--a); outline-offset: 2px }
.way { display: flex; flex-direction: column; align-items: center }
.mark { position: relative; display: grid; place-items: center; box-sizing: border-box; width: 3.5rem; height: 3.5rem; margin: .5rem auto 1rem; border-radius: 50%; color: var(--t, var(--a)); background: color-mix(in srgb, currentColor 12%, transparent) }
.mark::before, .mark::after { content: ''; position: absolute; box-sizing: border-box }
[data-step=completed] .mark { --t: light-dark(#1b6b3a, #7ed69b) }
[data-step=completed] .mark::before { width: .9rem; height: 1.6rem; border: solid; border-width: 0 .25rem .25rem 0; rotate: 45deg; translate: 0 -.15rem }
[data-step=failed] .mark { --t: light-dark(#a42a24, #ff9d94) }
[data-step=failed] .mark::before, [data-step=failed] .mark::after { width: 1.75rem; height: .25rem; border-radius: 2px; background: currentColor; rotate: 45deg }
[data-step=failed] .mark::after { rotate: -45deg }
:is([data-step=declined], [data-step=expired], [data-step=unknown]) .mark { --t: var(--soft) }
:is([data-step=declined], [data-step=expired], [data-step=unknown]) .mark::before { width: 1.4rem; height: .25rem; border-radius: 2px; background: currentColor }
:is([data-step=fetched], [data-step=checking]) .mark::before { inset: 0; border: .25rem solid; border-inline-end-color: transparent; border-radius: 50%; animation: turn 1.2s linear infinite }
.title { margin: .25rem 0; font-weight: 600 }
[data-ended] .title { font-size: 1.25rem }
[data-ended] .test { justify-self: center }
[data-step=pending] .title::before { content: ''; display: inline-block; width: .55rem; height: .55rem; margin-inline-end: .55rem; border-radius: 50%; background: var(--a); animation: fade 1.8s ease-in-out infinite }
.time { font-variant-numeric: tabular-nums }
@container (width >= 36rem) {
  .card:not([data-ended]) { grid-template-columns: 1fr 18rem; column-gap: 2rem; padding: 2rem }
  .test { grid-column: 1 / -1 }
  .card:not([data-ended]) .answer { padding-inline-start: 2rem; border-inline-start: 1px solid var(--line) }
}
@keyframes turn { to { rotate: 1turn } }
@keyframes fade { 50% { opacity: .25 } }
@media (prefers-reduced-motion: reduce) { .mark::before, .title::before { animation: none !important } }
[hidden] { display: none !important }
`

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

// Renders <vidimus-verify>: the question, the buttons to answer it, the progress and the end with a button to retry.

import type { BrowserOutcome } from '../browser-wallet.ts'
import type { VerificationCard } from '../wire.ts'
import { STYLE } from './style.ts'
import { elementWords } from './words.ts'

export type ElementStatus = 'pending' | 'completed' | 'failed' | 'expired' | 'unknown'

export interface ViewTerms {
  readonly codeUrl: string
  readonly walletUri: string
  /** The language of the page. */
  readonly language: string
  retry(): void
  cancel(): void
}

export interface ElementView {
  /** The question, once the service has sent it. */
  showCard(card: VerificationCard): void
  /** Progress or the end. `card`: the card after the end; null if it is not known. */
  show(step: string, card: VerificationCard | null): void
  /** The person cancelled here. The wallet may still answer. */
  showCancelled(): void
  /** Shows one button first and folds the other channels below. Calls `ask` in the task of the click. */
  offerBrowser(ask: () => Promise<BrowserOutcome['kind']>): void
}

const OPEN = ['pending', 'waiting', 'fetched', 'checking']
/** Shows the time left below this. */
const TIME_SHOWN_SECONDS = 120
const COLOUR = /^#[0-9a-f]{6}$|^transparent$/

/** Nodes, never HTML; a constructed style sheet, which a strict content security policy allows. */
export function drawElement(root: ShadowRoot, { codeUrl, walletUri, language, retry, cancel }: ViewTerms): ElementView {
  const words = elementWords(language)
  const style = new CSSStyleSheet()
  style.replaceSync(STYLE)
  root.adoptedStyleSheets = [style]
  // On a phone the wallet is on the same device.
  const onPhone = matchMedia('(pointer: coarse) and (width < 48rem)').matches
  const test = make('p', { class: 'test' })
  const question = make('div', { part: 'question' })
  const more = make('div', { class: 'more' })
  const browser = make('button', { part: 'button browser', type: 'button' }, words.choose)
  const trouble = make('p', { part: 'note', role: 'status' })
  const link = make('a', { part: 'button', href: walletUri, rel: 'noreferrer' }, onPhone ? words.open : words.openHere)
  const fold = make('summary', { part: 'fold' }, onPhone ? words.another : words.other)
  const ways = make('details', { part: 'ways' })
  const codePart = make('div', { class: 'way' })
  const or = make('p', { class: 'or soft' }, words.orScan)
  codePart.append(
    or,
    make('img', { part: 'code', alt: words.code, src: codeUrl }),
    make('p', { class: 'soft' }, words.scan),
  )
  ways.append(fold, codePart)
  if (!onPhone) {
    link.className = 'quiet'
    codePart.append(link)
  }
  // With one channel there is nothing to fold.
  ways.open = !onPhone
  fold.hidden = !onPhone
  const mark = make('span', { part: 'mark', class: 'mark', 'aria-hidden': 'true' })
  const title = make('p', { class: 'title' }, words.pending)
  const text = make('p', {})
  const status = make('div', { part: 'status', role: 'status', 'aria-live': 'polite' })
  status.append(title, text)
  const codeAgain = make('button', { part: 'button again', class: 'quiet', type: 'button' })
  const walletAgain = make('a', { part: 'button again', class: 'quiet', href: walletUri, rel: 'noreferrer' })
  const time = make('p', { class: 'soft time' })
  const again = make('button', { part: 'button retry', type: 'button' }, words.retry)
  const leave = make('button', { part: 'button cancel', class: 'quiet cancel', type: 'button' }, words.cancel)
  again.addEventListener('click', retry)
  leave.addEventListener('click', cancel)
  const answer = make('div', { class: 'answer' })
  answer.append(browser, trouble, ...(onPhone ? [link] : []), ways, mark, status, codeAgain, time, again, leave)
  const card = make('div', { part: 'card', class: 'card', 'data-step': 'pending' })
  card.append(test, question, answer, more)
  for (const part of [or, test, question, more, browser, mark, text, codeAgain, time, again]) part.hidden = true
  root.replaceChildren(card)
  /** As the service described it while it was open. */
  let known: VerificationCard | null = null
  let wasOpenedHere = onPhone
  link.addEventListener('click', () => {
    wasOpenedHere = true
    showWaiting()
  })
  codeAgain.addEventListener('click', () => {
    ways.hidden = false
    ways.open = true
    codeAgain.hidden = true
  })
  /** On a phone, shows no waiting state before the tap. */
  const showWaiting = () => {
    if (card.dataset.step === 'pending') status.hidden = false
  }
  ways.addEventListener('toggle', () => ways.open && showWaiting())
  status.hidden = onPhone

  let clock: ReturnType<typeof setInterval> | undefined
  function countDown(secondsLeft: number): void {
    clearInterval(clock)
    const endMs = performance.now() + secondsLeft * 1000
    const tick = () => {
      const left = Math.max(0, Math.ceil((endMs - performance.now()) / 1000))
      time.textContent = `${words.timeLeft} ${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
      time.hidden = left > TIME_SHOWN_SECONDS
      // The element was removed from the page.
      if (left === 0 || !root.host.isConnected) clearInterval(clock)
    }
    clock = setInterval(tick, 1000)
    tick()
  }

  /** Uses the service's text, or its own until that has loaded. */
  function say(step: string, { title: head, text: body }: { title: string; text: string }): void {
    card.dataset.step = step
    title.textContent = head
    text.textContent = body
    text.hidden = body === ''
  }

  return {
    showCard(shown) {
      const { step, heading, payment, why, purpose, facts, receives, note, rows, buttons } = shown
      if (shown.colours !== null) paint(root.host, shown.colours)
      test.textContent = shown.test ?? ''
      test.hidden = shown.test === null
      if (!OPEN.includes(step)) return
      known = shown
      link.textContent = (onPhone ? buttons.open : buttons.open_here) ?? link.textContent
      codeAgain.textContent = buttons.code_again ?? words.other
      walletAgain.textContent = buttons.wallet_again ?? words.open
      const head = make('h2', { part: 'heading' }, payment === null ? heading : '')
      if (payment !== null)
        head.append(make('span', {}, payment.to), ' ', make('span', { class: 'amount' }, payment.amount))
      const reason = make('p', { class: 'soft' })
      reason.append(make('b', {}, why), ` ${purpose}`)
      question.replaceChildren(
        head,
        ...facts.map(({ value }) => make('p', payment === null ? {} : { class: 'soft' }, value)),
        ...(purpose === null ? [] : [reason]),
      )
      const folded = make('div', { class: 'rows' })
      folded.append(...rows.map(foldOf))
      const list = listOf(receives.items)
      list.className = 'receives'
      more.replaceChildren(
        ...(receives.items.length === 0
          ? []
          : [make('h3', {}, receives.title), list, make('p', { class: 'soft' }, note)]),
        folded,
      )
      for (const part of [question, more]) part.hidden = false
      countDown(shown.seconds_left)
      if (title.textContent === words.pending) this.show('waiting', null)
    },
    show(step, ended) {
      const isOpen = OPEN.includes(step)
      const isWaiting = step === 'pending' || step === 'waiting'
      const key = ended?.step ?? step
      const name = isWaiting ? 'waiting' : key === 'fetched' && !wasOpenedHere ? 'scanned' : key
      // After the end the service says more only if the merchant cancelled it.
      const extra = key === 'expired' ? ended?.end : null
      const own = { title: words[isWaiting ? 'pending' : (step as keyof typeof words)] ?? '', text: '' }
      const shown = extra ?? known?.steps?.[name] ?? ended?.end ?? own
      say(isWaiting ? 'pending' : key, isWaiting ? { ...shown, text: '' } : shown)
      mark.hidden = isWaiting
      // The wallet has the request: the person continues there.
      ways.hidden = !isWaiting
      if (onPhone) link.hidden = !isWaiting
      codeAgain.hidden = step !== 'fetched' || wasOpenedHere
      if (step === 'fetched' && wasOpenedHere) status.after(walletAgain)
      else walletAgain.remove()
      if (!isWaiting) status.hidden = false
      if (isOpen) return
      clearInterval(clock)
      card.dataset.ended = ''
      for (const part of [question, browser, trouble, time, leave]) part.hidden = true
      // Which IDs are accepted and where to get a wallet help to try again.
      more.hidden = known === null || !['declined', 'failed'].includes(key)
      again.textContent = known?.buttons[key === 'failed' ? 'retry_failed' : 'retry'] ?? words.retry
      again.hidden = step === 'completed'
    },
    showCancelled() {
      known = null
      this.show('cancelled', null)
      say('cancelled', { title: words.cancelled, text: words.cancelledText })
    },
    offerBrowser(ask) {
      browser.hidden = false
      or.hidden = onPhone
      // The button does the same, and more. The link appears if asking failed.
      link.hidden = !onPhone
      if (onPhone) {
        fold.textContent = words.other
        ways.open = false
        codePart.append(link)
        link.className = 'quiet'
      }
      browser.addEventListener('click', () => {
        const answered = ask()
        browser.disabled = true
        trouble.textContent = ''
        void answered.then((outcome) => {
          if (outcome === 'taken') return
          // Browsers do not distinguish "cancelled" from "no wallet", so this shows the other channels without a message.
          trouble.textContent = outcome === 'failed' ? words.troubled : ''
          ways.open = true
          link.hidden = false
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

function foldOf({ title, texts, items }: VerificationCard['rows'][number]): HTMLElement {
  const fold = make('details', {})
  fold.append(make('summary', {}, title), ...texts.map((text) => make('p', { class: 'soft' }, text)), listOf(items))
  return fold
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

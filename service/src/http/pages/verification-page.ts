// The hosted verification page: who asks for what and why, the wallets a browser knows where it has the API for it, a code to
// scan, a button for this device, and how it stands.

import encodeQR from 'qr'
import type { HostedVerification } from '../../usecases/verifications/read-hosted-page.ts'
import { escapeHtml } from '../openapi/docs-page.ts'
import type { Page } from './layout.ts'
import { claimName, LANGUAGES, type Language, WORDS, type Words } from './words.ts'

const STATES = ['pending', 'completed', 'failed', 'expired'] as const
const MARKS = { pending: '…', completed: '✓', failed: '✕', expired: '⏱' } as const

export function verificationPage(
  verification: HostedVerification,
  options: { readonly language: Language; readonly sandbox: boolean },
): Page {
  const { language } = options
  const words = WORDS[language]
  const heading = words.asks(verification.merchant)
  const body = `${verification.environment === 'test' ? `<header class="ribbon">${escapeHtml(words.test)}</header>` : ''}
<main class="card" data-verification="${verification.id}" data-state="${verification.status}" data-expires="${Math.floor(verification.expiresAtMs)}" data-now="${Math.floor(verification.nowMs)}"${onwardMark(verification)}>
<h1>${escapeHtml(heading)}</h1>
${purposeOf(verification, words)}
${registeredPart(verification, language)}
${askedOf(verification, words)}
${verification.status === 'pending' ? pendingPart(verification, words, options) : ''}
<section class="status" role="status" aria-live="polite" aria-atomic="true">
${STATES.map((state) => statePart(state, verification.status === state, words)).join('\n')}
</section>
${onwardPart(verification, words)}
<p class="small">${escapeHtml(words.privacy)}</p>
<noscript><p class="small">${escapeHtml(words.reload)}</p></noscript>
</main>
${languageLink(language, words)}`
  return { language, title: heading, body }
}

const onwardMark = ({ onward }: HostedVerification) => (onward === null ? '' : ` data-onward="${escapeHtml(onward)}"`)

/** Of a sign-in: back to whoever asked, with how it ended; or before, without. */
function onwardPart({ onward, status }: HostedVerification, { signIn }: Words): string {
  if (onward === null) return ''
  return status === 'pending'
    ? `<p data-while="pending"><a class="button quiet" href="${escapeHtml(onward)}/cancel">${escapeHtml(signIn.cancel)}</a></p>`
    : `<p><a class="button" href="${escapeHtml(onward)}">${escapeHtml(signIn.onward)}</a></p>`
}

export function unknownPage(language: Language): Page {
  const words = WORDS[language]
  const body = `<main class="card"><h1>${escapeHtml(words.unknown.title)}</h1><p>${escapeHtml(words.unknown.text)}</p></main>
${languageLink(language, words)}`
  return { language, title: words.unknown.title, body, status: 404 }
}

function purposeOf({ purpose }: HostedVerification, words: Words): string {
  return purpose === null
    ? ''
    : `<p class="purpose"><strong>${escapeHtml(words.why)}:</strong> ${escapeHtml(purpose)}</p>`
}

/** In the holder's language where the registrar wrote it so; the same words that the wallet shows. */
function registeredPart({ registered }: HostedVerification, language: Language): string {
  if (registered === null) return ''
  const words = WORDS[language]
  const { purposes, privacyPolicy } = registered
  const inLanguage = (wanted: string) => purposes.find(({ lang }) => lang.toLowerCase().split('-')[0] === wanted)
  const chosen = inLanguage(language) ?? inLanguage('en') ?? purposes[0]
  const purpose =
    chosen === undefined
      ? ''
      : `<p class="purpose"><strong>${escapeHtml(words.registeredPurpose)}:</strong> ${escapeHtml(chosen.text)}</p>`
  const isLinkable = privacyPolicy !== null && URL.parse(privacyPolicy)?.protocol === 'https:'
  const link = isLinkable
    ? `<p class="small"><a href="${escapeHtml(privacyPolicy)}" rel="noopener noreferrer" target="_blank">${escapeHtml(words.privacyPolicy)}</a></p>`
    : ''
  return `${purpose}${link}`
}

function askedOf({ asked, birthDateOnlyForAge }: HostedVerification, words: Words): string {
  if (asked.length === 0) return ''
  const items = asked.map((name) => `<li>${escapeHtml(claimName(words, name))}</li>`).join('')
  const note = birthDateOnlyForAge ? `<p class="small">${escapeHtml(words.birthDateForAge)}</p>` : ''
  return `<h2>${escapeHtml(words.what)}</h2><ul class="asked">${items}</ul>${note}`
}

function pendingPart(verification: HostedVerification, words: Words, { sandbox }: { sandbox: boolean }): string {
  const svg = encodeQR(verification.walletUri, 'svg', { ecc: 'medium', border: 2 })
  const labelled = svg.replace('<svg ', `<svg role="img" aria-label="${escapeHtml(words.qr)}" `)
  const link = escapeHtml(verification.walletUri)
  const test =
    sandbox && verification.environment === 'test'
      ? `<p><a class="button quiet" href="/sandbox/wallet?uri=${encodeURIComponent(verification.walletUri)}">${escapeHtml(words.testWallet)}</a></p>`
      : ''
  return `<div data-while="pending">
${verification.asksInBrowser ? browserPart(words) : ''}
<details class="ways" data-ways open><summary hidden>${escapeHtml(words.browser.otherWays)}</summary>
<p>${escapeHtml(words.scan)}</p>
<div class="code">${labelled}</div>
<p><a class="button" href="${link}" rel="noreferrer">${escapeHtml(words.sameDevice)}</a></p>
${test}
</details>
<p class="time">${escapeHtml(words.timeLeft)}: <span data-countdown>–</span></p>
</div>`
}

/** Shown by the script, where the browser can ask a wallet and the offer is at hand; then the other ways are folded below. */
function browserPart({ browser }: Words): string {
  return `<div data-browser hidden>
<p><button class="button" type="button" data-ask disabled>${escapeHtml(browser.ask)}</button></p>
<div role="status"><p data-note="sending" hidden>${escapeHtml(browser.sending)}</p><p data-note="failed" hidden>${escapeHtml(browser.failed)}</p></div>
</div>`
}

function statePart(state: (typeof STATES)[number], shown: boolean, words: Words): string {
  const { title, text } = words.states[state]
  return `<div class="state ${state}" data-show="${state}"${shown ? '' : ' hidden'}><p class="outcome"><span aria-hidden="true">${MARKS[state]}</span> ${escapeHtml(title)}</p><p>${escapeHtml(text)}</p></div>`
}

function languageLink(language: Language, words: Words): string {
  const other = LANGUAGES.find((known) => known !== language) ?? 'en'
  return `<footer><a href="?lang=${other}" lang="${other}" hreflang="${other}">${escapeHtml(words.otherLanguage)}</a></footer>`
}

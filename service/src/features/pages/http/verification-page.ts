// The hosted verification page. While open: the request, then the one action of its state, then what is shared. Once ended: only the outcome.

import encodeQR from 'qr'
import { claimLabel, type Language } from '../../../../../labels/catalogue.ts'
import { OPEN_STEPS, STEPS, type Step } from '../../../core/verifications/domain/progress.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { NATIONAL_WALLETS } from '../domain/national-wallets.ts'
import type { HostedVerification } from '../usecases/read-hosted-page.ts'
import { agreementLines, amountText, onlyPaymentOf, paymentRows, type ShownPayment } from './agreement-lines.ts'
import { type Brand, brandLinks, brandPart } from './brand.ts'
import { languageLinks } from './language-links.ts'
import type { Page } from './layout.ts'
import { ageOf, presentedPart, receivedNames, receivedPart } from './question-part.ts'
import { LABELS, WORDS } from './words/languages.ts'
import type { Words } from './words/words.ts'

/** More than these are not listed in the heading. */
const IN_HEADING = 3

interface PageOptions {
  readonly language: Language
  readonly brand: Brand
  readonly sandbox: boolean
  /** Folds the QR code: a person who reads this on a phone has the wallet on the same device. */
  readonly onPhone: boolean
  /** A preview: without scripts, and without the notice about that. */
  readonly isPreview: boolean
  /** No browser holds it yet: the script claims it first. */
  readonly mustHold: boolean
  /** This browser holds it: others learn that it failed, and not why. */
  readonly mayKnowReason: boolean
}

export function verificationPage(verification: HostedVerification, options: PageOptions): Page {
  const { language, brand } = options
  const words = WORDS[language]
  const heading = headingOf(verification, options)
  const { step } = verification
  const isOpen = OPEN_STEPS.has(step)
  const body = `${ribbonPart(verification, options)}
<main class="card${isOpen ? ' two' : ''}" data-verification="${verification.id}" data-step="${step}" data-expires="${Math.floor(verification.expiresAtMs)}" data-now="${Math.floor(verification.nowMs)}"${onwardMark(verification)}${options.mustHold ? ' data-hold' : ''}>
<p class="offline" role="status" data-offline><span hidden>${escapeHtml(words.offline)}</span>${options.mustHold ? `<span data-cookies hidden>${escapeHtml(words.cookies)}</span>` : ''}</p>
${brandPart(brand, words)}
${isOpen ? questionPart(verification, options) : ''}
<div class="answer">
${isOpen ? waysPart(verification, words, options) : ''}
<section class="status" role="status" aria-live="polite" aria-atomic="true">
${shownSteps(verification, isOpen)
  .map((one) => stepPart(one, verification, options))
  .join('\n')}
</section>
${isOpen ? `${progressPart(words, brand, step)}${timePart(words)}` : ''}
${onwardPart(verification, words)}
</div>
${isOpen ? `${receivedBlock(verification, options)}${notesPart(verification, options)}` : ''}
</main>
${footer(language, words, brand)}`
  return { language, title: heading, body, styles: brand.styles }
}

/** The subject of the page: a sign-in, a transaction to confirm, an age, or what is shared. */
export function headingOf(
  verification: HostedVerification,
  { language, brand }: Pick<PageOptions, 'language' | 'brand'>,
): string {
  const words = WORDS[language]
  const { onward, transaction } = verification
  if (onward !== null) return words.signIn.asks(brand.name)
  const payment = onlyPaymentOf(transaction)
  if (payment !== null) return words.agree.pay(amountText(payment.amount, payment.currency, language), payment.payee)
  if (transaction.length > 0) return words.agree.asks(brand.name)
  const asked = receivedNames(verification)
  const [first = ''] = asked
  const age = asked.length === 1 ? ageOf(first) : null
  if (age !== null) return words.confirmAge(brand.name, age)
  const isShort = asked.length > 0 && asked.length <= IN_HEADING && asked.every((name) => ageOf(name) === null)
  return words.share(brand.name, isShort ? listOf(asked, language) : null)
}

/** As part of a sentence: German nouns keep their capital letters. */
function listOf(names: readonly string[], language: Language): string {
  const labels = names.map((name) => {
    const label = claimLabel(LABELS[language], name)
    return language === 'de' ? label : `${label.charAt(0).toLocaleLowerCase(language)}${label.slice(1)}`
  })
  // British, as the rest of the English is: no comma before "and".
  return new Intl.ListFormat(language === 'en' ? 'en-GB' : language, { type: 'conjunction' }).format(labels)
}

const onwardMark = ({ onward }: HostedVerification) => (onward === null ? '' : ` data-onward="${escapeHtml(onward)}"`)

/** For a sign-in: back to the client, after the end with its outcome, before without. */
function onwardPart({ onward, step }: HostedVerification, { signIn }: Words): string {
  if (onward === null) return ''
  return OPEN_STEPS.has(step)
    ? `<p data-open><a class="button quiet" data-leave href="${escapeHtml(onward)}/cancel">${escapeHtml(signIn.cancel)}</a></p>`
    : `<p><a class="button" href="${escapeHtml(onward)}">${escapeHtml(signIn.onward)}</a></p>`
}

/** For a browser that does not hold it: no link, no code, no offer, and nothing of the request. */
export function elsewherePage(language: Language, kind: keyof Words['elsewhere'], brand: Brand | null): Page {
  const words = WORDS[language]
  const { title, texts } = words.elsewhere[kind]
  return stopPage(language, { title, texts, brand, status: 403 })
}

/** The page cannot be shown now: too many requests, or the service cannot answer. */
export function busyPage(language: Language, status: 429 | 503): Page {
  const words = WORDS[language]
  const { title, text } = words.stops[status === 429 ? 'busy' : 'away']
  return stopPage(language, { title, texts: [text], brand: null, status, tryAgain: words.tryAgain })
}

interface Stop {
  readonly title: string
  readonly texts: readonly string[]
  readonly brand: Brand | null
  readonly status: number
  /** A link that loads the page again. */
  readonly tryAgain?: string
}

function stopPage(language: Language, { title, texts, brand, status, tryAgain }: Stop): Page {
  const words = WORDS[language]
  const said = texts.map((text) => `<p>${escapeHtml(text)}</p>`).join('')
  const again = tryAgain === undefined ? '' : `<p><a class="button" href="">${escapeHtml(tryAgain)}</a></p>`
  const contact = brand === null ? '' : `${helpPart(brand)}${contactPart(brand, words)}`
  const body = `<main class="card" data-stopped>${brand === null ? '' : brandPart(brand, words)}<div class="state declined"><span class="mark" aria-hidden="true"></span><h1 class="outcome">${escapeHtml(title)}</h1>${said}${again}${contact}</div></main>
${footer(language, words, brand)}`
  return { language, title, body, status, styles: brand?.styles ?? [] }
}

export function unknownPage(language: Language): Page {
  const { title, text } = WORDS[language].unknown
  return stopPage(language, { title, texts: [text], brand: null, status: 404 })
}

/** In test, the test wallet is one link away; the page itself looks as it does in live. */
function ribbonPart(
  { environment, sameDeviceUri, step }: HostedVerification,
  { language, sandbox }: PageOptions,
): string {
  if (environment !== 'test') return ''
  const words = WORDS[language]
  const address = `/sandbox/wallet?uri=${encodeURIComponent(sameDeviceUri)}&amp;lang=${language}`
  const link =
    sandbox && OPEN_STEPS.has(step)
      ? ` <span class="try" data-open><a href="${address}">${escapeHtml(words.testWallet)}</a></span>`
      : ''
  return `<header class="ribbon">${escapeHtml(words.test)}${link}</header>`
}

/** The request, its reason, and what the holder confirms. */
function questionPart(verification: HostedVerification, options: PageOptions): string {
  const { language } = options
  const words = WORDS[language]
  const { purpose, onward } = verification
  return `<div class="question" data-open>
<h1>${escapeHtml(headingOf(verification, options))}</h1>
${purpose === null ? '' : `<p class="purpose"><strong>${escapeHtml(words.why + words.colon)}</strong> ${escapeHtml(purpose)}</p>`}
${registeredPart(verification, language)}
${onward === null ? '' : `<p class="purpose">${escapeHtml(words.signIn.how)}</p>`}
${agreementPart(verification, language)}
</div>`
}

/** On a phone below the action, on a large screen below the request. */
function receivedBlock(verification: HostedVerification, { language, brand }: PageOptions): string {
  const received = receivedPart(verification, language, brand.name)
  return received === '' ? '' : `<div class="received" data-open>${received}</div>\n`
}

/** In the holder's language if the registrar provides it; the same words that the wallet shows. */
function registeredPart({ registered }: HostedVerification, language: Language): string {
  if (registered === null) return ''
  const words = WORDS[language]
  const { purposes, privacyPolicy } = registered
  const inLanguage = (wanted: string) => purposes.find(({ lang }) => lang.toLowerCase().split('-')[0] === wanted)
  const chosen = inLanguage(language) ?? inLanguage('en') ?? purposes[0]
  const purpose =
    chosen === undefined
      ? ''
      : `<p class="purpose"><strong>${escapeHtml(words.registeredPurpose + words.colon)}</strong> ${escapeHtml(chosen.text)}</p>`
  const isLinkable = privacyPolicy !== null && URL.parse(privacyPolicy)?.protocol === 'https:'
  const link = isLinkable
    ? `<p class="small"><a href="${escapeHtml(privacyPolicy)}" rel="noopener noreferrer" target="_blank">${escapeHtml(words.privacyPolicy)}</a></p>`
    : ''
  return `${purpose}${link}`
}

/** What the wallet will show again, from the same text; always rendered as plain text. */
function agreementPart({ transaction }: HostedVerification, language: Language): string {
  if (transaction.length === 0) return ''
  const { agree } = WORDS[language]
  const payment = onlyPaymentOf(transaction)
  if (payment !== null) return paymentPart(payment, language)
  const items = transaction.flatMap((one) => agreementLines(one, language))
  return `<h2>${escapeHtml(agree.title)}</h2><ul class="asked agreed">${items.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`
}

/** The heading has the amount in words already. */
function paymentPart(payment: ShownPayment, language: Language): string {
  const list = paymentRows(payment, language).map(
    ({ name, value }) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  )
  const repeats = payment.recurring ? `<p><strong>${escapeHtml(WORDS[language].agree.recurring)}</strong></p>` : ''
  return `<dl class="facts">${list.join('')}</dl>${repeats}`
}

/** Background information: below the request, or on a phone below everything. */
function notesPart(verification: HostedVerification, { language, brand }: PageOptions): string {
  const { merchantSite } = verification
  const words = WORDS[language]
  const back =
    merchantSite === null
      ? ''
      : `<p class="back"><a href="${escapeHtml(merchantSite)}" rel="noreferrer">${escapeHtml(words.back(brand.name))}</a></p>`
  return `<div class="notes small" data-open><p>${escapeHtml(words.privacy)}</p>${presentedPart(verification, language)}${noWalletPart(language)}${back}</div>`
}

function noWalletPart(language: Language): string {
  const { noWallet, colon } = WORDS[language]
  const countries = new Intl.DisplayNames(language, { type: 'region' })
  const items = NATIONAL_WALLETS.map(([code, app]) => [countries.of(code) ?? code, app] as const)
    .toSorted(([one], [other]) => one.localeCompare(other, language))
    .map(([country, app]) => `<li>${escapeHtml(`${country}${colon} ${app}`)}</li>`)
  return `<details><summary>${escapeHtml(noWallet.title)}</summary><p>${escapeHtml(noWallet.text)}</p><ul>${items.join('')}</ul></details>`
}

/**
 * How to answer. The link for this device comes before the code in the source: first on a phone; on a large screen the
 * stylesheet swaps them.
 */
function waysPart(verification: HostedVerification, words: Words, { onPhone, isPreview }: PageOptions): string {
  const hidden = verification.step === 'waiting' ? '' : ' hidden'
  return `<div class="waiting" data-waiting${hidden}>
${verification.asksInBrowser ? browserPart(words) : ''}
<p class="same" data-same><a class="button" href="${escapeHtml(verification.sameDeviceUri)}" rel="noreferrer">${eitherWidth(words.sameDevice.wide, words.sameDevice.narrow)}</a></p>
${agePart(verification, words)}<details class="ways" data-ways${onPhone ? '' : ' open'}><summary><span data-another>${escapeHtml(words.anotherDevice)}</span><span data-others hidden>${escapeHtml(words.browser.otherWays)}</span></summary>
${otherDevicePart(verification, words)}
</details>
</div>
${isPreview ? '' : `<noscript><p class="small">${escapeHtml(words.reload)}</p></noscript>`}`
}

/** A QR code; not if an answer from another device could only fail afterwards. */
function otherDevicePart({ walletUri, takesOtherDevices }: HostedVerification, words: Words): string {
  if (!takesOtherDevices) return `<p>${escapeHtml(words.signIn.startThere)}</p>`
  const svg = encodeQR(walletUri, 'svg', { ecc: 'medium', border: 2 })
  const labelled = svg.replace('<svg ', `<svg role="img" aria-label="${escapeHtml(words.qr)}" `)
  return `<div class="code">${labelled}</div>
<p class="scan">${escapeHtml(words.scan)}</p>`
}

/** A link that the EU age app opens. */
function agePart({ ageUri }: HostedVerification, words: Words): string {
  if (ageUri === null) return ''
  return `<p><a class="button quiet" data-age href="${escapeHtml(ageUri)}" rel="noreferrer">${escapeHtml(words.ageApp)}</a></p>\n`
}

/** Shown by the script if the browser can ask a wallet and the offer is available; then the other ways are folded below. */
function browserPart({ browser }: Words): string {
  return `<div data-browser hidden>
<p><button class="button" type="button" data-ask disabled>${escapeHtml(browser.ask)}</button></p>
<div role="status"><p data-note="sending" hidden>${escapeHtml(browser.sending)}</p><p data-note="failed" hidden>${escapeHtml(browser.failed)}</p></div>
</div>`
}

/** While it is open, every step that may come next: the script shows it without a round trip. */
const shownSteps = ({ step }: HostedVerification, isOpen: boolean) => (isOpen ? STEPS : [step])

function stepPart(step: Step, verification: HostedVerification, options: PageOptions): string {
  const { language, brand } = options
  const words = WORDS[language]
  const { merchantSite: site, takesOtherDevices } = verification
  const hidden = step === verification.step ? '' : ' hidden'
  if (step === 'waiting') {
    const { title, text } = words.steps.waiting
    return `<div class="state waiting" data-show="waiting"${hidden}><p class="outcome">${escapeHtml(title)}</p><p class="small">${escapeHtml(text(brand.name))}</p></div>`
  }
  const isOpen = OPEN_STEPS.has(step)
  const { title, text } = endWords(step, verification, options)
  const [level, mark] = [isOpen ? 'h2' : 'h1', `<span class="mark" aria-hidden="true"></span>`]
  const word = step === 'completed' ? words.back(brand.name) : words.again(brand.name)
  const onward =
    isOpen || site === null
      ? ''
      : `<p><a class="button" href="${escapeHtml(site)}" rel="noreferrer">${escapeHtml(word)}</a></p>`
  const isWithoutResult = !isOpen && step !== 'completed'
  const [help, contact] = isWithoutResult ? [helpPart(brand), contactPart(brand, words)] : ['', '']
  const again =
    step === 'fetched'
      ? `<p><button class="button quiet" type="button" data-code-again>${escapeHtml(takesOtherDevices ? words.codeAgain : words.browser.otherWays)}</button></p>`
      : ''
  const said = `<${level} class="outcome">${escapeHtml(title)}</${level}><p>${escapeHtml(text)}</p>`
  const heard = step === 'fetched' && takesOtherDevices ? eitherDevice(said, words, brand) : said
  return `<div class="state ${step}" data-show="${step}"${hidden}>${mark}${heard}${help}${onward}${contact}${again}</div>`
}

/** The merchant's own text. */
const helpPart = ({ helpText }: Brand) => (helpText === null ? '' : `<p class="help">${escapeHtml(helpText)}</p>`)

/** The merchant's help page. */
function contactPart({ supportUrl, name }: Brand, words: Words): string {
  return supportUrl === null
    ? ''
    : `<p><a class="button quiet" href="${escapeHtml(supportUrl)}" rel="noopener noreferrer" target="_blank">${escapeHtml(words.contact(name))}</a></p>`
}

/** A large screen shows the code that a phone scans, unless the wallet was opened here. The stylesheet chooses. */
function eitherDevice(here: string, { scanned }: Words, { name }: Brand): string {
  return `<div class="narrow">${here}</div><div class="wide"><h2 class="outcome">${escapeHtml(scanned.title)}</h2><p>${escapeHtml(scanned.text(name))}</p></div>`
}

/** The reason and what to do about it, once it has ended; before, what can be said without knowing the end. */
export function endWords(
  step: Step,
  { step: current, reason }: HostedVerification,
  { language, brand, mayKnowReason }: Pick<PageOptions, 'language' | 'brand' | 'mayKnowReason'>,
): { readonly title: string; readonly text: string } {
  const words = WORDS[language]
  const isKnown = step === current && (mayKnowReason || reason === 'cancelled')
  const { title, text } = isKnown && reason !== null ? words.reasons[reason] : words.steps[step]
  return { title, text: text(brand.name) }
}

const timePart = (words: Words) =>
  `<p class="time" data-open>${escapeHtml(words.timeLeft + words.colon)} <span data-countdown>–</span></p>`

/** From the scan to the result, once a wallet has the request. The stylesheet marks completed steps from the card's state. */
function progressPart({ way }: Words, { name }: Brand, current: Step): string {
  const items = [
    ['', escapeHtml(way.opened)],
    ['fetched', eitherWidth(way.onPhone, way.inWallet)],
    ['checking', escapeHtml(way.check)],
    ['completed', escapeHtml(way.result(name))],
  ]
  return `<ol class="way" data-open aria-label="${escapeHtml(way.label)}">${items
    .map(([step, text]) => `<li data-at="${step}"${step === current ? ' aria-current="step"' : ''}>${text}</li>`)
    .join('')}</ol>`
}

/** The stylesheet shows one of them. */
const eitherWidth = (wide: string, narrow: string) =>
  `<span class="wide">${escapeHtml(wide)}</span><span class="narrow">${escapeHtml(narrow)}</span>`

function footer(language: Language, words: Words, brand: Brand | null): string {
  const own = brand === null ? '' : brandLinks(brand, words)
  return `<footer>${own === '' ? '' : `<p>${own}</p>`}${languageLinks(words, language)}</footer>`
}

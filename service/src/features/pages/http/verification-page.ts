// Renders the hosted page. While open: the request, the action and what is shared. After the end: the outcome.

import encodeQR from 'qr'
import { claimLabel, type Language } from '../../../../../labels/catalogue.ts'
import { OPEN_STEPS, STEPS, type Step } from '../../../core/verifications/domain/progress.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { HostedVerification } from '../usecases/read-hosted-page.ts'
import { agreementLines, amountText, onlyPaymentOf, type ShownPayment } from './agreement-lines.ts'
import { type Brand, brandPart, footerPart } from './brand.ts'
import { type Drawing, drawingOf } from './drawing.ts'
import type { Page } from './layout.ts'
import { acceptedRow, noWalletRow, presentedRow } from './note-rows.ts'
import { ageOf, receivedList, receivedNames } from './question-part.ts'
import { endWords, stepPart } from './step-part.ts'
import { LABELS, wordsOf } from './words/languages.ts'
import type { Words } from './words/words.ts'

/** The heading lists at most this many claims. */
const IN_HEADING = 3

interface PageOptions {
  readonly language: Language
  readonly brand: Brand
  readonly sandbox: boolean
  /** Folds the QR code: on a phone, the wallet is usually on the same device. */
  readonly onPhone: boolean
  /** For the dashboard's preview: no scripts, and no notice that scripts are off. */
  readonly isPreview: boolean
  /** The verification is not bound to any browser yet. The script first binds it to this browser. */
  readonly mustHold: boolean
  /** The verification is bound to this browser. Other browsers see that it failed, but not why. */
  readonly mayKnowReason: boolean
}

export function verificationPage(verification: HostedVerification, options: PageOptions): Page {
  const { language, brand } = options
  const drawing = drawingOf(verification, options)
  const { words } = drawing
  const { step } = verification
  const isOpen = OPEN_STEPS.has(step)
  const body = `${ribbonPart(verification, options)}
<main class="card${isOpen ? ' two' : ''}" data-verification="${verification.id}" data-step="${step}" data-expires="${Math.floor(verification.expiresAtMs)}" data-now="${Math.floor(verification.nowMs)}"${onwardMark(verification, language)}${verification.agreesTo === null ? '' : ` data-about="${verification.agreesTo}"`}${options.mustHold ? ' data-hold' : ''}>
${brandPart(brand)}
<p class="offline" role="status" data-offline><span hidden>${escapeHtml(words.offline)}</span>${options.mustHold ? `<span data-cookies hidden>${escapeHtml(words.cookies)}</span>` : ''}</p>
${isOpen ? questionPart(verification, drawing) : ''}
<div class="answer">
${isOpen ? optionsPart(verification, words, options) : ''}
<section class="status" role="status" aria-live="polite" aria-atomic="true">
${shownSteps(verification, isOpen)
  .map((one) => stepPart(one, verification, drawing))
  .join('\n')}
</section>
${isOpen ? progressPart(words, brand, step) : ''}
${onwardPart(verification, drawing)}
</div>
${isOpen ? `${receivedBlock(verification, drawing)}${timePart(words)}${notesPart(verification, drawing)}` : ''}
</main>
${footerPart(language, words, brand, { about: verification.agreesTo })}`
  const title = isOpen ? headingOf(verification, drawing) : endWords(step, verification, drawing).title
  return { language, title, body, styles: brand.styles }
}

/** The subject of the page: a sign-in, a transaction to confirm, an age, or what is shared. */
export function headingOf(verification: HostedVerification, { language, brand, words }: Drawing): string {
  const { onward, transaction } = verification
  if (onward !== null) return words.signIn.asks(brand.name)
  const payment = onlyPaymentOf(transaction)
  if (payment !== null) return words.agree.pay(amountText(payment.amount, payment.currency, language), payment.payee)
  if (transaction.length > 0) return words.agree.asks(brand.name)
  const received = receivedNames(verification)
  const [first = ''] = received
  const age = received.length === 1 ? ageOf(first) : null
  if (age !== null) return words.confirmAge(brand.name, age)
  const isShort = received.length > 0 && received.length <= IN_HEADING && received.every((name) => ageOf(name) === null)
  return words.share(brand.name, isShort ? listOf(received, language) : null)
}

/** A list within a sentence. Only German nouns keep their capital letters. */
function listOf(names: readonly string[], language: Language): string {
  const labels = names.map((name) => {
    const label = claimLabel(LABELS[language], name)
    return language === 'de' ? label : `${label.charAt(0).toLocaleLowerCase(language)}${label.slice(1)}`
  })
  // British English has no comma before "and", like our other texts.
  return new Intl.ListFormat(language === 'en' ? 'en-GB' : language, { type: 'conjunction' }).format(labels)
}

/** Keeps the chosen language on the page that follows a sign-in. */
const onwardMark = ({ onward }: HostedVerification, language: Language) =>
  onward === null ? '' : ` data-onward="${escapeHtml(onward)}?lang=${language}"`

/** For a sign-in: a link that cancels it while it is open, or continues to the client after its end. */
function onwardPart({ onward, step }: HostedVerification, { words: { signIn }, language }: Drawing): string {
  if (onward === null) return ''
  return OPEN_STEPS.has(step)
    ? `<p data-open><a class="button quiet" data-leave href="${escapeHtml(onward)}/cancel">${escapeHtml(signIn.cancel)}</a></p>`
    : `<p><a class="button" href="${escapeHtml(onward)}?lang=${language}">${escapeHtml(signIn.onward)}</a></p>`
}

/** In test the page has a link to the test wallet. Otherwise the page looks as in live. */
function ribbonPart(
  { environment, sameDeviceUri, step }: HostedVerification,
  { language, sandbox }: PageOptions,
): string {
  if (environment !== 'test') return ''
  const words = wordsOf(language, false)
  const address = `/sandbox/wallet?uri=${encodeURIComponent(sameDeviceUri)}&amp;lang=${language}`
  const link =
    sandbox && OPEN_STEPS.has(step)
      ? ` <span class="try" data-open><a href="${address}">${escapeHtml(words.testWallet)}</a></span>`
      : ''
  return `<header class="ribbon">${escapeHtml(words.test)}${link}</header>`
}

/** The request, its reason, and what the holder confirms. */
function questionPart(verification: HostedVerification, drawing: Drawing): string {
  const { words } = drawing
  const { purpose, transaction } = verification
  const payment = onlyPaymentOf(transaction)
  return `<div class="question" data-open>
${payment === null ? `<h1>${escapeHtml(headingOf(verification, drawing))}</h1>` : paymentHeading(payment, drawing)}
${payment === null ? '' : paragraphs(paymentLines(payment, verification, drawing))}
${purpose === null ? '' : `<p class="purpose"><strong>${escapeHtml(words.why + words.colon)}</strong> ${escapeHtml(purpose)}</p>`}
${registeredPart(verification, drawing)}
${signInPart(verification, drawing)}
${payment === null ? agreementPart(verification, drawing) : ''}
</div>`
}

/** A phone that scanned the code shows a confirmation code; the device that shows the page does not. The stylesheet chooses. */
function signInPart({ onward, takesOtherDevices }: HostedVerification, { words: { signIn } }: Drawing): string {
  if (onward === null) return ''
  const here = escapeHtml(signIn.how)
  return takesOtherDevices
    ? `<p class="purpose narrow">${here}</p><p class="purpose wide">${escapeHtml(signIn.howWithCode)}</p>`
    : `<p class="purpose">${here}</p>`
}

/** For a payment `privacy` is empty, because `paymentLines` shows that sentence above the button. */
export const noteText = ({ issuerToo, privacy }: Words, { name }: Brand) => `${issuerToo(name)} ${privacy}`.trim()

const paragraphs = (lines: readonly string[]) =>
  lines.map((line) => `<p class="purpose">${escapeHtml(line)}</p>`).join('')

/** Shown below the action on a phone, and below the request on a large screen. */
function receivedBlock(verification: HostedVerification, { language, brand, words }: Drawing): string {
  const list = receivedList(verification, language)
  return list === ''
    ? ''
    : `<div class="received" data-open><h2>${escapeHtml(words.receives(brand.name))}</h2>${list}<p class="small">${escapeHtml(noteText(words, brand))}</p></div>\n`
}

/** The purpose from the registration certificate, as the wallet shows it; in the holder's language if the registrar provides it. */
function registeredPart({ registered }: HostedVerification, { language, words }: Drawing): string {
  if (registered === null) return ''
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

/** Renders the text that the wallet will show again, always as plain text. */
function agreementPart({ transaction }: HostedVerification, { language, words }: Drawing): string {
  if (transaction.length === 0) return ''
  const items = transaction.flatMap((one) => agreementLines(one, language))
  return `<h2>${escapeHtml(words.agree.title)}</h2><ul class="asked agreed">${items.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`
}

/** Shows the amount in large type below the payee. */
function paymentHeading({ amount, currency, payee }: ShownPayment, { language, words }: Drawing): string {
  return `<h1 class="pay"><span>${escapeHtml(words.agree.payTo(payee))}</span> <span class="amount">${escapeHtml(amountText(amount, currency, language))}</span></h1>`
}

/** Names a payee that is not the merchant. Otherwise its name in the wallet would look like fraud. */
export function paymentLines(
  { payee, reference, recurring }: ShownPayment,
  { merchant }: HostedVerification,
  { brand, words: { agree, colon } }: Drawing,
): readonly string[] {
  const isOther = payee !== brand.name && payee !== merchant
  return [
    ...(isOther ? [agree.asksToPay(brand.name, payee)] : []),
    ...(reference === null ? [] : [`${agree.reference}${colon} ${reference}`]),
    ...(recurring ? [agree.recurring] : []),
    agree.onlyThere,
  ]
}

/** Background information: below the request, or on a phone below everything. */
function notesPart(verification: HostedVerification, drawing: Drawing): string {
  const { merchantSite } = verification
  const { words, brand } = drawing
  const back =
    merchantSite === null
      ? ''
      : `<p class="back"><a href="${escapeHtml(merchantSite)}" rel="noreferrer">${escapeHtml((words.leave ?? words.back)(brand.name))}</a></p>`
  return `<div class="notes small" data-open>${presentedRow(verification, drawing)}${acceptedRow(verification, drawing)}${noWalletRow(drawing)}${back}</div>`
}

/** The ways to answer. The link comes before the QR code; on a wide screen the stylesheet swaps the two. */
function optionsPart(verification: HostedVerification, words: Words, { onPhone, isPreview }: PageOptions): string {
  const hidden = verification.step === 'waiting' ? '' : ' hidden'
  return `<div class="waiting" data-waiting${hidden}>
${verification.asksInBrowser ? browserPart(words) : ''}
<p class="same" data-same><a class="button" href="${escapeHtml(verification.sameDeviceUri)}" rel="noreferrer">${eitherWidth(words.sameDevice.wide, words.sameDevice.narrow)}</a></p>
${agePart(verification, words)}<details class="ways" data-ways${onPhone ? '' : ' open'}><summary><span data-another>${escapeHtml(words.anotherDevice)}</span><span data-others hidden>${escapeHtml(words.browser.otherOptions)}</span></summary>
${verification.asksInBrowser && verification.takesOtherDevices ? `<p class="or small">${escapeHtml(words.browser.orScan)}</p>\n` : ''}${otherDevicePart(verification, words)}
</details>
</div>
${isPreview ? '' : `<noscript><p class="small">${escapeHtml(words.reload)}</p></noscript>`}`
}

/** The QR code, unless an answer from another device would be refused. */
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

/** The script shows this part if the browser can ask a wallet and there is an offer. Then the other options are folded. */
function browserPart({ browser }: Words): string {
  return `<div data-browser hidden>
<p><button class="button" type="button" data-ask disabled>${escapeHtml(browser.ask)}</button></p>
<div role="status"><p data-note="sending" hidden>${escapeHtml(browser.sending)}</p><p data-note="failed" hidden>${escapeHtml(browser.failed)}</p></div>
</div>`
}

/** An open page contains all steps, so that the script switches between them without a request. */
const shownSteps = ({ step }: HostedVerification, isOpen: boolean) => (isOpen ? STEPS : [step])

/** The script shows the time when little of it is left. */
const timePart = (words: Words) =>
  `<p class="time" data-time hidden>${escapeHtml(words.timeLeft + words.colon)} <span data-countdown>–</span></p>`

/** Shows the steps from the scan to the result, once a wallet has the request. The stylesheet marks completed steps. */
function progressPart({ progress }: Words, { name }: Brand, current: Step): string {
  const items = [
    ['', escapeHtml(progress.opened)],
    [
      'fetched',
      `<span class="todo">${eitherWidth(progress.onPhone, progress.inWallet)}</span><span class="past">${escapeHtml(progress.confirmed)}</span>`,
    ],
    ['checking', escapeHtml(progress.check)],
    ['completed', escapeHtml(progress.result(name))],
  ]
  return `<ol class="way" data-open aria-label="${escapeHtml(progress.label)}">${items
    .map(([step, text]) => `<li data-at="${step}"${step === current ? ' aria-current="step"' : ''}>${text}</li>`)
    .join('')}</ol>`
}

/** The stylesheet shows one of the two texts, by the width of the screen. */
const eitherWidth = (wide: string, narrow: string) =>
  `<span class="wide">${escapeHtml(wide)}</span><span class="narrow">${escapeHtml(narrow)}</span>`

// Renders one step of a verification: what happens now, or how the verification ended, why, and what to do next.

import { OPEN_STEPS, type Step } from '../../../core/verifications/domain/progress.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { EndReason } from '../domain/end-reason.ts'
import type { HostedVerification } from '../usecases/read-hosted-page.ts'
import { amountText, onlyPaymentOf } from './agreement-lines.ts'
import { contactPart, helpPart } from './brand.ts'
import type { Drawing } from './drawing.ts'
import { acceptedRow, noWalletRow, row } from './note-rows.ts'
import { ageOf, receivedList, receivedNames } from './question-part.ts'
import type { Subject } from './words/words.ts'

/** Endings whose cause is not a wrong ID. */
const NEUTRAL: ReadonlySet<EndReason | null> = new Set<EndReason>([
  'incomplete',
  'uncheckable',
  'wallet_error',
  'not_confirmed',
])
export function stepPart(step: Step, verification: HostedVerification, drawing: Drawing): string {
  const hidden = step === verification.step ? '' : ' hidden'
  if (step === 'waiting') return waitingPart(drawing, hidden)
  const isOpen = OPEN_STEPS.has(step)
  const level = isOpen ? 'h2' : 'h1'
  const { title, text } = endWords(step, verification, drawing)
  const paid = step === 'completed' ? paidPart(verification, drawing) : ''
  const message = `<${level} class="outcome">${escapeHtml(title)}</${level}>${paid}<p>${escapeHtml(text)}</p>`
  // The clock icon means that time ran out, so a cancelled verification gets the icon of a declined one.
  const isCancelled = knownReason(step, verification, drawing) === 'cancelled'
  const tone = !isOpen && (isCancelled || isNeutral(step, verification, drawing)) ? 'declined' : step
  const rest = isOpen
    ? openPart(step, message, verification, drawing)
    : `${message}${endPart(step, verification, drawing)}`
  return `<div class="state ${tone}" data-show="${step}"${hidden}><span class="mark" aria-hidden="true"></span>${rest}</div>`
}

function waitingPart({ words, brand }: Drawing, hidden: string): string {
  const { title, text } = words.steps.waiting
  return `<div class="state waiting" data-show="waiting"${hidden}><p class="outcome">${escapeHtml(title)}</p><p class="small">${escapeHtml(text(brand.name))}</p></div>`
}

function openPart(step: Step, message: string, verification: HostedVerification, { words, brand }: Drawing): string {
  if (step !== 'fetched') return message
  const { takesOtherDevices } = verification
  const { scanned, codeAgain, walletAgain, browser } = words
  const other = `<div class="wide"><h2 class="outcome">${escapeHtml(scanned.title)}</h2><p>${escapeHtml(scanned.text(brand.name))}</p></div>`
  const code = escapeHtml(takesOtherDevices ? codeAgain : browser.otherOptions)
  const again = `<p class="wide"><button class="button quiet" type="button" data-code-again>${code}</button></p><p class="narrow"><button class="button quiet" type="button" data-wallet-again>${escapeHtml(walletAgain)}</button></p>`
  // On a wide screen a phone can scan the code, unless the wallet was opened on this device. The stylesheet chooses.
  return `${takesOtherDevices ? `<div class="narrow">${message}</div>${other}` : message}${again}`
}

/** Amount and payee, only for the browser that showed them while the verification was open. A reload no longer has them. */
function paidPart({ transaction }: HostedVerification, { language, words: { agree, colon } }: Drawing): string {
  const payment = onlyPaymentOf(transaction)
  if (payment === null) return ''
  const { amount, currency, payee, reference } = payment
  const to = [agree.paidTo(payee), ...(reference === null ? [] : [`${agree.reference}${colon} ${reference}`])]
  return `<p class="pay"><span class="amount">${escapeHtml(amountText(amount, currency, language))}</span> <span>${escapeHtml(to.join(' · '))}</span></p>`
}

const knownReason = (step: Step, { step: current, reason }: HostedVerification, { mayKnowReason }: Drawing) =>
  step === current && (mayKnowReason || reason === 'cancelled') ? reason : null

const isNeutral = (step: Step, verification: HostedVerification, drawing: Drawing) =>
  step === 'failed' && NEUTRAL.has(knownReason(step, verification, drawing))

/** After the end: the reason and the remedy. Before: what can be said without knowing the end. */
export function endWords(
  step: Step,
  verification: HostedVerification,
  drawing: Drawing,
): { readonly title: string; readonly text: string } {
  const { words, brand, knowsRequest } = drawing
  const reason = knownReason(step, verification, drawing)
  const done = step === 'completed' && knowsRequest && verification.onward === null
  const { title, text } =
    reason !== null ? words.reasons[reason] : done ? words.done[subjectOf(verification)] : words.steps[step]
  const message = text(brand.name)
  const isOver = step === 'completed' && verification.merchantSite === null && verification.onward === null
  return { title, text: isOver ? `${message} ${words.close}` : message }
}

export function subjectOf(verification: HostedVerification): Subject {
  if (verification.agreesTo !== null) return verification.agreesTo === 'payment' ? 'payment' : 'agreement'
  const [first = '', ...others] = receivedNames(verification)
  return others.length === 0 && ageOf(first) !== null ? 'age' : 'details'
}

/** The link back to the merchant comes before help, because only the merchant can start another verification. */
function endPart(step: Step, verification: HostedVerification, drawing: Drawing): string {
  const { words, brand, language, knowsRequest } = drawing
  const { merchantSite: site } = verification
  const isDone = step === 'completed'
  // An open page also contains the endings. The script reloads it for each but `completed`, so their rows are left out here.
  const isCurrent = step === verification.step
  const mayHelp = step === 'declined' || step === 'failed'
  const backLink =
    site === null
      ? ''
      : `<p><a class="button" href="${escapeHtml(site)}" rel="noreferrer">${escapeHtml(mayHelp ? words.again(brand.name) : words.back(brand.name))}</a></p>`
  const rows = [
    ...(isDone && knowsRequest
      ? [row(words.received(brand.name), receivedList(verification, language, 'presented'))]
      : []),
    ...(isCurrent && !isDone && step !== 'expired' && knowsRequest
      ? [acceptedRow(verification, drawing, step === 'declined' ? ' open' : '')]
      : []),
    ...(isCurrent && step === 'declined' ? [noWalletRow(drawing)] : []),
  ].join('')
  const notes = rows === '' ? '' : `<div class="notes small">${rows}</div>`
  return isDone ? `${backLink}${notes}` : `${helpPart(brand)}${backLink}${contactPart(brand, words)}${notes}`
}

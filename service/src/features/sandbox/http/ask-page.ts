// The consent page of the test wallet: who asks for what, the card to answer with, the test case, and the buttons.

import { sayQuestion } from '../../../../../labels/say-question.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import {
  amountText,
  type Brand,
  brandPart,
  drawingOf,
  type HostedVerification,
  headingOf,
  LABELS,
  noteRow,
  onlyPaymentOf,
  type Page,
  questionPart,
  type ShownTransaction,
  shownOf,
  WORDS,
} from '../../pages/index.ts'
import { type Inspection, pathText, type Sandbox } from '../../trust/index.ts'
import { answersPart } from './answers-part.ts'
import { namesOf } from './document-card.ts'
import { registrationPart } from './registration-part.ts'
import { agreementPart, exactTexts } from './sandbox-agreement.ts'
import { trialPart } from './trial-part.ts'
import { framed, type Shown } from './wallet-frame.ts'
import { WALLET_WORDS } from './wallet-words/languages.ts'

export type Understood = Extract<Inspection, { outcome: 'understood' }>

export interface ConsentRequest {
  readonly link: string
  readonly verification: HostedVerification
  readonly brand: Brand
  readonly inspection: Understood
  readonly sandbox: Pick<Sandbox, 'scenarios' | 'transactionScenarios'>
}

export function askPage(shown: Shown, { link, verification, brand, inspection, sandbox }: ConsentRequest): Page {
  const { language } = shown
  const [words, { why, colon, agree }] = [WALLET_WORDS[language], WORDS[language]]
  const { signed, verifier, answers } = inspection
  const title = headingOf(verification, drawingOf(verification, { language, brand, mayKnowReason: true }))
  const transaction = inspection.transaction.map(({ type, text }) => shownOf({ type, text, title: type }))
  const payment = onlyPaymentOf(transaction)
  const purposes = inspection.purposes.map(
    (purpose) => `<p class="purpose"><strong>${escapeHtml(why + colon)}</strong> ${escapeHtml(purpose)}</p>`,
  )
  const heading =
    payment === null
      ? `<h1>${escapeHtml(title)}</h1>`
      : `<h1 class="pay"><span>${escapeHtml(agree.payTo(payment.payee))}</span> <span class="amount">${escapeHtml(amountText(payment.amount, payment.currency, language))}</span></h1>`
  const canAnswer = answers.every(({ required, options }) => !required || options.length > 0)
  const body = `<div class="sheet"><div>${brandPart(brand, `${signed ? words.certificate : words.unsigned}${colon} ${verifier}`)}
${heading}${purposes.join('')}${agreementPart(transaction, brand, language)}${registrationPart(language, inspection.registration)}</div>
<form method="post" action="/sandbox/wallet">
<input type="hidden" name="uri" value="${escapeHtml(link)}">
<input type="hidden" name="lang" value="${language}">
${canAnswer ? `${answersPart(shown, answers, payment === null ? words.shares : words.paysWith)}${trialPart(words, inspection, sandbox)}` : `<p class="help">${escapeHtml(words.noMatch)}</p>`}
<div class="act">${canAnswer ? `<button class="button" type="submit" name="answer" value="consent">${escapeHtml(consentText(shown, verification, transaction))}</button>` : ''}
<button class="button${canAnswer ? ' second' : ''}" type="submit" name="answer" value="decline">${escapeHtml(words.decline)}</button></div>
</form>
<div class="notes small">${noteRow(words.agree.exact, exactTexts(inspection.transaction, language))}${noteRow(words.exactRequest, exactRequest(shown, inspection))}</div></div>`
  return framed(shown, { title, body, link })
}

/** The label of the button names what the holder agrees to. */
function consentText(
  { language }: Shown,
  { onward }: HostedVerification,
  transaction: readonly ShownTransaction[],
): string {
  const { consent } = WALLET_WORDS[language]
  const payment = onlyPaymentOf(transaction)
  if (payment !== null) return consent.pay(amountText(payment.amount, payment.currency, language))
  if (transaction.length > 0) return consent.confirm
  return onward === null ? consent.share : consent.signIn
}

/** All answers that the request allows, in words. Folded below: the names of the claims of each document. */
function exactRequest({ language }: Shown, { question, documents }: Understood): string {
  const lines = sayQuestion(question, { labels: LABELS[language], language })
  const items = documents.map(({ format, types, paths }) => {
    const names = [...types, ...paths.map(pathText)].map((name) => `<li><code>${escapeHtml(name)}</code></li>`)
    const title = `${escapeHtml(namesOf({ types }, language))} <small><code>${escapeHtml(format)}</code></small>`
    return `<p><strong>${title}</strong></p><ul>${names.join('')}</ul>`
  })
  return `${questionPart(lines, language)}<details class="names"><summary>${escapeHtml(WALLET_WORDS[language].technical)}</summary>${items.join('')}</details>`
}

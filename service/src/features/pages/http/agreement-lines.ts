// The transaction that a holder confirms, as lines of plain text in their language.

import type { Language } from '../../../../../labels/catalogue.ts'
import { sayDocuments, sayMandate } from '../../../../../labels/say-agreement.ts'
import type { ShownTransaction } from '../usecases/read-hosted-page.ts'
import { LABELS, WORDS } from './words/languages.ts'

/** More digits than any currency has, so that the page shows exactly what is signed. */
const FRACTION_DIGITS_MAX = 20

export type ShownPayment = Extract<ShownTransaction, { kind: 'payment' }>

/** Returns the payment if the transaction has no other item. Then the payment is the page's heading. */
export function onlyPaymentOf(transaction: readonly ShownTransaction[]): ShownPayment | null {
  const [first, ...others] = transaction
  return first?.kind === 'payment' && others.length === 0 ? first : null
}

export function agreementLines(shown: ShownTransaction, language: Language): readonly string[] {
  const { agree, colon } = WORDS[language]
  const speaker = { words: LABELS[language].agreement, locale: language === 'en' ? 'en-GB' : language, colon }
  switch (shown.kind) {
    case 'payment': {
      const { amount, currency, payee, recurring } = shown
      const line = agree.pay(amountText(amount, currency, language), payee)
      return recurring ? [line, agree.recurring] : [line]
    }
    case 'mandate': {
      const payment = shown.payment === null ? [] : agreementLines(shown.payment, language)
      return [...sayMandate(shown.details, speaker), ...payment]
    }
    case 'signature':
      return sayDocuments(shown.documents, agree.sign, speaker)
    case 'other':
      return shown.lines.length === 0 ? [shown.title] : [`${shown.title}${colon} ${shown.lines.join(' · ')}`]
  }
}

export function amountText(amount: number, currency: string, language: Language): string {
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    maximumFractionDigits: FRACTION_DIGITS_MAX,
  }).format(amount)
}

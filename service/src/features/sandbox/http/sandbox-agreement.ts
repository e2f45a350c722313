// The transaction that the holder confirms in the web test wallet, in words and as the signed text.

import type { Language } from '../../../../../labels/catalogue.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { agreementLines, type Brand, onlyPaymentOf, type ShownTransaction, WORDS } from '../../pages/index.ts'
import type { Inspection } from '../../trust/index.ts'
import { WALLET_WORDS } from './wallet-words/languages.ts'

type Agreed = Extract<Inspection, { outcome: 'understood' }>['transaction']

/**
 * The heading already shows the amount of a single payment. A payee that is not the merchant is named, because an
 * unexpected name would look like fraud.
 */
export function agreementPart(
  transaction: readonly ShownTransaction[],
  { name, legalName }: Pick<Brand, 'name' | 'legalName'>,
  language: Language,
): string {
  const { agree, colon } = WORDS[language]
  const payment = onlyPaymentOf(transaction)
  if (payment !== null) {
    const isOther = payment.payee !== name && payment.payee !== legalName
    const lines = [
      ...(isOther ? [agree.asksToPay(name, payment.payee)] : []),
      ...(payment.reference === null ? [] : [`${agree.reference}${colon} ${payment.reference}`]),
      ...(payment.recurring ? [agree.recurring] : []),
    ]
    return lines.map((line) => `<p class="purpose">${escapeHtml(line)}</p>`).join('')
  }
  const items = transaction.flatMap((one) => agreementLines(one, language))
  if (items.length === 0) return ''
  return `<h2>${escapeHtml(WALLET_WORDS[language].agree.title)}</h2><ul class="asked agreed">${items.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`
}

/** Each text with its type, decoded and as signed. Empty if there are no texts. */
export function exactTexts(transaction: Agreed, language: Language): string {
  const [{ agree }, { colon }] = [WALLET_WORDS[language], WORDS[language]]
  return transaction
    .map(
      ({ type, text }) =>
        `<p>${escapeHtml(agree.type + colon)} <code>${escapeHtml(type)}</code></p><pre>${escapeHtml(readable(text))}</pre><p>${escapeHtml(agree.letterForLetter + colon)}</p><pre>${escapeHtml(text)}</pre>`,
    )
    .join('')
}

const readable = (text: string) => Buffer.from(text, 'base64url').toString('utf8')

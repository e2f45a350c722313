// Folded rows about a request: what the wallet sends, which IDs are accepted, where to get a wallet.

import type { Language } from '../../../../../labels/catalogue.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { NATIONAL_WALLETS } from '../domain/national-wallets.ts'
import type { ShownQuestion } from '../usecases/read-hosted-page.ts'
import type { Drawing } from './drawing.ts'
import { acceptedDocuments, presentedList } from './question-part.ts'
import { WORDS } from './words/languages.ts'

/** `content` is HTML; if empty, the row is omitted. */
export const row = (title: string, content: string, mark = '') =>
  content === '' ? '' : `<details${mark}><summary>${escapeHtml(title)}</summary>${content}</details>`

export const presentedRow = (question: ShownQuestion, { words, language }: Drawing) =>
  row(words.presents, presentedList(question, language) ?? '')

/** `mark`: an HTML attribute for the row. */
export function acceptedRow(question: ShownQuestion, { words, language }: Drawing, mark = ''): string {
  const items = acceptedDocuments(question, language).map((name) => `<li>${escapeHtml(name)}</li>`)
  return row(words.documents, items.length === 0 ? '' : `<ul>${items.join('')}</ul>`, mark)
}

export const noWalletRow = ({ words: { noWallet }, language }: Drawing) =>
  row(
    noWallet.title,
    `<p>${escapeHtml(noWallet.text)}</p><ul class="many">${nationalWallets(language)
      .map((line) => `<li>${escapeHtml(line)}</li>`)
      .join('')}</ul>`,
    ' data-no-wallet',
  )

/** Sorted by country in the reader's language. */
export function nationalWallets(language: Language): string[] {
  const countries = new Intl.DisplayNames(language, { type: 'region' })
  return NATIONAL_WALLETS.map(([code, app]) => [countries.of(code) ?? code, app] as const)
    .toSorted(([one], [other]) => one.localeCompare(other, language))
    .map(([country, app]) => `${country}${WORDS[language].colon} ${app}`)
}

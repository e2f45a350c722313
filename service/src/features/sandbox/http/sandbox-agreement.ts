// The transaction that the web test wallet's holder confirms: in words, with its type, and as the signed text.

import type { Language } from '../../../../../labels/catalogue.ts'
import { shownOf } from '../../../core/transactions/domain/shown.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { agreementLines, WORDS } from '../../pages/index.ts'
import type { Inspection } from '../../trust/index.ts'
import { WALLET_WORDS } from './wallet-words/languages.ts'

type Agreed = Extract<Inspection, { outcome: 'understood' }>['transaction']

export function agreementOf(transaction: Agreed, language: Language): string {
  if (transaction.length === 0) return ''
  const [{ agree }, { colon }] = [WALLET_WORDS[language], WORDS[language]]
  const items = transaction.map(({ type, text }) => {
    const lines = agreementLines(shownOf({ type, text, title: type }), language).map(escapeHtml)
    return `<li><strong>${lines.join('<br>')}</strong><span class="small">${escapeHtml(agree.type + colon)} <code>${escapeHtml(type)}</code></span>
<details><summary>${escapeHtml(agree.exact)}</summary><pre>${escapeHtml(readable(text))}</pre><p class="small">${escapeHtml(agree.letterForLetter + colon)}</p><pre>${escapeHtml(text)}</pre></details></li>`
  })
  return `<h2>${escapeHtml(agree.title)}</h2><ul class="asked agreed">${items.join('')}</ul>`
}

const readable = (text: string) => Buffer.from(text, 'base64url').toString('utf8')

// What the web test wallet's holder is to agree to: in words, with its type, and as the text that is signed.

import { shownOf } from '../../domain/transaction/shown.ts'
import type { Inspection } from '../../domain/trust/sandbox.ts'
import { escapeHtml } from '../escape-html.ts'
import { agreementLines } from './agreement-lines.ts'

type Agreed = Extract<Inspection, { outcome: 'understood' }>['transaction']

export function agreementOf(transaction: Agreed): string {
  if (transaction.length === 0) return ''
  const items = transaction.map(({ type, text }) => {
    const lines = agreementLines(shownOf({ type, text, title: type }), 'en').map(escapeHtml)
    return `<li><strong>${lines.join('<br>')}</strong><span class="small">Type: <code>${escapeHtml(type)}</code></span>
<details><summary>The exact text</summary><pre>${escapeHtml(readable(text))}</pre><p class="small">What is hashed and signed is this, letter for letter:</p><pre>${escapeHtml(text)}</pre></details></li>`
  })
  return `<h2>What you agree to, by your signature</h2><ul class="asked agreed">${items.join('')}</ul>`
}

const readable = (text: string) => Buffer.from(text, 'base64url').toString('utf8')

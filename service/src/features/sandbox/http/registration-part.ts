// The verifier's registration as an EU wallet shows it: the merchant instead of the intermediary, and warnings.

import type { Language } from '../../../../../labels/catalogue.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { WORDS } from '../../pages/index.ts'
import type { ShownRegistration } from '../../trust/index.ts'
import { WALLET_WORDS } from './wallet-words/languages.ts'

export function registrationPart(language: Language, registration: ShownRegistration | null): string {
  if (registration === null) return ''
  const { party, service, purposes, privacyPolicy, warnings } = registration
  const [words, { colon, privacyPolicy: policy }] = [WALLET_WORDS[language], WORDS[language]]
  const who = [party, service].filter((name) => name !== null).map((name) => `<strong>${escapeHtml(name)}</strong>`)
  const why = purposes.map(
    ({ lang, text }) =>
      `<p class="purpose"><strong>${escapeHtml(words.registeredFor + colon)}</strong> <span lang="${escapeHtml(lang)}">${escapeHtml(text)}</span></p>`,
  )
  const link =
    privacyPolicy === null
      ? ''
      : `<p><a href="${escapeHtml(privacyPolicy)}" rel="noreferrer">${escapeHtml(policy)}</a></p>`
  const warned = warnings.map((warning) => escapeHtml(warningText(language, warning))).join('<br>')
  const notice =
    warned === '' ? '' : `<p class="warned"><strong>${escapeHtml(words.warns + colon)}</strong> ${warned}</p>`
  return `${notice}${who.length === 0 ? '' : `<p class="purpose">${escapeHtml(words.registered + colon)} ${who.join(', ')}</p>`}${why.join('')}${link}`
}

export function warningText(language: Language, { code, text, detail }: ShownRegistration['warnings'][number]): string {
  const known = WALLET_WORDS[language].warnings[code]
  return known === undefined ? text : `${known}${detail === null ? '' : ` (${detail})`}`
}

// The language links at the foot of a page, each in its own language.

import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../../../../../labels/catalogue.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { Words } from './words/words.ts'

/** `about`: query parameters that the links keep. */
export function languageLinks(
  { language: called }: Pick<Words, 'language'>,
  language: Language,
  about: Readonly<Record<string, string>> = {},
): string {
  const links = LANGUAGES.map((one) => {
    const address = `?${new URLSearchParams({ lang: one, ...about })}`
    return `<a href="${escapeHtml(address)}" lang="${one}" hreflang="${one}"${one === language ? ' aria-current="true"' : ''}>${LANGUAGE_NAMES[one]}</a>`
  })
  return `<nav aria-label="${escapeHtml(called)}">${links.join('')}</nav>`
}

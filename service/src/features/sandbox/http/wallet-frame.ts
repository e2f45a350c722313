// The frame of all pages of the web test wallet: the test notice, the wallet's name and holder, the languages.

import type { Language } from '../../../../../labels/catalogue.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { languageLinks, type Page, WORDS } from '../../pages/index.ts'
import type { Sandbox } from '../../trust/index.ts'
import { WALLET_WORDS } from './wallet-words/languages.ts'

/** Language, look, and the fictional holder. */
export interface Shown {
  readonly language: Language
  readonly style: string
  readonly person: Sandbox['person']
}

interface Framed {
  readonly title: string
  /** HTML. */
  readonly body: string
  /** The link of the page, for the language links. null: the page came from a form, which a link cannot load. */
  readonly link: string | null
}

const ICON =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7.5A2.5 2.5 0 0 1 6.5 5H17v3"/><path d="M4 7.5A2.5 2.5 0 0 0 6.5 10H20v9H6.5A2.5 2.5 0 0 1 4 16.5z"/><circle cx="16" cy="14.5" r="1.25"/></svg>'

export function framed({ language, style, person }: Shown, { title, body, link }: Framed): Page {
  const words = WALLET_WORDS[language]
  const footer =
    link === null
      ? ''
      : `<footer>${languageLinks(WORDS[language], language, link === '' ? {} : { uri: link })}</footer>`
  return {
    language,
    title: `${title} – ${words.title}`,
    body: `<header class="ribbon">${escapeHtml(words.ribbon)}</header><main class="card"><p class="top">${ICON}<span>${escapeHtml(words.title)}</span><span class="holder">${escapeHtml(person.name)}</span></p>${body}</main>${footer}`,
    styles: [style],
  }
}

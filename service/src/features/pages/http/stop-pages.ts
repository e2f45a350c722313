// Pages instead of a verification: opened in another browser, unknown, or not available now.

import type { Language } from '../../../../../labels/catalogue.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { type Brand, brandPart, contactPart, footerPart, helpPart } from './brand.ts'
import type { Page } from './layout.ts'
import { WORDS } from './words/languages.ts'
import type { Words } from './words/words.ts'

/** For a browser that it is not bound to: no link, no code, no offer, and nothing about the request. */
export function elsewherePage(language: Language, kind: keyof Words['elsewhere'], brand: Brand | null): Page {
  const { title, texts } = WORDS[language].elsewhere[kind]
  return stopPage(language, {
    title,
    texts,
    brand,
    icon: 'elsewhere',
    status: 403,
    action: goBackPart(WORDS[language]),
  })
}

/** For too many requests, or if the service cannot answer. */
export function busyPage(language: Language, status: 429 | 503): Page {
  const words = WORDS[language]
  const { title, text } = words.stops[status === 429 ? 'busy' : 'away']
  const action = `<p><a class="button" href="">${escapeHtml(words.tryAgain)}</a></p>`
  return stopPage(language, { title, texts: [text], brand: null, icon: 'expired', status, action })
}

export function unknownPage(language: Language): Page {
  const { title, text } = WORDS[language].unknown
  return stopPage(language, {
    title,
    texts: [text],
    brand: null,
    icon: 'unknown',
    status: 404,
    action: goBackPart(WORDS[language]),
  })
}

/** The script shows it if the browser has a page to go back to. */
export const goBackPart = ({ goBack }: Pick<Words, 'goBack'>) =>
  `<p data-go-back hidden><button class="button" type="button">${escapeHtml(goBack)}</button></p>`

interface Stop {
  readonly title: string
  readonly texts: readonly string[]
  readonly brand: Brand | null
  /** As the stylesheet names it. */
  readonly icon: 'elsewhere' | 'expired' | 'unknown'
  readonly status: number
  /** HTML. */
  readonly action: string
}

function stopPage(language: Language, { title, texts, brand, icon, status, action }: Stop): Page {
  const words = WORDS[language]
  const paragraphs = texts.map((text) => `<p>${escapeHtml(text)}</p>`).join('')
  const [help, contact] = brand === null ? ['', ''] : [helpPart(brand), contactPart(brand, words)]
  const body = `<main class="card" data-stopped>${brand === null ? '' : brandPart(brand)}<div class="state ${icon}"><span class="mark" aria-hidden="true"></span><h1 class="outcome">${escapeHtml(title)}</h1>${paragraphs}${help}${action}${contact}</div></main>
${footerPart(language, words, brand)}`
  return { language, title, body, status, styles: brand?.styles ?? [] }
}

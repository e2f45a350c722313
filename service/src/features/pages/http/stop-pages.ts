// Pages instead of a verification: opened in another browser, unknown, or not available now.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../../../../labels/catalogue.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { Assets } from './assets.ts'
import { type Brand, brandPart, contactPart, footerPart, helpPart } from './brand.ts'
import { type Page, pageText } from './layout.ts'
import { chooseLanguage, WORDS } from './words/languages.ts'
import type { Words } from './words/words.ts'

/** For a browser that the verification is not bound to: no link, no code, no offer, and nothing about the request. */
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

/** An `onSend` hook. Browsers get a page instead of JSON when there are too many requests or the service is unavailable. */
export const busyAsPage =
  (assets: Assets) => async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    const { statusCode } = reply
    const { accept = '', 'accept-language': spoken } = request.headers
    if ((statusCode !== 429 && statusCode !== 503) || !accept.includes('text/html') || isPage(reply)) return payload
    const { lang } = request.query as { readonly lang?: unknown }
    const language = chooseLanguage(typeof lang === 'string' ? lang : undefined, spoken)
    // Says nothing about what was shared, because a wallet may have answered. A language link would lose the form's data.
    const { title, text } = WORDS[language].stops[statusCode === 429 ? 'busy' : 'away']
    const [action, languages] = [retryPart(request, language), request.method !== 'POST']
    const stop = { title, texts: [text], brand: null, icon: 'expired', status: statusCode, action, languages } as const
    return pageText(reply, assets, { ...stopPage(language, stop), formsLeadOn: true })
  }

const isPage = (reply: FastifyReply) => String(reply.getHeader('content-type')).startsWith('text/html')

const FIELDS_MAX = 64

/** Sends the form again with its fields, because a link would lose the wallet's code. Empty if the body was not read, or has too many. */
function retryPart({ method, body }: FastifyRequest, language: Language): string {
  const label = escapeHtml(WORDS[language].tryAgain)
  if (method !== 'POST') return `<p><a class="button" href="">${label}</a></p>`
  const text = body instanceof Uint8Array ? Buffer.from(body).toString() : null
  if (text === null || text.split('&', FIELDS_MAX + 1).length > FIELDS_MAX) return ''
  const fields = [...new URLSearchParams(text)]
  const field = (name: string, value: string) =>
    `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`
  return `<form method="post">${fields.map(([name, value]) => field(name, value)).join('')}<button class="button" type="submit">${label}</button></form>`
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

/** The script shows the button if the browser has a page to go back to. */
export const goBackPart = ({ goBack }: Pick<Words, 'goBack'>) =>
  `<p data-go-back hidden><button class="button" type="button">${escapeHtml(goBack)}</button></p>`

interface Stop {
  readonly title: string
  readonly texts: readonly string[]
  readonly brand: Brand | null
  /** The name of the icon in the stylesheet. */
  readonly icon: 'elsewhere' | 'expired' | 'unknown'
  readonly status: number
  /** HTML. */
  readonly action: string
  readonly languages?: boolean
}

function stopPage(language: Language, { title, texts, brand, icon, status, action, languages = true }: Stop): Page {
  const words = WORDS[language]
  const paragraphs = texts.map((text) => `<p>${escapeHtml(text)}</p>`).join('')
  const [help, contact] = brand === null ? ['', ''] : [helpPart(brand), contactPart(brand, words)]
  const body = `<main class="card" data-stopped>${brand === null ? '' : brandPart(brand)}<div class="state ${icon}"><span class="mark" aria-hidden="true"></span><h1 class="outcome">${escapeHtml(title)}</h1>${paragraphs}${help}${action}${contact}</div></main>
${footerPart(language, words, brand, { languages })}`
  return { language, title, body, status, styles: brand?.styles ?? [] }
}

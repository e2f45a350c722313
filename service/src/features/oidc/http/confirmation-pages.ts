// Renders the pages after an answer from another device or browser: the code on the phone, and the form to type it into.

import type { FastifyReply } from 'fastify'
import type { Language } from '../../../../../labels/catalogue.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { Environment } from '../../../platform/world.ts'
import { type Assets, type Brand, brandPart, footerPart, noteRow, sendPage, WORDS } from '../../pages/index.ts'
import { CONFIRM_DIGITS } from '../domain/confirmation.ts'
import { CONFIRMATION_WORDS, type ConfirmationWords } from './confirmation-words.ts'

/** How often a waiting page reloads. */
const LOOK_AGAIN_SECONDS = 3

const card = (words: readonly string[], title: string, more = '', before = '') =>
  `<main class="card">${before}<h1>${escapeHtml(title)}</h1>${paragraphs(words)}${more}</main>`
/** Has the same frame as the hosted page. */
const framed = (content: string, { language, brand, environment }: Framed, languages: boolean) =>
  `${environment === 'test' ? `<header class="ribbon">${escapeHtml(WORDS[language].test)}</header>\n` : ''}${content}
${footerPart(language, WORDS[language], brand, { languages })}`
const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${escapeHtml(text)}</p>`).join('')

/**
 * The page that a wallet sends the browser to. The response code is in the fragment, so a script submits it. The form
 * finally leads to the client, so `form-action` is not set.
 */
export function sendReturn(
  reply: FastifyReply,
  assets: Assets,
  { path, language }: { readonly path: string; readonly language: Language },
): Promise<FastifyReply> {
  const words = CONFIRMATION_WORDS[language]
  const form = `<form method="post" action="${escapeHtml(path)}" data-return><input type="hidden" name="response_code" value=""></form><noscript><p>${escapeHtml(words.needsScript)}</p></noscript>`
  const body = card([], words.goingOn, form)
  const script = assets.returnScript
  return sendPage(reply, assets, { language, title: words.goingOn, body, formsLeadOn: true, script })
}

interface Framed {
  readonly language: Language
  readonly brand: Brand
  readonly environment: Environment
}

interface Waiting extends Framed {
  /** Where the page continues, with the language. */
  readonly path: string
  readonly leavePath: string
  readonly takesCode: boolean
  readonly secondsLeft: number
  readonly triesLeft: number
  /** The person typed a wrong code. */
  readonly wrong: boolean
}

/** Shown in the browser that began the sign-in. When the time is over it reloads, and the client gets an error. */
export function sendWaiting(reply: FastifyReply, assets: Assets, waiting: Waiting): Promise<FastifyReply> {
  const { path, leavePath, language, brand, takesCode, secondsLeft } = waiting
  const words = CONFIRMATION_WORDS[language]
  const { title, texts } = takesCode ? words.type : words.wait
  const form = takesCode ? formPart(words, waiting) : '<p class="busy"></p>'
  const content = card(texts, title, `${form}${leavePart(words, leavePath)}`, brandPart(brand))
  const body = framed(content, waiting, true)
  const again = takesCode ? secondsLeft + 1 : Math.min(LOOK_AGAIN_SECONDS, secondsLeft + 1)
  reply.header('Refresh', `${again}; url=${path}`)
  return sendPage(reply, assets, { language, title, body, formsLeadOn: true, styles: brand.styles })
}

function formPart(words: ConfirmationWords, { path, wrong, triesLeft }: Waiting): string {
  const note = wrong ? `<p class="wrong" id="wrong" role="alert">${escapeHtml(words.wrong(triesLeft))}</p>` : ''
  const described = wrong ? ' aria-invalid="true" aria-describedby="wrong"' : ''
  return `<form method="post" action="${escapeHtml(path)}"><p><label for="code">${escapeHtml(words.label)}</label></p>
<p><input class="typed" id="code" name="code" inputmode="numeric" autocomplete="off" placeholder="0000 0000" pattern="[0-9 \\-]{${CONFIRM_DIGITS},${CONFIRM_DIGITS + 3}}" maxlength="${CONFIRM_DIGITS + 3}"${described} required autofocus></p>
${note}<p><button class="button" type="submit">${escapeHtml(words.submit)}</button></p></form>
<div class="notes small">${noteRow(words.noCode.title, paragraphs(words.noCode.texts))}</div>`
}

const leavePart = (words: ConfirmationWords, path: string) =>
  `<p><a class="button quiet" href="${escapeHtml(path)}">${escapeHtml(words.leave)}</a></p>`

interface Shown extends Framed {
  readonly code: string
  readonly secondsLeft: number
  /** The host of the page where the person types the code. */
  readonly host: string
}

/** Shown on the phone, or in the browser that the wallet opened. */
export function sendCode(reply: FastifyReply, assets: Assets, shown: Shown): Promise<FastifyReply> {
  const { code, brand, host, language } = shown
  const words = CONFIRMATION_WORDS[language].show
  const grouped = code.replace(/(\d{4})(?=\d)/g, '$1 ')
  const [first, rest] = words.warning
  const content = card(
    [],
    words.title(brand.name),
    `<p class="shown" data-code>${escapeHtml(grouped)}</p><p>${escapeHtml(words.where)} <strong class="host">${escapeHtml(host)}</strong></p><p class="warned"><strong>${escapeHtml(first)}</strong> ${escapeHtml(rest)}</p><p class="small">${escapeHtml(words.notYou)}</p>`,
    brandPart(brand),
  )
  // Without links to other languages: the page comes from a form that posts the wallet's code, so a link cannot load
  // it.
  const body = framed(content, shown, false)
  return sendPage(reply, assets, { language, title: words.title(brand.name), body, styles: brand.styles })
}

export function sendMismatch(reply: FastifyReply, assets: Assets, language: Language): Promise<FastifyReply> {
  const { title, texts } = CONFIRMATION_WORDS[language].mismatch
  return sendPage(reply, assets, { language, title, body: card(texts, title), status: 403 })
}

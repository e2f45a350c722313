// Renders the pages of a sign-in outside the hosted page: an error, and the form that returns to the client.

import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { Language } from '../../../../../labels/catalogue.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { type Assets, footerPart, goBackPart, noteRow, WORDS as PAGE_WORDS, sendPage } from '../../pages/index.ts'
import type { AuthorizationResponse } from '../usecases/authorization-response.ts'
import { type Stop, WORDS } from './words.ts'

export function sendStop(reply: FastifyReply, assets: Assets, { stop, language }: { stop: Stop; language: Language }) {
  const words = WORDS[language]
  const next = stop === 'unknown' ? '' : `<p>${escapeHtml(words.next)}</p>`
  const hint = words.hints[stop] === undefined ? '' : `<p>${escapeHtml(words.hints[stop])}</p>`
  const developers = `<div class="notes small">${noteRow(words.developers, hint)}</div>`
  const body = `<main class="card" data-stopped><div class="state declined"><span class="mark" aria-hidden="true"></span><h1 class="outcome">${escapeHtml(words.stopped)}</h1><p>${escapeHtml(words.why[stop])}</p>${next}${goBackPart(PAGE_WORDS[language])}${hint === '' ? '' : developers}</div></main>
${footerPart(language, PAGE_WORDS[language], null, { languages: false })}`
  return sendPage(reply, assets, { language, title: words.stopped, body, status: stop === 'unknown' ? 404 : 400 })
}

const SUBMIT = 'document.forms[0].submit()'
const SUBMIT_HASH = createHash('sha256').update(SUBMIT).digest('base64')

/**
 * Posts to the client's own address. `form-action` is not set, because browsers also apply it to the client's later
 * redirects, which we do not know. Nothing else in the page can post.
 */
export function sendAuthorizationResponse(
  reply: FastifyReply,
  response: AuthorizationResponse,
  language: Language,
): FastifyReply {
  const { redirectUri, responseMode, parameters } = response
  if (responseMode === 'query') {
    const query = new URLSearchParams([...parameters]).toString()
    return reply.redirect(`${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`, 303)
  }
  const words = WORDS[language]
  const fields = [...parameters].map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${SUBMIT_HASH}'`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  const html = `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="robots" content="noindex"><title>${escapeHtml(words.wait)}</title></head>
<body><form method="post" action="${escapeHtml(redirectUri)}">
${fields.join('\n')}
<noscript><button type="submit">${escapeHtml(PAGE_WORDS[language].signIn.onward)}</button></noscript>
</form><script>${SUBMIT}</script></body>
</html>
`
  return reply
    .code(200)
    .header('Content-Security-Policy', policy.join('; '))
    .type('text/html; charset=utf-8')
    .send(html)
}

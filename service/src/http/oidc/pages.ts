// What a person sees of a sign-in beside the hosted page: that it cannot go on here, and for an instant the way back.

import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { AuthorizationAnswer } from '../../usecases/oidc/answer-authorization.ts'
import { escapeHtml } from '../openapi/docs-page.ts'
import { type Assets, sendPage } from '../pages/layout.ts'
import type { Language } from '../pages/words.ts'

export type Stop = 'no_client' | 'no_redirect_uri' | 'malformed' | 'unknown'

const WORDS = {
  en: {
    stopped: 'This sign-in cannot go on',
    why: {
      no_client:
        'The site that sent you here is not known. If it is yours: check client_id and the address of the provider.',
      no_redirect_uri:
        'The site that sent you here wants the answer at an address that is not registered. If it is yours: register the redirect_uri exactly as it is sent.',
      malformed: 'The request of the site that sent you here cannot be read.',
      unknown: 'Go on in the browser in which you began. Here there is no sign-in under way, or it is over already.',
    },
    onward: 'Go on',
    wait: 'You are taken back…',
  },
  de: {
    stopped: 'Diese Anmeldung kann hier nicht weitergehen',
    why: {
      no_client:
        'Die Seite, von der Sie kommen, ist nicht bekannt. Wenn es Ihre ist: Prüfen Sie client_id und die Adresse des Providers.',
      no_redirect_uri:
        'Die Seite, von der Sie kommen, möchte die Antwort an eine Adresse, die nicht eingetragen ist. Wenn es Ihre ist: Tragen Sie die redirect_uri genau so ein, wie sie gesendet wird.',
      malformed: 'Die Anfrage der Seite, von der Sie kommen, ist nicht lesbar.',
      unknown:
        'Machen Sie in dem Browser weiter, in dem Sie begonnen haben. Hier ist keine Anmeldung offen, oder sie ist schon vorbei.',
    },
    onward: 'Weiter',
    wait: 'Es geht zurück…',
  },
} as const

export function sendStop(reply: FastifyReply, assets: Assets, { stop, language }: { stop: Stop; language: Language }) {
  const words = WORDS[language]
  const body = `<main class="card"><h1>${escapeHtml(words.stopped)}</h1><p>${escapeHtml(words.why[stop])}</p></main>`
  return sendPage(reply, assets, { language, title: words.stopped, body, status: stop === 'unknown' ? 404 : 400 })
}

/** A page, not a redirect: a browser would carry the fragment along, and the wallet's code in it. */
export function sendOnward(
  reply: FastifyReply,
  assets: Assets,
  { path, language }: { path: string; language: Language },
) {
  const words = WORDS[language]
  const body = `<main class="card"><h1>${escapeHtml(words.wait)}</h1><p><a class="button" href="${escapeHtml(path)}">${escapeHtml(words.onward)}</a></p></main>`
  reply.header('Refresh', `0; url=${path}`)
  return sendPage(reply, assets, { language, title: words.wait, body })
}

const SUBMIT = 'document.forms[0].submit()'
const SUBMIT_HASH = createHash('sha256').update(SUBMIT).digest('base64')

/**
 * To the client's own address. Without `form-action`: browsers hold what the client redirects to afterwards to it as well, and
 * where a broker sends its users on to is nothing we know. Nothing else is in the page that could post.
 */
export function sendAnswer(reply: FastifyReply, answer: AuthorizationAnswer, language: Language): FastifyReply {
  const { redirectUri, responseMode, parameters } = answer
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
<noscript><button type="submit">${escapeHtml(words.onward)}</button></noscript>
</form><script>${SUBMIT}</script></body>
</html>
`
  return reply
    .code(200)
    .header('Content-Security-Policy', policy.join('; '))
    .type('text/html; charset=utf-8')
    .send(html)
}

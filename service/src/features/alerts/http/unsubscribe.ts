// Serves /mail/unsubscribe/{token}, which ends a subscription without a sign-in (RFC 8058).

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Language } from '../../../../../labels/catalogue.ts'
import { bodiesAreBytes } from '../../../core/verifications/http/wallet/guards.ts'
import type { Deps } from '../../../deps.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import {
  type Assets,
  chooseLanguage,
  languageLinks,
  loadAssets,
  WORDS as PAGE_WORDS,
  sendPage,
} from '../../pages/index.ts'
import { UNSUBSCRIBE_PATH } from '../domain/alert-mails.ts'
import { endSubscription, readUnsubscribeToken } from '../usecases/subscribe-to-alerts.ts'
import { UNSUBSCRIBE_WORDS } from './words.ts'

const BODY_BYTES_MAX = 4096

interface Visit {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly assets: Assets
  readonly token: string
  readonly language: Language
}

/** Only POST unsubscribes, because mail scanners open links. */
export function addUnsubscribePage(app: App, deps: Deps): void {
  const params = Type.Object({ token: Type.String() })
  const querystring = Type.Object({ lang: Type.Optional(Type.String()) })
  const url = `${UNSUBSCRIBE_PATH}/:token`
  app.register(async (routes: App) => {
    // Accepts any content type, because the body is not read.
    routes.removeAllContentTypeParsers()
    routes.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)
    const assets = await loadAssets()
    const visit = (request: FastifyRequest, reply: FastifyReply): Visit => {
      const { token } = request.params as { token: string }
      const { lang } = request.query as { lang?: string }
      return { request, reply, assets, token, language: chooseLanguage(lang, request.headers['accept-language']) }
    }
    const schema = { hide: true, params, querystring }
    routes.get(url, { ...withoutKey(deps), schema }, (request, reply) => show(deps, visit(request, reply)))
    routes.post(
      url,
      { ...withoutKey(deps), bodyLimit: BODY_BYTES_MAX, validatorCompiler: bodiesAreBytes, schema },
      (request, reply) => unsubscribe(deps, visit(request, reply)),
    )
  })
}

function show(deps: Deps, visit: Visit): Promise<FastifyReply> {
  const found = readUnsubscribeToken(deps, visit.token)
  if (found === null) return sendState(visit, 'unknown')
  const words = UNSUBSCRIBE_WORDS[visit.language]
  const content = `<h1>${escapeHtml(words.ask)}</h1><p>${escapeHtml(words.topics[found.topic])}</p>
<form method="post" action="?lang=${visit.language}"><p><button class="button" type="submit">${escapeHtml(words.go)}</button></p></form>`
  return send(visit, { title: words.ask, content, status: 200 })
}

async function unsubscribe(deps: Deps, visit: Visit): Promise<FastifyReply> {
  const found = readUnsubscribeToken(deps, visit.token)
  if (found === null) return sendState(visit, 'unknown')
  await endSubscription(deps, found)
  return sendState(visit, 'done')
}

function sendState(visit: Visit, state: 'done' | 'unknown'): Promise<FastifyReply> {
  const { title, text } = UNSUBSCRIBE_WORDS[visit.language][state]
  const look = state === 'done' ? 'completed' : 'declined'
  const content = `<div class="state ${look}"><span class="mark" aria-hidden="true"></span><h1 class="outcome">${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></div>`
  return send(visit, { title, content, status: state === 'done' ? 200 : 404 })
}

function send(
  { reply, assets, language }: Visit,
  { title, content, status }: { readonly title: string; readonly content: string; readonly status: number },
): Promise<FastifyReply> {
  const body = `<main class="card">${content}</main>\n<footer>${languageLinks(PAGE_WORDS[language], language)}</footer>`
  return sendPage(reply, assets, { language, title, body, status })
}

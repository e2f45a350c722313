// Chooses the language of a sign-in's pages.

import type { FastifyRequest } from 'fastify'
import { LANGUAGES, type Language } from '../../../../../labels/catalogue.ts'
import { chooseLanguage } from '../../pages/index.ts'

/** The language chosen on the page, else the first supported one of the client's list, else the browser's. */
export function languageOf(request: FastifyRequest, uiLocales: string | null): Language {
  const { lang } = request.query as { readonly lang?: unknown }
  const wished = [lang, ...(uiLocales ?? '').split(' ').map((tag) => tag.toLowerCase().split('-')[0])]
  return chooseLanguage(
    LANGUAGES.find((known) => known === wished.find((tag) => LANGUAGES.some((one) => one === tag))),
    request.headers['accept-language'],
  )
}

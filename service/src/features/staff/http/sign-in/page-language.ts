// The language of the page that sent a request: the dashboard's pages send their own.

import type { FastifyRequest } from 'fastify'
import { chooseLanguage } from '../../../../../../labels/choose-language.ts'

export const languageOf = (request: FastifyRequest) => chooseLanguage(undefined, request.headers['accept-language'])

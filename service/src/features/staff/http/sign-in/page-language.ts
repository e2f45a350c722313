// The language of the dashboard page that sent a request.

import type { FastifyRequest } from 'fastify'
import { chooseLanguage } from '../../../../../../labels/choose-language.ts'

export const languageOf = (request: FastifyRequest) => chooseLanguage(undefined, request.headers['accept-language'])

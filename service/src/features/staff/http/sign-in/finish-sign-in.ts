// Ends every sign-in: sets the cookies of session and browser, and reports a new browser by mail.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../../deps.ts'
import { looksLikeToken, mintToken, type SignInMethod } from '../../domain/session.ts'
import type { SignedIn } from '../../usecases/dashboard-sessions.ts'
import { noteBrowser } from '../../usecases/note-browser.ts'
import { languageOf } from './page-language.ts'
import { browserTokenOf, setBrowser, setSession } from './session-cookie.ts'

export function finishSignIn(
  deps: Deps,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { personId, token, method }: SignedIn & { readonly method: SignInMethod },
): Record<string, never> {
  const before = browserTokenOf(deps, request)
  const browser = before !== null && looksLikeToken(before) ? before : mintToken(deps.random)
  setSession(deps, reply, token)
  setBrowser(deps, reply, browser)
  noteBrowser(deps, { personId, method, browser, language: languageOf(request) })
  return {}
}

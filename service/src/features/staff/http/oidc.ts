// Routes to sign in through the operator's OpenID provider. The sign-in page shows why the callback refused.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { PASSWORD_LENGTH } from '../domain/password.ts'
import { type Again, beginOidcSignIn, finishOidcSignIn } from '../usecases/sign-in-with-oidc.ts'
import { guardsOf, permitted, visitorOf } from './access.ts'
import { finishSignIn } from './sign-in/finish-sign-in.ts'
import { clearRound, roundTokenOf, setRound, tokenOf } from './sign-in/session-cookie.ts'
import { spendAttempt } from './sign-in/sign-in.ts'

const BackToPages = Type.Unsafe<FastifyReply>({ description: 'A redirect to a page of the dashboard', produces: [] })

export function addOidcRoutes(app: App, deps: Deps): void {
  const begin = async (request: FastifyRequest, reply: FastifyReply, again: Again | null) => {
    await spendAttempt(deps, request, reply)
    const { url, token } = await logRefusals(deps, request, () => beginOidcSignIn(deps, again))
    setRound(deps, reply, token)
    return { url }
  }
  app.route({
    ...permitted(deps, 'GET /sign-in/ways'),
    handler: async () => ({
      oidc: deps.oidc === null ? null : { name: deps.oidc.name },
      lost_access: deps.config.mail === null ? null : { password_length_min: PASSWORD_LENGTH.min },
    }),
  })
  app.route({
    ...permitted(deps, 'POST /sign-in/oidc'),
    handler: (request, reply) => begin(request, reply, null),
  })
  app.route({
    ...permitted(deps, 'POST /sign-in/oidc/again'),
    handler: (request, reply) => begin(request, reply, visitorOf(request)),
  })
  app.route({
    ...guardsOf(deps, 'GET /sign-in/oidc/callback'),
    exposeHeadRoute: false,
    schema: { hide: true, response: { 303: BackToPages } },
    handler: (request, reply) => finish(deps, request, reply),
  })
}

async function finish(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  try {
    await spendAttempt(deps, request, reply)
    // Reads the raw query, because the framework turns a repeated parameter into a list.
    const parameters = new URL(request.raw.url ?? '', deps.config.baseUrl).searchParams
    const back = { token: roundTokenOf(deps, request), parameters, replaces: tokenOf(deps, request) }
    const signedIn = await logRefusals(deps, request, () => finishOidcSignIn(deps, back))
    finishSignIn(deps, { request, reply }, { ...signedIn, method: 'oidc' })
    clearRound(deps, reply)
    return reply.redirect('/dashboard/signed-in', 303)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'not_found') throw error
    const query = new URLSearchParams({ refused: error.code, request: request.id })
    return reply.redirect(`/dashboard/sign-in?${query}`, 303)
  }
}

/** Logs the reason for the operator. The person sees only what to do. */
async function logRefusals<T>(deps: Deps, request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) {
      const { code, reason } = error
      const outcome = reason === undefined ? {} : { outcome: reason }
      deps.log.warn('sign-in through the provider refused', { request_id: request.id, code, ...outcome })
    }
    throw error
  }
}

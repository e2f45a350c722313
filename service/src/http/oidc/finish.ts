// Where a sign-in ends: the browser that began it takes the response to its client, any other is told to go on there.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { finishPathOf } from '../../domain/oidc/issuer.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { cancelAuthorization, type Finished, finishAuthorization } from '../../usecases/oidc/finish-authorization.ts'
import type { App } from '../app.ts'
import type { Assets } from '../pages/assets.ts'
import { chooseLanguage } from '../pages/words/languages.ts'
import { withoutKey } from '../principal.ts'
import { browserSecretOf, clearBrowserSecret, setRemembered } from './cookies.ts'
import { sendAuthorizationResponse, sendOnward, sendStop } from './pages.ts'
import { realmOf } from './realm.ts'
import { REALM_PATH, SignInParams } from './schema.ts'

export function addFinishRoutes(routes: App, deps: Deps, assets: Assets): void {
  const route = { ...withoutKey(deps), exposeHeadRoute: false, schema: { hide: true, params: SignInParams } }
  routes.get(`${REALM_PATH}/return/:id`, route, async (request, reply) => {
    const path = finishPathOf(realmOf(request.params), encodeURIComponent(request.params.id))
    return sendOnward(reply, assets, { path, language: languageOf(request) })
  })
  const finish = (end: typeof finishAuthorization) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { tenant, environment, id } = request.params as { tenant: string; environment: string; id: string }
    const realm = realmOf({ tenant, environment })
    const finished = await end(deps, { realm, id, browserSecret: browserSecretOf(deps, request) })
    return respond(deps, { request, reply, assets, realm, id, finished })
  }
  routes.get(`${REALM_PATH}/finish/:id`, route, finish(finishAuthorization))
  routes.get(`${REALM_PATH}/finish/:id/cancel`, route, finish(cancelAuthorization))
}

async function respond(
  deps: Deps,
  given: {
    readonly request: FastifyRequest
    readonly reply: FastifyReply
    readonly assets: Assets
    readonly realm: Realm
    readonly id: string
    readonly finished: Finished
  },
): Promise<FastifyReply> {
  const { request, reply, assets, realm, id, finished } = given
  const language = languageOf(request)
  switch (finished.outcome) {
    case 'unknown':
      return sendStop(reply, assets, { stop: 'unknown', language })
    case 'pending':
      return reply.redirect(`/verify/${finished.verificationId}`, 303)
    case 'responded': {
      clearBrowserSecret(deps, reply, finishPathOf(realm, id))
      if (finished.remember !== null) setRemembered(deps, reply, { realm, ...finished.remember })
      return sendAuthorizationResponse(reply, finished.response, language)
    }
  }
}

const languageOf = (request: FastifyRequest) => chooseLanguage(undefined, request.headers['accept-language'])

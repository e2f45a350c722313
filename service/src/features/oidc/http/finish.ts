// Ends a sign-in: redirects the browser that began it. Another browser shows the code to type, or an error.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { browserSecretOf, clearBrowserSecret } from '../../../core/verifications/http/browser-cookie.ts'
import { FORM_TYPE } from '../../../core/verifications/http/wallet/form.ts'
import { bodiesAreBytes, bytesOf } from '../../../core/verifications/http/wallet/guards.ts'
import type { Deps } from '../../../deps.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { type Assets, type Brand, brandOfAsker, busyAsPage, readHostedPage } from '../../pages/index.ts'
import { finishPathOf, returnPathOf } from '../domain/issuer.ts'
import {
  cancelAuthorization,
  confirmAuthorization,
  type FinishInput,
  finishAuthorization,
  type Returned,
  returnFromWallet,
} from '../usecases/finish-authorization.ts'
import { readParameters } from './authorize.ts'
import { sendCode, sendMismatch, sendReturn, sendWaiting } from './confirmation-pages.ts'
import { setRemembered } from './cookies.ts'
import { languageOf } from './language.ts'
import { sendAuthorizationResponse, sendStop } from './pages.ts'
import { realmOf } from './realm.ts'
import { REALM_PATH, SignInParams } from './schema.ts'

const BODY_BYTES_MAX = 1024

interface Visit {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly assets: Assets
  readonly realm: Realm
  readonly id: string
}

export function addFinishRoutes(routes: App, deps: Deps, assets: Assets): void {
  const withVisit =
    (act: (visit: Visit) => Promise<FastifyReply>) => (request: FastifyRequest, reply: FastifyReply) => {
      const { id, ...path } = request.params as { tenant: string; environment: string; id: string }
      return act({ request, reply, assets, realm: realmOf(path), id })
    }
  const forPeople = { ...withoutKey(deps), onSend: busyAsPage(assets) }
  const getOptions = { ...forPeople, exposeHeadRoute: false, schema: { hide: true, params: SignInParams } }
  const postOptions = {
    ...forPeople,
    bodyLimit: BODY_BYTES_MAX,
    validatorCompiler: bodiesAreBytes,
    schema: { hide: true, params: SignInParams, consumes: [FORM_TYPE] },
  }
  routes.get(
    `${REALM_PATH}/return/:id`,
    getOptions,
    withVisit(async ({ request, reply, realm, id }) => {
      return sendReturn(reply, assets, {
        path: returnPathOf(realm, encodeURIComponent(id)),
        language: languageOf(request, null),
      })
    }),
  )
  routes.post(
    `${REALM_PATH}/return/:id`,
    postOptions,
    withVisit(async (visit) => {
      const responseCode = fieldOf(visit.request, 'response_code')
      return respond(deps, visit, await returnFromWallet(deps, { ...inputOf(deps, visit), responseCode }))
    }),
  )
  routes.get(
    `${REALM_PATH}/finish/:id`,
    getOptions,
    withVisit(async (visit) => respond(deps, visit, await finishAuthorization(deps, inputOf(deps, visit)))),
  )
  routes.post(
    `${REALM_PATH}/finish/:id`,
    postOptions,
    withVisit(async (visit) => {
      const typed = fieldOf(visit.request, 'code')
      return respond(deps, visit, await confirmAuthorization(deps, { ...inputOf(deps, visit), typed }), { typed: true })
    }),
  )
  routes.get(
    `${REALM_PATH}/finish/:id/cancel`,
    getOptions,
    withVisit(async (visit) => respond(deps, visit, await cancelAuthorization(deps, inputOf(deps, visit)))),
  )
}

const inputOf = (deps: Deps, { request, realm, id }: Visit): FinishInput => ({
  realm,
  id,
  secretFor: (verificationId) => browserSecretOf(deps, request, verificationId),
})

const fieldOf = (request: FastifyRequest, name: string) => readParameters(bytesOf(request))?.get(name) ?? ''

async function respond(
  deps: Deps,
  { request, reply, assets, realm, id }: Visit,
  finished: Returned,
  { typed }: { readonly typed: boolean } = { typed: false },
): Promise<FastifyReply> {
  const language = languageOf(request, 'uiLocales' in finished ? finished.uiLocales : null)
  const { environment } = realm
  switch (finished.outcome) {
    case 'unknown':
      return sendStop(reply, assets, { stop: 'unknown', language })
    case 'pending':
      return reply.redirect(`/verify/${finished.verificationId}?lang=${language}`, 303)
    case 'waiting': {
      const brand = await loadBrand(deps, finished.verificationId)
      const finish = finishPathOf(realm, id)
      const paths = { path: `${finish}?lang=${language}`, leavePath: `${finish}/cancel` }
      return sendWaiting(reply, assets, { ...paths, language, brand, environment, wrong: typed, ...finished })
    }
    case 'code': {
      const brand = await loadBrand(deps, finished.verificationId)
      const { code, secondsLeft } = finished
      const { host } = new URL(deps.config.baseUrl)
      return sendCode(reply, assets, { code, secondsLeft, brand, environment, host, language })
    }
    case 'mismatch':
      return sendMismatch(reply, assets, language)
    case 'responded': {
      clearBrowserSecret(deps, reply, finished.verificationId)
      if (finished.remember !== null) setRemembered(deps, reply, finished.remember)
      return sendAuthorizationResponse(reply, finished.response, language)
    }
  }
}

/** Loads the brand that the hosted page shows. */
async function loadBrand(deps: Deps, verificationId: string): Promise<Brand> {
  return brandOfAsker(deps, await readHostedPage(deps, verificationId))
}

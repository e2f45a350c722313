// Routes for lost access: request a link by mail, and use it.

import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { addressBucket } from '../../../../platform/http/address.ts'
import type { App } from '../../../../platform/http/app.ts'
import { spendBudget, spendOrReserve } from '../../../../platform/http/bounds/budget.ts'
import type { Budget } from '../../../../platform/rate.ts'
import { looksLikeToken, mintToken } from '../../domain/session.ts'
import { offerAccessLink, recoverAccess } from '../../usecases/recover-access.ts'
import { permitted } from '../access.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { languageOf } from './page-language.ts'
import { lostTokenOf, setLost, tokenOf } from './session-cookie.ts'
import { hashed, spendAttempt } from './sign-in.ts'

/** Counts per account and network, because an account gets few mails and one stranger must not use up all of them. */
const REQUESTS_FOR_ACCOUNT: Budget = { perSecond: 2 / 3_600, burst: 2 }
/** Counts all addresses together, because each request starts work in the background. */
const REQUESTS_ALL: Budget = { perSecond: 20, burst: 200 }

export function addLostAccessRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'POST /sign-in/lost-access'),
    handler: async (request, reply) => {
      if (deps.config.mail === null) throw new Refusal('not_found')
      await spendAttempt(deps, request, reply)
      const key = `${hashed(request.body.email)}:${addressBucket(request.ip, 48)}`
      await spendBudget(deps, reply, { name: 'lost_access', key, budget: REQUESTS_FOR_ACCOUNT })
      await spendOrReserve(deps, { name: 'lost_access', key: 'all', budget: REQUESTS_ALL }, null)
      // Keeps the token that the browser already has, so that both links work for a browser that requests twice.
      const before = lostTokenOf(deps, request)
      const browser = before !== null && looksLikeToken(before) ? before : mintToken(deps.random)
      setLost(deps, reply, browser)
      offerAccessLink(deps, { email: request.body.email, browser, language: languageOf(request) })
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST /sign-in/lost-access/use'),
    handler: async (request, reply) => {
      await spendAttempt(deps, request, reply)
      const { token, password } = request.body
      const browser = lostTokenOf(deps, request)
      const signedIn = await recoverAccess(deps, { token, password, browser, replaces: tokenOf(deps, request) })
      return finishSignIn(deps, { request, reply }, { ...signedIn, method: 'link' })
    },
  })
}

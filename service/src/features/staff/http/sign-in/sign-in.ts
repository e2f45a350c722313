// Routes to sign in and out of the dashboard, and for one-time links.

import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../../deps.ts'
import { addressBucket, senderOf } from '../../../../platform/http/address.ts'
import type { App } from '../../../../platform/http/app.ts'
import { type Spending, spendBudget, whileFailuresLast } from '../../../../platform/http/bounds/budget.ts'
import type { Budget } from '../../../../platform/rate.ts'
import { PASSWORD_LENGTH } from '../../domain/password.ts'
import { emailSpelling } from '../../domain/person.ts'
import { endSession } from '../../usecases/dashboard-sessions.ts'
import { askForPasskey, signInWithPasskey } from '../../usecases/sign-in-with-passkey.ts'
import { signInWithPassword } from '../../usecases/sign-in-with-password.ts'
import { acceptInvitation, describeLink, signInWithLink } from '../../usecases/use-sign-in-link.ts'
import { permitted, visitorOf } from '../access.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { clearSession, tokenOf } from './session-cookie.ts'

/**
 * Limits attempts from one address, and failures for one name from that address and from anywhere. The budgets refill,
 * so accounts are never locked for good.
 */
const ATTEMPTS: Budget = { perSecond: 1 / 6, burst: 20 }
const FAILURES: Budget = { perSecond: 1 / 60, burst: 30 }
/**
 * Ten times the burst of one address, then one guess in ten seconds from anywhere. Only passwords spend this budget,
 * not passkeys, provider or links.
 */
const FAILURES_ANYWHERE: Budget = { perSecond: 1 / 10, burst: 300 }

/** Ids of 1,023 bytes, twice, and a signature: those of ML-DSA take 6 KB. */
const PASSKEY_BYTES_MAX = 16 * 1024

export function addSignInRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'POST /sign-in/password'),
    handler: async (request, reply) => {
      await spendAttempt(deps, request, reply)
      const { email, password } = request.body
      const attempt = () =>
        signInWithPassword(deps, { email, password, replaces: tokenOf(deps, request), from: senderOf(request.ip) })
      // Spends the address's budget first. If that budget is empty, the account's budget is not spent.
      const signedIn = await whileFailuresLast(deps, failuresFrom(request, email), () =>
        whileFailuresLast(deps, failuresOf(email), attempt),
      )
      return finishSignIn(deps, { request, reply }, { ...signedIn, method: 'password' })
    },
  })
  app.route({
    ...permitted(deps, 'POST /sign-in/passkey/options'),
    handler: async (request, reply) => {
      await spendAttempt(deps, request, reply)
      return askForPasskey(deps)
    },
  })
  app.route({
    ...permitted(deps, 'POST /sign-in/passkey'),
    bodyLimit: PASSKEY_BYTES_MAX,
    handler: async (request, reply) => {
      await spendAttempt(deps, request, reply)
      const { response } = request.body
      const signedIn = await signInWithPasskey(deps, { response, replaces: tokenOf(deps, request) })
      return finishSignIn(deps, { request, reply }, { ...signedIn, method: 'passkey' })
    },
  })
  app.route({
    ...permitted(deps, 'POST /sign-out'),
    handler: async (request, reply) => {
      const token = tokenOf(deps, request)
      if (token !== null) await endSession(deps, token)
      clearSession(deps, reply)
      return {}
    },
  })
  addLinkRoutes(app, deps)
}

function addLinkRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'POST /links/look'),
    handler: async (request, reply) => {
      await spendAttempt(deps, request, reply)
      const { link, needsSignIn, needsPassword, mayOpenAnother } = await describeLink(deps, request.body.token)
      const { email, tenantName, role, expiresAt } = link
      return {
        email,
        tenant_name: tenantName,
        role,
        expires_at: expiresAt,
        needs_sign_in: needsSignIn,
        needs_password: needsPassword,
        may_open_another: mayOpenAnother,
        password_length_min: PASSWORD_LENGTH.min,
      }
    },
  })
  app.route({
    ...permitted(deps, 'POST /links/use'),
    handler: async (request, reply) => {
      await spendAttempt(deps, request, reply)
      const { token, password = null, another = false } = request.body
      const replaces = tokenOf(deps, request)
      const signedIn = await signInWithLink(deps, { token, password, replaces, another })
      return finishSignIn(deps, { request, reply }, { ...signedIn, method: 'link' })
    },
  })
  app.route({
    ...permitted(deps, 'POST /links/accept'),
    handler: async (request) => {
      const { session } = visitorOf(request)
      return { tenant_id: await acceptInvitation(deps, { token: request.body.token, session }) }
    },
  })
}

export async function spendAttempt(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  // Counts by /48, because a home connection has 256 networks of /64 and a company 65,536.
  const key = addressBucket(request.ip, 48)
  await spendBudget(deps, reply, { name: 'sign_in', key, budget: ATTEMPTS })
}

function failuresFrom(request: FastifyRequest, email: string): Spending {
  // Counts by /48: an attacker may have thousands of /64 networks, but rarely shares a /48 with the account's owner.
  const key = `${hashed(email)}:${addressBucket(request.ip, 48)}`
  return { name: 'sign_in_failures', key, budget: FAILURES }
}

function failuresOf(email: string): Spending {
  return { name: 'sign_in_failures_all', key: hashed(email), budget: FAILURES_ANYWHERE }
}

/** Hashed, so that all names of buckets are short. In Redis they are under a key. */
export const hashed = (email: string) => createHash('sha256').update(emailSpelling(email)).digest('base64url')

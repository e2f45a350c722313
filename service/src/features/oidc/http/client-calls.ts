// Limits and error responses (OAuth 2.0) of the calls that clients make without a browser.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { OidcError } from '../../../../../wire/oidc.ts'
import { refusals } from '../../../core/http/envelope-schema.ts'
import { priceOf, spendOfTenant } from '../../../core/http/principal.ts'
import { bytesOf } from '../../../core/verifications/http/wallet/guards.ts'
import type { Deps } from '../../../deps.ts'
import { addressBucket, senderOf } from '../../../platform/http/address.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import { failureGuardOf } from '../../../platform/http/bounds/failed-authentication.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import type { OidcClient } from '../domain/client.ts'
import { DPOP_ALGS } from '../domain/dpop.ts'
import { type OidcErrorCode, OidcFailure } from '../domain/failure.ts'
import type { Parameters } from '../domain/request.ts'
import { principalOf } from '../usecases/begin-authorization.ts'
import { readParameters } from './authorize.ts'

export const FORM_BYTES_MAX = 32 * 1024
export const FAILURES = { 400: OidcError, 401: OidcError, ...refusals('not_found') }

const UNAUTHORIZED: ReadonlySet<OidcErrorCode> = new Set(['invalid_client', 'invalid_token'])

export interface Caller {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly challenge: 'Basic' | 'Bearer' | 'DPoP' | null
  /**
   * Whether the client has authenticated itself. Then a wrong code is not counted as a guess, because the code came
   * from a visitor of the client's site.
   */
  isProven: boolean
}

/** A call that authenticates a client, with its form and its limits. */
export function clientCallOf(deps: Deps, request: FastifyRequest, reply: FastifyReply) {
  const authorization = request.headers.authorization ?? null
  const caller: Caller = { request, reply, challenge: authorization === null ? null : 'Basic', isProven: false }
  const admit = {
    named: (client: OidcClient) => spendCall(deps, caller, client),
    proven: async (client: OidcClient) => {
      if (client.authMethod === 'none') return
      caller.isProven = true
      await spendCall(deps, caller, client)
      await spendOfTenant(deps, principalOf(client), priceOf(request))
    },
  }
  return { authorization, caller, admit, proof: proofOf(request) }
}

/** The DPoP header; null if there is none. Node joins several headers into one text, which is not a valid proof. */
export function proofOf(request: FastifyRequest): string | null {
  const { dpop } = request.headers
  return dpop === undefined ? null : String(dpop)
}

/** Throws OidcFailure. */
export function formOf(request: FastifyRequest): Parameters {
  const form = readParameters(bytesOf(request))
  if (form === null) throw new OidcFailure('invalid_request', 'the body is not a form, or names a field twice')
  return form
}

/** Before a client is authenticated, any caller can use its id, so each address has its own limit for that id. */
function spendCall(deps: Deps, { request, reply, isProven }: Caller, { id }: OidcClient): Promise<void> {
  const key = isProven ? id : `${addressBucket(request.ip, 48)} ${id}`
  return spendBudget(deps, reply, { name: 'key', key, budget: deps.config.rates.key })
}

export async function withFailures(
  deps: Deps,
  caller: Caller,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { request, reply, challenge } = caller
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OidcFailure)) throw error
    const { code, description } = error
    if (!caller.isProven) failureGuardOf(deps).noteFailure(senderOf(request.ip))
    // RFC 9449 §7.1: an invalid proof for a token is an invalid authorization.
    const isUnauthorized = UNAUTHORIZED.has(code) || (challenge === 'DPoP' && code === 'invalid_dpop_proof')
    if (isUnauthorized && challenge === 'Basic') reply.header('WWW-Authenticate', 'Basic realm="token"')
    if (isUnauthorized && challenge === 'Bearer') reply.header('WWW-Authenticate', `Bearer error="${code}"`)
    if (isUnauthorized && challenge === 'DPoP')
      reply.header('WWW-Authenticate', `DPoP error="${code}", algs="${DPOP_ALGS.join(' ')}"`)
    const body = description === undefined ? { error: code } : { error: code, error_description: description }
    return sendJson(reply, isUnauthorized ? 401 : 400, JSON.stringify(body))
  }
}

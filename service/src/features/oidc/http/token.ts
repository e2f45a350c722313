// The token and userinfo endpoints. Errors follow OAuth 2.0.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { OidcError, OidcTokens, OidcUserinfo, TokenForm } from '../../../../../wire/oidc.ts'
import { refusals } from '../../../core/http/envelope-schema.ts'
import { FORM_TYPE } from '../../../core/verifications/http/wallet/form.ts'
import { bodiesAreBytes, bytesOf } from '../../../core/verifications/http/wallet/guards.ts'
import type { Deps } from '../../../deps.ts'
import { addressBucket, senderOf } from '../../../platform/http/address.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import { failureGuardOf } from '../../../platform/http/bounds/failed-authentication.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import type { OidcClient } from '../domain/client.ts'
import { type OidcErrorCode, OidcFailure } from '../domain/failure.ts'
import { readUserinfo } from '../usecases/read-userinfo.ts'
import { redeemCode } from '../usecases/redeem-code.ts'
import { readParameters } from './authorize.ts'
import { addPreflight, forClients, realmOf } from './realm.ts'
import { REALM_PATH, RealmParams } from './schema.ts'

const BODY_BYTES_MAX = 32 * 1024
const FAILURES = { 400: OidcError, 401: OidcError, ...refusals('not_found') }

export function addTokenRoutes(routes: App, deps: Deps): void {
  addPreflight(routes, deps, `${REALM_PATH}/token`, 'POST')
  addPreflight(routes, deps, `${REALM_PATH}/userinfo`, 'GET, POST')
  routes.post(
    `${REALM_PATH}/token`,
    {
      ...forClients(deps),
      bodyLimit: BODY_BYTES_MAX,
      validatorCompiler: bodiesAreBytes,
      schema: {
        operationId: 'redeemCode',
        tags: ['OpenID provider'],
        summary: 'Exchange a code for tokens',
        params: RealmParams,
        consumes: [FORM_TYPE],
        body: TokenForm,
        response: { 200: OidcTokens, ...FAILURES },
      },
    },
    async (request, reply) => {
      const realm = realmOf(request.params)
      const authorization = request.headers.authorization ?? null
      const caller: Caller = { request, reply, challenge: authorization === null ? null : 'Basic', isProven: false }
      return withFailures(deps, caller, async () => {
        const form = readParameters(bytesOf(request))
        if (form === null) throw new OidcFailure('invalid_request', 'the body is no form, or names a field twice')
        const admit = {
          named: (client: OidcClient) => spendCall(deps, caller, client),
          proven: async (client: OidcClient) => {
            if (client.authMethod === 'none') return
            caller.isProven = true
            await spendCall(deps, caller, client)
          },
        }
        return sendJson(reply, 200, JSON.stringify(await redeemCode(deps, { realm, authorization, form }, admit)))
      })
    },
  )
  const userinfo = {
    tags: ['OpenID provider'],
    summary: 'Read what an access token opens',
    params: RealmParams,
    response: { 200: OidcUserinfo, ...FAILURES },
  }
  routes.get(
    `${REALM_PATH}/userinfo`,
    { ...forClients(deps), schema: { ...userinfo, operationId: 'getUserinfo' } },
    async (request, reply) => sendUserinfo(deps, request, reply),
  )
  routes.post(
    `${REALM_PATH}/userinfo`,
    {
      ...forClients(deps),
      bodyLimit: BODY_BYTES_MAX,
      validatorCompiler: bodiesAreBytes,
      schema: { ...userinfo, operationId: 'postUserinfo' },
    },
    async (request, reply) => sendUserinfo(deps, request, reply),
  )
}

async function sendUserinfo(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const realm = realmOf(request.params as { tenant: string; environment: string })
  return withFailures(deps, { request, reply, challenge: 'Bearer', isProven: false }, async () => {
    const token = bearerOf(request)
    const signed = wantsSigned(request.headers.accept ?? '')
    const admit = (verificationId: string) =>
      spendBudget(deps, reply, { name: 'verification', key: verificationId, budget: deps.config.rates.verification })
    const found = await readUserinfo(deps, { realm, token, signed }, admit)
    return found.form === 'signed'
      ? reply.type('application/jwt').send(found.jwt)
      : sendJson(reply, 200, JSON.stringify(found.claims))
  })
}

/** Libraries accept both and expect JSON unless they registered for a signed answer (Core §5.3.2). */
const wantsSigned = (accept: string) => accept.includes('application/jwt') && !accept.includes('application/json')

/** RFC 6750 §2: in the header or in the form, never in the address, never twice. */
function bearerOf(request: FastifyRequest): string {
  const fromHeader = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const fromBody = request.method === 'POST' ? readParameters(bytesOf(request))?.get('access_token') : undefined
  if (fromHeader !== undefined && fromBody !== undefined)
    throw new OidcFailure('invalid_request', 'the token was sent in two ways')
  const token = fromHeader ?? fromBody
  if (token === undefined) throw new OidcFailure('invalid_token')
  return token
}

const UNAUTHORIZED: ReadonlySet<OidcErrorCode> = new Set(['invalid_client', 'invalid_token'])

interface Caller {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly challenge: 'Basic' | 'Bearer' | null
  /** The client has proven its secret. A wrong code is then not a guess: visitors of its site bring it the codes. */
  isProven: boolean
}

/** Until a client has proven itself, any caller can use its name: each address has its own quota for that name. */
function spendCall(deps: Deps, { request, reply, isProven }: Caller, { id }: OidcClient): Promise<void> {
  const key = isProven ? id : `${addressBucket(request.ip, 48)} ${id}`
  return spendBudget(deps, reply, { name: 'key', key, budget: deps.config.rates.key })
}

async function withFailures(deps: Deps, caller: Caller, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
  const { request, reply, challenge } = caller
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OidcFailure)) throw error
    const { code, description } = error
    if (!caller.isProven) failureGuardOf(deps).noteFailure(senderOf(request.ip))
    const isUnauthorized = UNAUTHORIZED.has(code)
    if (isUnauthorized && challenge === 'Basic') reply.header('WWW-Authenticate', 'Basic realm="token"')
    if (isUnauthorized && challenge === 'Bearer') reply.header('WWW-Authenticate', `Bearer error="${code}"`)
    const told = description === undefined ? { error: code } : { error: code, error_description: description }
    return sendJson(reply, isUnauthorized ? 401 : 400, JSON.stringify(told))
  }
}

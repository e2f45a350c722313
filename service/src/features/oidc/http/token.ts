// Serves the token and userinfo endpoints. Errors follow OAuth 2.0.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { OidcTokens, OidcUserinfo, TokenForm } from '../../../../../wire/oidc.ts'
import { FORM_TYPE } from '../../../core/verifications/http/wallet/form.ts'
import { bodiesAreBytes, bytesOf } from '../../../core/verifications/http/wallet/guards.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { OidcFailure } from '../domain/failure.ts'
import { readUserinfo } from '../usecases/read-userinfo.ts'
import { redeemCode } from '../usecases/redeem-code.ts'
import { readParameters } from './authorize.ts'
import { clientCallOf, FAILURES, FORM_BYTES_MAX, formOf, proofOf, withFailures } from './client-calls.ts'
import { addPreflight, forClients, realmOf } from './realm.ts'
import { REALM_PATH, RealmParams } from './schema.ts'

export function addTokenRoutes(routes: App, deps: Deps): void {
  addPreflight(routes, deps, `${REALM_PATH}/token`, 'POST')
  addPreflight(routes, deps, `${REALM_PATH}/userinfo`, 'GET, POST')
  routes.post(
    `${REALM_PATH}/token`,
    {
      ...forClients(deps),
      bodyLimit: FORM_BYTES_MAX,
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
      const { authorization, caller, admit, proof } = clientCallOf(deps, request, reply)
      return withFailures(deps, caller, async () => {
        const form = formOf(request)
        return sendJson(
          reply,
          200,
          JSON.stringify(await redeemCode(deps, { realm, authorization, proof, form }, admit)),
        )
      })
    },
  )
  const userinfo = {
    tags: ['OpenID provider'],
    summary: 'Read the claims of an access token',
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
      bodyLimit: FORM_BYTES_MAX,
      validatorCompiler: bodiesAreBytes,
      schema: { ...userinfo, operationId: 'postUserinfo' },
    },
    async (request, reply) => sendUserinfo(deps, request, reply),
  )
}

async function sendUserinfo(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const realm = realmOf(request.params as { tenant: string; environment: string })
  const isBound = /^DPoP /i.test(request.headers.authorization ?? '')
  const challenge = isBound ? 'DPoP' : 'Bearer'
  return withFailures(deps, { request, reply, challenge, isProven: false }, async () => {
    const token = tokenOf(request)
    const proof = proofOf(request)
    if (isBound !== (proof !== null)) throw new OidcFailure('invalid_token')
    const bound = proof === null ? null : { proof, method: request.method }
    const signed = wantsSigned(request.headers.accept ?? '')
    const admit = (verificationId: string) =>
      spendBudget(deps, reply, { name: 'verification', key: verificationId, budget: deps.config.rates.verification })
    const found = await readUserinfo(deps, { realm, token, signed, proof: bound }, admit)
    return found.form === 'signed'
      ? reply.type('application/jwt').send(found.jwt)
      : sendJson(reply, 200, JSON.stringify(found.claims))
  })
}

/** Libraries that accept both expect JSON, unless they registered for a signed response (Core §5.3.2). */
const wantsSigned = (accept: string) => accept.includes('application/jwt') && !accept.includes('application/json')

/** RFC 6750 §2: the token is in the header or in the form, never in the address and never twice. */
function tokenOf(request: FastifyRequest): string {
  const fromHeader = /^(?:Bearer|DPoP) (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const fromBody = request.method === 'POST' ? readParameters(bytesOf(request))?.get('access_token') : undefined
  if (fromHeader !== undefined && fromBody !== undefined)
    throw new OidcFailure('invalid_request', 'the token was sent in two ways')
  const token = fromHeader ?? fromBody
  if (token === undefined) throw new OidcFailure('invalid_token')
  return token
}

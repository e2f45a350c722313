// The wallet's routes (spec 4.2): the unguessable id in the path is the capability.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { isVerificationId } from '../../domain/ids.ts'
import { acceptWalletResponse } from '../../usecases/verifications/accept-wallet-response.ts'
import { type AskedVerification, findOpen } from '../../usecases/verifications/asked-verification.ts'
import { serveRequestObject } from '../../usecases/verifications/serve-request-object.ts'
import type { App } from '../app.ts'
import { spendBudget } from '../budget.ts'
import { refusals } from '../envelope-schema.ts'
import { withoutKey } from '../principal.ts'
import { addPreflights } from './cross-origin.ts'
import { FORM_TYPE, NOTHING_POSTED, type RequestPost, readRequestPost, takeFormsOnly } from './form.ts'

/** Metadata of a wallet with its formats and keys takes a few kilobytes. */
const REQUEST_BYTES_MAX = 64 * 1024
/** A presentation with a portrait takes some 100 KB; several may come at once. */
const RESPONSE_BYTES_MAX = 2 * 1024 * 1024

const REQUEST_OBJECT_TYPE = 'application/oauth-authz-req+jwt'
const Params = Type.Object({ sessionId: Type.String({ minLength: 1 }) })
const RequestObject = Type.String({ description: 'A signed request object (JAR)', produces: [REQUEST_OBJECT_TYPE] })
const RequestForm = Type.Object({
  wallet_nonce: Type.Optional(Type.String({ description: 'Echoed in the request object' })),
  wallet_metadata: Type.Optional(
    Type.String({ description: 'JSON; with `jwks` and algorithms the request object comes encrypted' }),
  ),
})
const ResponseForm = Type.Object({
  response: Type.Optional(Type.String({ description: 'An encrypted response (`direct_post.jwt`)' })),
  vp_token: Type.Optional(Type.String({ description: 'JSON (`direct_post`)' })),
  state: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  error_description: Type.Optional(Type.String()),
})
const Reply = Type.Object(
  { redirect_uri: Type.Optional(Type.String()) },
  { $id: 'WalletReply', additionalProperties: false },
)

export function addWalletRoutes(app: App, deps: Deps): void {
  app.register(async (scope: App) => {
    takeFormsOnly(scope)
    addRequestRoutes(scope, deps)
    addResponseRoute(scope, deps)
    addPreflights(scope, deps)
  })
}

function addRequestRoutes(scope: App, deps: Deps): void {
  const description = 'Signed anew each time, with the same nonce and key until the verification ends.'
  const schema = { tags: ['Wallet'], description, params: Params }
  const response = {
    200: RequestObject,
    ...refusals('session_not_found', 'session_already_responded', 'session_expired'),
  }
  const send = async (id: string, posted: RequestPost, reply: FastifyReply) => {
    const object = await serveRequestObject(deps, { id, ...posted })
    return reply.type(REQUEST_OBJECT_TYPE).send(object)
  }
  scope.get(
    '/wallet/request/:sessionId',
    {
      ...forWallets(deps),
      schema: { ...schema, operationId: 'getRequestObject', summary: 'Fetch the request object', response },
    },
    async (request, reply) => send(request.params.sessionId, NOTHING_POSTED, reply),
  )
  scope.post(
    '/wallet/request/:sessionId',
    {
      ...forWallets(deps),
      bodyLimit: REQUEST_BYTES_MAX,
      validatorCompiler: bodiesAreBytes,
      schema: {
        ...schema,
        operationId: 'postRequestObject',
        summary: 'Fetch the request object with a nonce of the wallet',
        consumes: [FORM_TYPE],
        body: RequestForm,
        response: {
          ...response,
          ...refusals('invalid_request', 'session_not_found', 'session_already_responded', 'session_expired'),
        },
      },
    },
    async (request, reply) => send(request.params.sessionId, readRequestPost(request.body), reply),
  )
}

function addResponseRoute(scope: App, deps: Deps): void {
  scope.post(
    '/wallet/response/:sessionId',
    {
      ...whileOpen(deps),
      bodyLimit: RESPONSE_BYTES_MAX,
      validatorCompiler: bodiesAreBytes,
      schema: {
        operationId: 'postWalletResponse',
        tags: ['Wallet'],
        summary: "Take the wallet's response",
        params: Params,
        consumes: [FORM_TYPE],
        body: ResponseForm,
        response: {
          200: Reply,
          ...refusals(
            'invalid_wallet_response',
            'session_not_found',
            'session_already_responded',
            'session_expired',
            'payload_too_large',
            'unsupported_media_type',
          ),
        },
      },
    },
    async (request) => {
      const { body } = request as { body: unknown }
      const bytes = body instanceof Uint8Array ? body : new Uint8Array()
      const { redirectUri } = await acceptWalletResponse(deps, { asked: askedOf(request), body: bytes })
      return redirectUri === null ? {} : { redirect_uri: redirectUri }
    },
  )
}

/** The address first, then the verification: neither a flood from one address nor one on a single id gets through. */
function forWallets(deps: Deps) {
  const { config, onRequest } = withoutKey(deps, 'wallet')
  return {
    config,
    onRequest: [
      onRequest,
      async (request: FastifyRequest, reply: FastifyReply) => {
        const { sessionId } = request.params as { sessionId: string }
        // Ids that cannot exist get no bucket: their number has no bound.
        if (!isVerificationId(sessionId)) return
        await spendBudget(deps, reply, { name: 'verification', key: sessionId, budget: deps.config.rates.verification })
      },
    ],
  }
}

const found = new WeakMap<FastifyRequest, AskedVerification>()

/** A body is read only for a verification that waits for one: 404, 409 and 410 cost nothing to answer. */
function whileOpen(deps: Deps) {
  const { config, onRequest } = forWallets(deps)
  const find = async (request: FastifyRequest) => {
    const { sessionId } = request.params as { sessionId: string }
    found.set(request, await findOpen(deps, sessionId))
  }
  return { config, onRequest: [...onRequest, find] }
}

function askedOf(request: FastifyRequest): AskedVerification {
  const asked = found.get(request)
  if (asked === undefined) throw new Error('bug: a response was taken for no verification')
  return asked
}

/** The schema describes the form; the form itself is read from its bytes, which no validator may touch. */
const bodiesAreBytes = () => () => true

// Defines the wallet's routes (spec 4.2). The unguessable id in the path is the capability.

import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { RequestForm, ResponseForm, WalletReply } from '../../../../../../wire/wallet.ts'
import type { Deps } from '../../../../deps.ts'
import type { App } from '../../../../platform/http/app.ts'
import { refusals } from '../../../http/envelope-schema.ts'
import { SAME_DEVICE } from '../../domain/verification.ts'
import { acceptWalletResponse } from '../../usecases/answering/accept-wallet-response.ts'
import { serveRequestObject } from '../../usecases/asking/serve-request-object.ts'
import { addPreflights } from './cross-origin.ts'
import { addDcApiRoutes } from './dc-api.ts'
import { FORM_TYPE, NOTHING_POSTED, type RequestPost, readRequestPost, takeFormsOnly } from './form.ts'
import { bodiesAreBytes, bytesOf, forWallets, RESPONSE_BYTES_MAX, verificationOf, whileOpen } from './guards.ts'
import { WalletParams } from './schema.ts'

/** Metadata of a wallet with its formats and keys takes a few kilobytes. */
const REQUEST_BYTES_MAX = 64 * 1024

const REQUEST_OBJECT_TYPE = 'application/oauth-authz-req+jwt'
const RequestObject = Type.String({ description: 'A signed request object (JAR)', produces: [REQUEST_OBJECT_TYPE] })

export function addWalletRoutes(app: App, deps: Deps): void {
  app.register(async (routes: App) => {
    takeFormsOnly(routes)
    addRequestRoutes(routes, deps)
    addResponseRoute(routes, deps)
    addPreflights(routes, deps)
  })
  addDcApiRoutes(app, deps)
}

function addRequestRoutes(routes: App, deps: Deps): void {
  const description = 'Signed, with the same nonce and key until the verification ends.'
  const schema = { tags: ['Wallet'], description, params: WalletParams }
  const response = {
    200: RequestObject,
    ...refusals('session_not_found', 'session_already_responded', 'session_expired'),
  }
  const send = async ({ url, ...post }: RequestPost & { id: string; url: string }, reply: FastifyReply) => {
    const object = await serveRequestObject(deps, { ...post, sameDevice: url.endsWith(SAME_DEVICE) })
    return reply.type(REQUEST_OBJECT_TYPE).send(object)
  }
  routes.get(
    '/wallet/request/:sessionId',
    {
      ...forWallets(deps),
      schema: { ...schema, operationId: 'getRequestObject', summary: 'Fetch the request object', response },
    },
    async (request, reply) => send({ id: request.params.sessionId, url: request.url, ...NOTHING_POSTED }, reply),
  )
  routes.post(
    '/wallet/request/:sessionId',
    {
      ...forWallets(deps),
      bodyLimit: REQUEST_BYTES_MAX,
      validatorCompiler: bodiesAreBytes,
      schema: {
        ...schema,
        operationId: 'postRequestObject',
        summary: 'Fetch the request object with a wallet nonce',
        consumes: [FORM_TYPE],
        body: RequestForm,
        response: {
          ...response,
          ...refusals('invalid_request', 'session_not_found', 'session_already_responded', 'session_expired'),
        },
      },
    },
    async (request, reply) =>
      send({ id: request.params.sessionId, url: request.url, ...readRequestPost(request.body) }, reply),
  )
}

function addResponseRoute(routes: App, deps: Deps): void {
  routes.post(
    '/wallet/response/:sessionId',
    {
      ...whileOpen(deps),
      bodyLimit: RESPONSE_BYTES_MAX,
      validatorCompiler: bodiesAreBytes,
      schema: {
        operationId: 'postWalletResponse',
        tags: ['Wallet'],
        summary: "Take the wallet's response",
        params: WalletParams,
        consumes: [FORM_TYPE],
        body: ResponseForm,
        response: {
          200: WalletReply,
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
      const { redirectUri } = await acceptWalletResponse(deps, {
        verification: verificationOf(request),
        body: bytesOf(request),
      })
      return redirectUri === null ? {} : { redirect_uri: redirectUri }
    },
  )
}

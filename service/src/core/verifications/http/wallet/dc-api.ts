// Serves the Digital Credentials API to pages of the verification's own origin: the offer, and the answer.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { DigitalCredential, DigitalCredentialOffer, WalletReply } from '../../../../../../wire/wallet.ts'
import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import type { App } from '../../../../platform/http/app.ts'
import { sendJson } from '../../../../platform/http/send-json.ts'
import { refusals } from '../../../http/envelope-schema.ts'
import { mayAnswer } from '../../domain/browser-binding.ts'
import { askingOrigin } from '../../domain/verification.ts'
import { acceptDcApiAnswer } from '../../usecases/answering/accept-dc-api-answer.ts'
import { serveDcApiOffer } from '../../usecases/asking/serve-dc-api-offer.ts'
import {
  bindingFacts,
  findForWallet,
  requireOpen,
  type WalletVerification,
} from '../../usecases/asking/wallet-verification.ts'
import { browserHashOf } from '../browser-cookie.ts'
import { openToEveryOrigin } from './cross-origin.ts'
import { bodiesAreBytes, bytesOf, forWallets, idOf, RESPONSE_BYTES_MAX } from './guards.ts'
import { WalletParams } from './schema.ts'

const URL = '/wallet/dc-api/:sessionId'

export function addDcApiRoutes(app: App, deps: Deps): void {
  app.register(async (routes: App) => {
    routes.removeAllContentTypeParsers()
    // Keeps the body as bytes, because the engine parses it.
    routes.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: unknown, body: Buffer) => body,
    )
    addOffer(routes, deps)
    addAnswer(routes, deps)
    addPreflight(routes, deps)
  })
}

const ENDED = ['session_not_found', 'session_already_responded', 'session_expired'] as const

function addOffer(routes: App, deps: Deps): void {
  routes.get(
    URL,
    {
      ...forAskingPage(deps, 'open'),
      schema: {
        operationId: 'getDigitalCredentialOffer',
        tags: ['Wallet'],
        summary: 'Fetch the request for the browser (Digital Credentials API)',
        description: 'The same nonces and keys until the verification ends. Only for pages of its origin.',
        params: WalletParams,
        response: { 200: DigitalCredentialOffer, ...refusals('session_mismatch', ...ENDED, 'origin_not_allowed') },
      },
    },
    async (request, reply) => sendJson(reply, 200, await serveDcApiOffer(deps, verificationOf(request))),
  )
}

/** The hosted page must run in the browser that the verification belongs to. */
function addAnswer(routes: App, deps: Deps): void {
  routes.post(
    URL,
    {
      ...forAskingPage(deps, 'open'),
      bodyLimit: RESPONSE_BYTES_MAX,
      validatorCompiler: bodiesAreBytes,
      schema: {
        operationId: 'postDigitalCredential',
        tags: ['Wallet'],
        summary: 'Post the answer of the browser (Digital Credentials API)',
        description: "A wallet's error does not end the verification: the holder may try again.",
        params: WalletParams,
        body: DigitalCredential,
        response: {
          200: WalletReply,
          ...refusals(
            'invalid_wallet_response',
            'session_mismatch',
            ...ENDED,
            'payload_too_large',
            'unsupported_media_type',
            'origin_not_allowed',
          ),
        },
      },
    },
    async (request) => {
      const { redirectUri } = await acceptDcApiAnswer(deps, {
        verification: verificationOf(request),
        body: bytesOf(request),
      })
      return redirectUri === null ? {} : { redirect_uri: redirectUri }
    },
  )
}

/** Answers the preflight of a page on another site, before the page posts its answer. */
function addPreflight(routes: App, deps: Deps): void {
  routes.options(URL, { ...forAskingPage(deps, 'any_state'), schema: { hide: true } }, async (_request, reply) =>
    reply
      .header('Access-Control-Allow-Methods', 'GET, POST')
      .header('Access-Control-Allow-Headers', 'Content-Type')
      .header('Access-Control-Max-Age', '600')
      .code(204)
      .send(),
  )
}

/**
 * Runs before the body is read. Any page may read a refusal for the rate, which comes before the check of the origin.
 * Other refusals are readable only for the page of that origin.
 */
function forAskingPage(deps: Deps, state: 'open' | 'any_state') {
  const { config, onRequest } = forWallets(deps, 'asking_page')
  const readableAtFirst = async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header('Vary', 'Origin')
    openToEveryOrigin(reply)
  }
  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    for (const name of ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers']) reply.removeHeader(name)
    const verification = await findForWallet(deps, idOf(request))
    admitOrigin(request, reply, askingOrigin(verification, deps.config.baseUrl))
    if (state === 'any_state') return
    requireOpen(deps, verification)
    if (!mayAnswer(bindingFacts(deps, verification), browserHashOf(deps, request, verification.id)))
      throw new Refusal('session_mismatch')
    found.set(request, verification)
  }
  return { config, onRequest: [readableAtFirst, ...onRequest, admit] }
}

const found = new WeakMap<FastifyRequest, WalletVerification>()

function verificationOf(request: FastifyRequest): WalletVerification {
  const verification = found.get(request)
  if (verification === undefined) throw new Error('bug: a page without a verification was admitted')
  return verification
}

/**
 * Only browsers send an origin. Apps and a merchant's server need none, because the answer itself is bound to the
 * origin. Pages of other sites send no cookies, so only the hosted page's own browser has one.
 */
function admitOrigin(request: FastifyRequest, reply: FastifyReply, own: string): void {
  const { origin } = request.headers
  if (origin === undefined) return
  if (origin !== own) throw new Refusal('origin_not_allowed')
  reply.header('Access-Control-Allow-Origin', own)
  reply.header('Access-Control-Expose-Headers', 'Request-Id, Retry-After')
}

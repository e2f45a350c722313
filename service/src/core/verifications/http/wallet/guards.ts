// Guards the wallet's routes: spends the budget of the address first, then the verification's.

import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { Deps } from '../../../../deps.ts'
import { type Access, withoutKey } from '../../../../platform/http/access.ts'
import { spendBudget } from '../../../../platform/http/bounds/budget.ts'
import { isVerificationId } from '../../../../platform/ids.ts'
import { findOpen, type WalletVerification } from '../../usecases/asking/wallet-verification.ts'

interface WalletGuards {
  readonly config: { readonly access: Access }
  readonly onRequest: onRequestAsyncHookHandler[]
}

/** A presentation with a portrait takes about 100 KB, and a response may have several. */
export const RESPONSE_BYTES_MAX = 2 * 1024 * 1024

export const idOf = (request: FastifyRequest) => (request.params as { sessionId: string }).sessionId

/** Stops a flood from one address and a flood on a single id. */
export function forWallets(deps: Deps, kind: 'wallet' | 'asking_page' = 'wallet'): WalletGuards {
  const { config, onRequest } = withoutKey(deps, kind)
  return {
    config,
    onRequest: [
      onRequest,
      async (request: FastifyRequest, reply: FastifyReply) => {
        const id = idOf(request)
        // Malformed ids get no bucket, because there is no limit to how many there are.
        if (!isVerificationId(id)) return
        await spendBudget(deps, reply, { name: 'verification', key: id, budget: deps.config.rates.verification })
      },
    ],
  }
}

const found = new WeakMap<FastifyRequest, WalletVerification>()

/** Reads a body only if the verification waits for an answer. Refusals with 404, 409 and 410 are cheap. */
export function whileOpen(deps: Deps): WalletGuards {
  const { config, onRequest } = forWallets(deps)
  const find = async (request: FastifyRequest) => rememberVerification(request, await findOpen(deps, idOf(request)))
  return { config, onRequest: [...onRequest, find] }
}

function rememberVerification(request: FastifyRequest, verification: WalletVerification): void {
  found.set(request, verification)
}

export function verificationOf(request: FastifyRequest): WalletVerification {
  const verification = found.get(request)
  if (verification === undefined) throw new Error('bug: a response was accepted without a verification')
  return verification
}

/** The schema describes the body for OpenAPI. The body is parsed from its bytes, which no validator may touch. */
export const bodiesAreBytes = () => () => true

export const bytesOf = ({ body }: { readonly body?: unknown }): Uint8Array =>
  body instanceof Uint8Array ? body : new Uint8Array()

// Defines who may call a route, and guards routes without a key.

import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { Deps } from '../../deps.ts'
import { addressBucket } from './address.ts'
import { spendBudget } from './bounds/budget.ts'

/** What a route requires of its caller. The OpenAPI document and the tests' route tables are generated from this. */
export type Access =
  | { readonly kind: 'key'; readonly scope: string }
  | { readonly kind: 'public' }
  | { readonly kind: 'wallet' }
  /** A page that calls from a browser: from one origin only. */
  | { readonly kind: 'asking_page' }
  /** An OpenID client that sends its own secret, or the holder of a token that was issued to that client. */
  | { readonly kind: 'oidc_client' }
  | { readonly kind: 'operator' }
  | { readonly kind: 'dashboard'; readonly permission: object | null }

export interface RouteGuards {
  readonly config: { readonly access: Access }
  readonly onRequest: onRequestAsyncHookHandler
}

/** For a route without a key, whose callers are known only by address. */
export function withoutKey(deps: Deps, kind: 'public' | 'wallet' | 'asking_page' = 'public'): RouteGuards {
  return {
    config: { access: { kind } },
    onRequest: (request: FastifyRequest, reply: FastifyReply) => spendOfAddress(deps, { request, reply }, 1),
  }
}

/** Charges the address at most half of a burst, because a request that has spent a unit has no whole burst left. */
export async function spendOfAddress(
  deps: Deps,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  price: number,
): Promise<void> {
  if (price === 0) return
  const budget = deps.config.rates.ip
  const amount = Math.min(price, Math.max(1, budget.burst / 2))
  await spendBudget(deps, reply, { name: 'ip', key: addressBucket(request.ip), budget, amount })
}

/** A route for the operator: health, metrics, documentation. */
export function forOperators(): { readonly config: { readonly access: Access } } {
  return { config: { access: { kind: 'operator' } } }
}

// Authenticates and authorizes requests with a key or a device token, before their body is read (spec 5.6), and again
// after a slow one.

import type { FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../platform/errors.ts'
import type { RouteGuards } from '../../platform/http/access.ts'
import { senderOf } from '../../platform/http/address.ts'
import { JSON_BODY_BYTES_MAX } from '../../platform/http/body.ts'
import { spendBudget, spendOrReserve } from '../../platform/http/bounds/budget.ts'
import { failureGuardOf } from '../../platform/http/bounds/failed-authentication.ts'
import { halfOf } from '../../platform/rate.ts'
import { hashSecret, isPast, looksLikeApiKey, type Scope } from '../tenants/domain/api-key.ts'
import { requireServed } from '../tenants/domain/closed.ts'
import { type Principal, principalId, type Reader, requireScope } from '../tenants/domain/principal.ts'
import type { Realm } from '../tenants/domain/realm.ts'

const principals = new WeakMap<FastifyRequest, Principal>()
const authenticatedAt = new WeakMap<FastifyRequest, number>()

/** The realm of a request with a key or a device token. */
export const realmOf = (request: FastifyRequest): Realm | undefined => principals.get(request)

export function principalOf(request: FastifyRequest): Principal {
  const principal = principals.get(request)
  if (principal === undefined) throw new Error('bug: a route without authentication read the principal')
  return principal
}

/** What a request costs beyond one unit and its body. Its query is not validated yet. */
export type Surcharge = (request: Pick<FastifyRequest, 'query' | 'headers'>) => number
type KeyGuards = RouteGuards & { readonly bodyLimit: number; readonly preHandler: preHandlerAsyncHookHandler }

/** A body may take half a minute to arrive. In that time its key may be revoked, or its tenant may move away. */
const SLOW_BODY_MS = 500

/** A merchant's route: an API key or device token with the scope. */
export function withScope(deps: Deps, scope: Scope, surcharge: Surcharge = () => 0): KeyGuards {
  return {
    bodyLimit: JSON_BODY_BYTES_MAX,
    config: { access: { kind: 'key', scope } },
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      const principal = await authenticateRequest(deps, request)
      principals.set(request, principal)
      authenticatedAt.set(request, deps.clock.now())
      // A device that lost the response to a refresh learns here whether the refresh token was spent.
      if (principal.kind === 'device')
        reply.header('Device-Refresh-Token', principal.refreshSpent ? 'spent' : 'unspent')
      const [more, key] = [surcharge(request), principalId(principal)]
      await spendBudget(deps, reply, { name: 'key', key, budget: deps.config.rates.key, amount: 1 + more })
      await spendOfTenant(deps, principal, priceOf(request) + more)
      requireScope(principal, scope)
    },
    preHandler: async (request: FastifyRequest) => {
      if (deps.clock.now() - (authenticatedAt.get(request) ?? 0) < SLOW_BODY_MS) return
      const principal = await authenticate(deps, request.headers.authorization, { isRepeated: true })
      principals.set(request, principal)
      requireScope(principal, scope)
    },
  }
}

/** Spends the budget that all keys, devices and OpenID clients of a tenant share. A further key does not raise it. */
export async function spendOfTenant(deps: Deps, principal: Principal, amount: number): Promise<void> {
  const { tenant: budget } = deps.config.rates
  const half = halfOf(budget)
  // One key gets at most half of the tenant's rate: otherwise one till with long bodies could use all of it.
  if (amount > 1)
    await spendOrReserve(deps, { name: 'key_share', key: principalId(principal), budget: half, amount }, null)
  await spendOrReserve(deps, { name: 'tenant', key: principal.tenantId, budget, amount }, null)
}

/** Results and lists up to this many bytes cost no more than the request itself. */
const READ_BYTES_FREE = 256 * 1024
/** Decrypting and rendering this much takes as long as a small request. */
const READ_BYTES_OF_A_UNIT = 32 * 1024

/** The caller of a route that reads results, which pays for long ones from the rate of its tenant. */
export function readerOf(deps: Deps, request: FastifyRequest): Reader {
  const principal = principalOf(request)
  return { principal, pay: (bytes) => payForReading(deps, principal, bytes) }
}

async function payForReading(deps: Deps, principal: Principal, bytes: number): Promise<void> {
  const price = priceOfReading(bytes, halfOf(deps.config.rates.tenant).burst)
  if (price > 0) await spendOfTenant(deps, principal, price)
}

/** What a request that reads, with its filters, has spent before it pays. */
const SPENT_BEFORE_MAX = 4

/** What reading so many bytes costs beyond the request itself. Never more than what the request leaves of a whole burst. */
export const priceOfReading = (bytes: number, burst: number): number =>
  Math.min(
    Math.ceil(Math.max(0, bytes - READ_BYTES_FREE) / READ_BYTES_OF_A_UNIT),
    Math.max(1, burst - SPENT_BEFORE_MAX),
  )

/** Charges a key for a creation that a stranger starts with the key's stored request: at most half its rate. */
export async function spendAsKey(deps: Deps, principal: Principal, requestBytes: number): Promise<void> {
  const [key, budget] = [principalId(principal), deps.config.rates.key]
  await spendOrReserve(deps, { name: 'link', key, budget: { ...budget, perSecond: budget.perSecond / 2 } }, null)
  await spendOrReserve(deps, { name: 'key', key, budget }, null)
  await spendOfTenant(deps, principal, priceOfBytes(requestBytes))
}

/** Reading, checking and signing a body takes time in proportion to its length, so longer bodies cost more. */
const BYTES_OF_A_UNIT = 2_048

/** Runs before the body is read. A body without a content length costs as much as the longest. */
export function priceOf({ headers, routeOptions }: Pick<FastifyRequest, 'headers' | 'routeOptions'>): number {
  const announced = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.NaN
  const bytes =
    Number.isSafeInteger(announced) && announced >= 0 ? announced : (routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY)
  return priceOfBytes(bytes)
}

const priceOfBytes = (bytes: number) => 1 + Math.floor(bytes / BYTES_OF_A_UNIT)

async function authenticateRequest(deps: Deps, request: FastifyRequest): Promise<Principal> {
  const guard = failureGuardOf(deps)
  const sender = senderOf(request.ip)
  guard.requireAllowed(sender)
  try {
    return await authenticate(deps, request.headers.authorization)
  } catch (error) {
    // A tenant that is being moved is not an authentication failure.
    if (error instanceof Refusal && error.code !== 'unavailable') guard.noteFailure(sender)
    throw error
  }
}

const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/i

/**
 * Spec 5: missing, malformed, revoked and unknown credentials get the same refusal. Expired ones get another: the hash
 * matched, so the caller owns the key and may know. `isRepeated`: this use of the key is already counted.
 */
export async function authenticate(
  deps: Pick<Deps, 'clock' | 'keys' | 'authenticateDevice'>,
  authorization: string | undefined,
  { isRepeated = false } = {},
): Promise<Principal> {
  const token = BEARER.exec(authorization ?? '')?.[1]
  if (token === undefined) throw new Refusal('invalid_api_key')
  // Spec 5.8: a device token resolves like a key.
  const device = await deps.authenticateDevice(token)
  if (device !== null) return device
  if (!looksLikeApiKey(token)) throw new Refusal('invalid_api_key')
  const nowMs = deps.clock.now()
  const key = await deps.keys.find(hashSecret(token), nowMs)
  if (key === null || key.revokedAt !== null) throw new Refusal('invalid_api_key')
  if (isPast(key.expiresAt, nowMs)) throw new Refusal('api_key_expired')
  requireServed(key.closed)
  if (!isRepeated) deps.keys.noteUse(key, nowMs)
  return {
    kind: 'api_key',
    keyId: key.id,
    tenantId: key.tenantId,
    environment: key.environment,
    scopes: key.scopes,
  }
}

// Limits the open sign-ins per client and per network, for all processes together.

import { createHmac } from 'node:crypto'
import { openSignInBound } from '../../../core/quota/domain/quota.ts'
import { realmName } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import type { QuotaClient } from '../domain/client.ts'
import { countOpenSignIns } from '../store/authorizations.ts'

/** Enough time to find the phone and its wallet. */
export const SIGN_IN_SECONDS = 600

export interface SignInOrigin {
  readonly hash: Uint8Array
  /** Whether the network has no recent sign-in at this client, apart from answered ones. */
  readonly isNew: boolean
  /** The client's reserve if this sign-in draws on it; null otherwise. */
  readonly reserve: number | null
}

/**
 * Throws a Refusal if the limit is reached. New networks have a reserve; a network that cancels stays known, so that it
 * cannot use the reserve repeatedly. `network` is the address as the address limits count it.
 */
export async function requireRoomForSignIn(
  deps: Pick<Deps, 'db' | 'clock' | 'derivedKeys' | 'metrics'>,
  { client, dailyQuota }: QuotaClient,
  network: string,
): Promise<SignInOrigin> {
  const hash = createHmac('sha256', deps.derivedKeys.derive('sign-in-network-v1', 32))
    .update(`${realmName(client)} ${network}`)
    .digest()
  const nowMs = deps.clock.now()
  const since = instantOf(nowMs - SIGN_IN_SECONDS * 1000)
  const open = await countOpenSignIns(deps.db, client, { networkHash: hash, since })
  const bound = openSignInBound(dailyQuota)
  const isNew = !open.isKnownNetwork
  const oldest =
    open.ofNetwork >= bound.network
      ? open.oldestOfNetwork
      : open.ofClient >= (isNew ? bound.client + bound.reserve : bound.client)
        ? open.oldest
        : null
  if (oldest !== null) {
    deps.metrics.rateLimited.inc({ budget: 'oidc_open' })
    const freeAtMs = millisecondsOf(oldest) + SIGN_IN_SECONDS * 1000
    throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: Math.max(1, Math.ceil((freeAtMs - nowMs) / 1000)) })
  }
  return { hash, isNew, reserve: open.ofClient >= bound.client ? bound.reserve : null }
}

// Decides who carries out a request with this Idempotency-Key: the first one. All others are answered at once: with the
// same response, that it is still in progress, or that the key was for another request.

import type { Deps } from '../../../../deps.ts'
import type { Work } from '../../../../platform/batch.ts'
import { instantOf, millisecondsOf } from '../../../../platform/world.ts'
import type { Warning } from '../../../registrations/domain/choose.ts'
import { type Realm, realmName } from '../../../tenants/domain/realm.ts'
import { LEASE_MS, REPLAY_WINDOW_MS } from '../../domain/idempotency.ts'
import {
  type KnownKey,
  type LeaseResult,
  leaseKeys,
  openResponse,
  takeOverKey,
  type WantedLease,
} from '../../store/idempotency.ts'

type LeaseOutcome =
  | { readonly outcome: 'taken'; readonly fence: string }
  | { readonly outcome: 'answered'; readonly answer: string; readonly warnings: readonly Warning[] }
  | { readonly outcome: 'other_request' }
  | { readonly outcome: 'in_flight'; readonly retryAfterSeconds: number }

export type LeaseNeeds = Pick<Deps, 'db' | 'clock' | 'random' | 'batcher'>

const FENCE_BYTES = 16
/** Losing this many times in a row to leases that then vanish is a storm of retries: they can wait. */
const ROUNDS_MAX = 3

const LEASES: Work<LeaseNeeds, WantedLease, LeaseResult> = {
  itemsMax: 64,
  whose: ({ realm }) => realmName(realm),
  run: (deps, leases) => leaseKeys(deps.db, { leases, ...termsFrom(deps.clock.now()) }),
}

export async function leaseIdempotencyKey(
  deps: LeaseNeeds,
  realm: Realm,
  wanted: { readonly key: string; readonly fingerprint: Buffer },
): Promise<LeaseOutcome> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const lease = { ...wanted, realm, fence: Buffer.from(deps.random(FENCE_BYTES)).toString('base64url') }
    const result = await deps.batcher.add(LEASES, deps, { lane: 'all', item: lease })
    if (result === 'taken') return { outcome: 'taken', fence: lease.fence }
    const outcome = result === null ? null : await judge(deps, { lease, known: result })
    if (outcome !== null) return outcome
  }
  return { outcome: 'in_flight', retryAfterSeconds: 1 }
}

const termsFrom = (nowMs: number) => ({
  leaseUntil: instantOf(nowMs + LEASE_MS),
  expiresAt: instantOf(nowMs + REPLAY_WINDOW_MS),
})

/** null: it looked free and no longer was; try again. */
async function judge(
  deps: LeaseNeeds,
  { lease, known }: { lease: WantedLease; known: KnownKey },
): Promise<LeaseOutcome | null> {
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  const over = known.expiresAt <= now
  const same = known.fingerprint.equals(lease.fingerprint)
  if (!over && !same) return { outcome: 'other_request' }
  if (!over && known.sealedAnswer !== null)
    return {
      outcome: 'answered',
      answer: openResponse(deps.db, lease, known.sealedAnswer),
      warnings: known.warnings ?? [],
    }
  // Before its lease expires it is taken only from a process that is gone.
  const taken = await takeOverKey(deps.db, { ...lease, now, ...termsFrom(nowMs) })
  if (taken) return { outcome: 'taken', fence: lease.fence }
  if (over || known.leaseUntil <= now) return null
  const left = Math.ceil((millisecondsOf(known.leaseUntil) - nowMs) / 1000)
  return { outcome: 'in_flight', retryAfterSeconds: Math.max(1, left) }
}

// Lets the first request with an Idempotency-Key run, and answers repetitions immediately.

import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import type { BatchJob } from '../../../../platform/event-loop/batch.ts'
import { instantOf, millisecondsOf } from '../../../../platform/world.ts'
import type { Warning } from '../../../registrations/domain/choose.ts'
import { type Realm, realmName } from '../../../tenants/domain/realm.ts'
import { LEASE_MS, REPLAY_WINDOW_MS } from '../../domain/idempotency.ts'
import {
  type KnownKey,
  type LeaseResult,
  leaseKeys,
  openResponse,
  releaseKey,
  takeOverKey,
  type WantedLease,
} from '../../store/idempotency.ts'

export interface Created {
  /** The exact body of the 201 response. */
  readonly answer: string
  readonly replayed: boolean
  /** In test, what live would refuse. A repeated response has its original warnings. */
  readonly warnings: readonly Warning[]
}

type LeaseOutcome =
  | { readonly outcome: 'taken'; readonly fence: string }
  | { readonly outcome: 'answered'; readonly answer: string; readonly warnings: readonly Warning[] }
  | { readonly outcome: 'other_request' }
  | { readonly outcome: 'in_flight'; readonly retryAfterSeconds: number }

type LeaseNeeds = Pick<Deps, 'db' | 'clock' | 'random' | 'batcher'>
export type OnceNeeds = LeaseNeeds & Pick<Deps, 'log'>

const FENCE_BYTES = 16
/** After losing this many rounds to concurrent retries, the caller has to wait. */
const ROUNDS_MAX = 3

const LEASES: BatchJob<LeaseNeeds, WantedLease, LeaseResult> = {
  itemsMax: 64,
  ownerOf: ({ realm }) => realmName(realm),
  run: (deps, leases) => leaseKeys(deps.db, { leases, ...termsFrom(deps.clock.now()) }),
}

/** Calls `carryOut`, which records its response, or returns the response to an earlier request with this key. */
export async function answerOnce(
  deps: OnceNeeds,
  realm: Realm,
  { key, fingerprint }: { readonly key: string; readonly fingerprint: Buffer },
  carryOut: (keyLease: { readonly key: string; readonly fence: string }) => Promise<Created>,
): Promise<Created> {
  const lease = await leaseIdempotencyKey(deps, realm, { key, fingerprint })
  if (lease.outcome === 'other_request') throw new Refusal('idempotency_key_reused')
  if (lease.outcome === 'in_flight') {
    throw new Refusal('idempotency_key_in_flight', { retryAfterSeconds: lease.retryAfterSeconds })
  }
  if (lease.outcome === 'answered') return { answer: lease.answer, replayed: true, warnings: lease.warnings }
  const keyLease = { key, fence: lease.fence }
  try {
    return await carryOut(keyLease)
  } catch (error) {
    // Best effort: if this fails too, the lease expires.
    await releaseKey(deps.db, realm, keyLease).catch((failure) => deps.log.fault('idempotency key not freed', failure))
    throw error
  }
}

async function leaseIdempotencyKey(
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

/** null: another request took the key in the meantime, so the caller tries again. */
async function judge(
  deps: LeaseNeeds,
  { lease, known }: { lease: WantedLease; known: KnownKey },
): Promise<LeaseOutcome | null> {
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  const over = known.expiresAt <= now
  const same = known.fingerprint.equals(lease.fingerprint)
  if (!over && !same) return { outcome: 'other_request' }
  if (!over && known.sealedResponse !== null)
    return {
      outcome: 'answered',
      answer: openResponse(deps.db, lease, known.sealedResponse),
      warnings: known.warnings ?? [],
    }
  // Before the lease expires, the key is taken only from a process that is gone.
  const taken = await takeOverKey(deps.db, { ...lease, now, ...termsFrom(nowMs) })
  if (taken) return { outcome: 'taken', fence: lease.fence }
  if (over || known.leaseUntil <= now) return null
  const left = Math.ceil((millisecondsOf(known.leaseUntil) - nowMs) / 1000)
  return { outcome: 'in_flight', retryAfterSeconds: Math.max(1, left) }
}

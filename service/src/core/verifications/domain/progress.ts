// Defines the steps that the hosted page shows to the holder. Only the merchant sees why a proof was refused.

import type { Instant } from '../../../platform/world.ts'
import { type StoredState, statusAt } from './verification.ts'

export const STEPS = ['waiting', 'fetched', 'checking', 'completed', 'declined', 'failed', 'expired'] as const
export type Step = (typeof STEPS)[number]

export const OPEN_STEPS: ReadonlySet<Step> = new Set(['waiting', 'fetched', 'checking'])

export interface StoredProgress {
  readonly state: StoredState
  readonly expiresAt: Instant
  /** When a wallet first fetched the request; stored with a delay of a second. */
  readonly requestFetchedAt: Instant | null
  /** null unless the verification failed. */
  readonly errorCode: string | null
}

export function stepAt(stored: StoredProgress, nowMs: number): Step {
  const status = statusAt(stored, nowMs)
  if (status === 'failed') return stored.errorCode === 'wallet_declined' ? 'declined' : 'failed'
  if (status !== 'pending') return status
  return stored.requestFetchedAt === null ? 'waiting' : 'fetched'
}

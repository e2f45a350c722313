// Decides how long the content of a result is kept: with the verification, or only until the merchant has it.

import { type Instant, instantOf } from '../../../platform/world.ts'
import type { TenantSettings } from '../../tenants/domain/settings.ts'
import { contentInEffect } from '../../tenants/domain/settings.ts'
import type { VerificationResult } from './verification.ts'

export interface Keeping {
  /** The part of the result that may be stored. */
  readonly result: VerificationResult
  /** The latest time at which the content is deleted; null: with the verification, or already deleted. */
  readonly forgetAt: Instant | null
  readonly forgottenAt: Instant | null
}

/** If content is not to be kept, the content of a failed verification is not even written, because it is not needed. */
export function keepingOf(
  result: VerificationResult,
  settings: Pick<TenantSettings, 'content' | 'holdSeconds' | 'forwardOnly'>,
  now: { readonly nowMs: number; readonly forwardEverywhere: boolean },
): Keeping {
  if (contentInEffect(settings, now.forwardEverywhere) === 'keep') return { result, forgetAt: null, forgottenAt: null }
  if (result.outcome === 'failed')
    return { result: withoutContent(result), forgetAt: null, forgottenAt: instantOf(now.nowMs) }
  return { result, forgetAt: instantOf(now.nowMs + settings.holdSeconds * 1000), forgottenAt: null }
}

type FailedResult = Extract<VerificationResult, { outcome: 'failed' }>

/** Keeps why the verification failed, in our own words, and nothing of what was presented. */
export function withoutContent({ outcome, error }: FailedResult): FailedResult {
  return { outcome, error, credentials: null }
}

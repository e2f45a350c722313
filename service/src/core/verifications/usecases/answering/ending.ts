// An answer on its way to the end of its verification: what was presented, what was found, and who ends it.

import type { verifyPresentation } from '@vidimus/engine'
import type { Instant } from '../../../../platform/world.ts'
import type { AnswerChannel } from '../../../channels/table.ts'
import type { TrustAnchor } from '../../../ports/trust.ts'
import type { CredentialChecks } from '../../domain/checks.ts'
import type { CredentialGrounds } from '../../domain/result.ts'
import type { VerificationResult } from '../../domain/verification.ts'
import type { AskedVerification } from '../../store/columns.ts'

type Verify = typeof verifyPresentation

export interface Presentation {
  readonly asked: AskedVerification
  readonly presented: Judgement['presented']
  readonly expected: Parameters<Verify>[1]
  /** What is left of what the response may cost. */
  readonly budget: Parameters<Verify>[3]
  readonly nowMs: number
}

export interface Examined extends Pick<Judgement, 'anchors'> {
  readonly verdict: Awaited<ReturnType<Verify>>
}

export type Examine = (presentation: Presentation) => Promise<Examined>

/** A presentation that was examined. */
export interface Judgement {
  readonly presented: Parameters<Verify>[0]
  /** As it was found, readable to the service. */
  readonly result: VerificationResult
  /** Of each credential of the result, in their order. */
  readonly grounds: readonly CredentialGrounds[]
  readonly anchors: readonly TrustAnchor[]
  readonly at: Instant
}

export interface Answer {
  readonly asked: AskedVerification
  /** By which the answer came. */
  readonly way: AnswerChannel
  /** null: the wallet answered with an error. */
  readonly judgement: Judgement | null
}

export interface NewEnding extends Answer {
  /** As the merchant reads it. */
  readonly result: VerificationResult
  readonly checks: readonly CredentialChecks[]
  readonly responseCodeHash: Uint8Array | null
}

/** Ends verifications. */
export interface Endings {
  /** False when it had ended before, or is no longer there. */
  end(ending: NewEnding): Promise<boolean>
  /** Whether the request is to be kept as the wallet got it. */
  keepsRequest(asked: AskedVerification): boolean
}

// Defines an answer that is about to end its verification, and the port that ends it.

import type { verifyPresentation } from '@vidimus/engine'
import type { Instant } from '../../../../platform/world.ts'
import type { AnswerChannel } from '../../../channels/table.ts'
import type { TrustAnchor } from '../../../ports/trust.ts'
import type { CredentialChecks } from '../../domain/checks.ts'
import type { CredentialEvidence } from '../../domain/result.ts'
import type { VerificationResult } from '../../domain/verification.ts'
import type { WalletVerification } from '../../store/columns.ts'

type Verify = typeof verifyPresentation

export interface Presentation {
  readonly verification: WalletVerification
  readonly presented: Judgement['presented']
  readonly expected: Parameters<Verify>[1]
  /** The remaining cost budget of the response. */
  readonly budget: Parameters<Verify>[3]
  readonly nowMs: number
}

export interface Examined extends Pick<Judgement, 'anchors'> {
  readonly verdict: Awaited<ReturnType<Verify>>
}

export type Examine = (presentation: Presentation) => Promise<Examined>

/** An examined presentation. */
export interface Judgement {
  readonly presented: Parameters<Verify>[0]
  /** The result before it is encrypted to the merchant's key. */
  readonly result: VerificationResult
  /** For each credential of the result, in order. */
  readonly trustEvidence: readonly CredentialEvidence[]
  readonly anchors: readonly TrustAnchor[]
  readonly at: Instant
}

export interface Answer {
  readonly verification: WalletVerification
  /** The channel of the answer. */
  readonly channelName: AnswerChannel
  /** The client id of the answered request; absent: the verification's own. */
  readonly clientId?: string
  /** null: the wallet answered with an error. */
  readonly judgement: Judgement | null
  /** Stored with the result. Commitments to the result and to the question are computed with it. */
  readonly salt: Uint8Array
}

export interface NewEnding extends Omit<Answer, 'salt'> {
  /** The result that the merchant reads. */
  readonly result: VerificationResult
  readonly checks: readonly CredentialChecks[]
  readonly responseCodeHash: Uint8Array | null
}

/** Ends verifications. */
export interface Endings {
  /** False if the verification had ended before, or no longer exists. */
  end(ending: NewEnding): Promise<boolean>
  /** Whether the request must be kept as the wallet got it. */
  keepsRequest(verification: WalletVerification): boolean
}

/** Examines one answer to a verification at a time. */
export interface ResponseQueue {
  /**
   * Runs `work` after earlier answers with this id, and says whether there were any. null if too many wait already:
   * then `work` does not run.
   */
  take<T>(id: string, work: (waited: boolean) => Promise<T>): Promise<{ readonly value: T } | null>
  /** Runs `work` while open pages show that an answer is being checked. */
  checking<T>(id: string, work: () => Promise<T>): Promise<T>
  /** Whether the verification ended in this process recently. Then an answer that had to wait need not be examined. */
  hasEnded(id: string): boolean
  noteEnded(id: string): void
}

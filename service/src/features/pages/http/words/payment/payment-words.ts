// Words of the hosted page for a payment, which has a card and an amount instead of an ID.

import type { Step } from '../../../../../core/verifications/domain/progress.ts'
import type { EndReason } from '../../../domain/end-reason.ts'
import type { StepText, Words } from '../words.ts'

type Replaced = Pick<
  Words,
  'documents' | 'issuerToo' | 'privacy' | 'sameDevice' | 'leave' | 'scanned' | 'tryAnother' | 'noWallet'
>

export interface PaymentWords extends Replaced {
  readonly progress: Pick<Words['progress'], 'onPhone' | 'inWallet' | 'confirmed' | 'check' | 'result'>
  readonly steps: Readonly<Partial<Record<Step, Partial<StepText>>>>
  /** Precedes the text of every reason except a cancellation, whose own text says that nothing was paid. */
  readonly notPaid: string
  readonly reasons: Readonly<Partial<Record<EndReason, Partial<StepText>>>>
}

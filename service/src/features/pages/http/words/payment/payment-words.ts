// The words of the hosted page for a payment: they speak of a card and an amount, where the others speak of an ID.

import type { Step } from '../../../../../core/verifications/domain/progress.ts'
import type { EndReason } from '../../../domain/end-reason.ts'
import type { StepText, Words } from '../words.ts'

type Replaced = Pick<
  Words,
  'documents' | 'issuerToo' | 'privacy' | 'sameDevice' | 'leave' | 'scanned' | 'tryAnother' | 'noWallet'
>

export interface PaymentWords extends Replaced {
  readonly way: Pick<Words['way'], 'onPhone' | 'inWallet' | 'confirmed' | 'check' | 'result'>
  readonly steps: Readonly<Partial<Record<Step, Partial<StepText>>>>
  /** Before the text of every reason but a cancellation, which says so itself. */
  readonly notPaid: string
  readonly reasons: Readonly<Partial<Record<EndReason, Partial<StepText>>>>
}

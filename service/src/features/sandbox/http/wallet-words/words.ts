// What the web test wallet says: one file a language. What claims and documents are called is in the catalogue of labels.

import type { VerificationStatus } from '../../../../core/verifications/domain/verification.ts'
import type { BrowserProtocol, RefusedFor } from '../../../trust/index.ts'

/** Why it opens nothing: what a wallet refuses, and what is none of this one's business. */
export type Closed = RefusedFor | 'live' | 'foreign'

export interface WalletWords {
  readonly title: string
  readonly ribbon: string
  readonly link: Readonly<Record<'heading' | 'label' | 'open' | 'another', string>>
  readonly refused: string
  readonly closed: Readonly<Record<Closed, string>>
  readonly asks: string
  readonly who: string
  readonly nobodySigned: string
  readonly registered: string
  readonly registeredFor: string
  readonly warns: string
  /** By code, of what a wallet warns of; null: as the wallet itself says it, which is in English. */
  readonly warnings: Readonly<Record<string, string>> | null
  readonly agree: Readonly<Record<'title' | 'type' | 'exact' | 'letterForLetter', string>>
  readonly what: string
  /** Of several documents, any of which would do. */
  readonly whatOfSeveral: string
  /** Where no claim is asked for. */
  readonly holdsIt: string
  readonly technical: string
  readonly consent: string
  readonly decline: string
  readonly trial: Readonly<Record<'title' | 'way' | 'scenario' | 'transaction' | 'exactly', string>>
  readonly ways: Readonly<Record<BrowserProtocol | 'link', string>>
  /** By name, of what it can do. */
  readonly scenarios: Readonly<Record<string, string>>
  readonly answered: string
  readonly outcomes: Readonly<Record<VerificationStatus, string>>
  readonly verifierSaid: (status: number) => string
  readonly disclosed: string
  readonly nothingDisclosed: string
  readonly onward: string
  readonly back: string
}

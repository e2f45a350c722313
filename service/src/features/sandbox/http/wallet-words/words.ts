// Texts of the web test wallet: one file per language. Names of claims and documents are in the catalogue of labels.

import type { VerificationStatus } from '../../../../core/verifications/domain/verification.ts'
import type { BrowserProtocol, RefusedFor } from '../../../trust/index.ts'

/** Why it opens nothing: what a wallet refuses, and links outside its scope. */
export type Closed = RefusedFor | 'live' | 'foreign'

export interface WalletWords {
  readonly title: string
  readonly ribbon: string
  readonly link: Readonly<Record<'heading' | 'label' | 'open' | 'another', string>>
  readonly refused: string
  readonly closed: Readonly<Record<Closed, string>>
  readonly asks: (verifier: string) => string
  readonly who: string
  readonly nobodySigned: string
  readonly registered: string
  readonly registeredFor: string
  readonly warns: string
  /** Warnings by code; null: the wallet's own English text. */
  readonly warnings: Readonly<Record<string, string>> | null
  readonly agree: Readonly<Record<'title' | 'type' | 'exact' | 'letterForLetter', string>>
  readonly what: string
  /** If no claim is requested. */
  readonly holdsIt: string
  readonly technical: string
  readonly consent: string
  readonly decline: string
  readonly trial: Readonly<Record<'title' | 'way' | 'scenario' | 'transaction' | 'exactly', string>>
  readonly ways: Readonly<Record<BrowserProtocol | 'link', string>>
  /** Its scenarios by name. */
  readonly scenarios: Readonly<Record<string, string>>
  readonly answered: string
  readonly outcomes: Readonly<Record<VerificationStatus, string>>
  readonly verifierSaid: (status: number) => string
  readonly disclosed: string
  readonly nothingDisclosed: string
  readonly onward: string
  readonly back: string
}

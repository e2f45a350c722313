// Texts of the web test wallet, one file per language. Names of claims and documents are in `labels/`.

import type { BrowserProtocol, RefusedFor } from '../../../trust/index.ts'

/** Why the wallet does not open a link: faults of the request, and links outside its scope. */
export type Closed = Exclude<RefusedFor, 'fetch'> | 'answered' | 'expired' | 'unavailable' | 'live' | 'foreign'

interface TitledText {
  readonly title: string
  readonly text: string
}

export interface WalletWords {
  readonly title: string
  readonly ribbon: string
  readonly link: Readonly<Record<'heading' | 'intro' | 'label' | 'open' | 'another' | 'holds', string>>
  readonly closed: Readonly<Record<Closed, TitledText>>
  readonly certificate: string
  readonly unsigned: string
  readonly registered: string
  readonly registeredFor: string
  readonly warns: string
  /** Warnings by code. A warning with another code is shown in the wallet's own English text. */
  readonly warnings: Readonly<Record<string, string>>
  readonly agree: Readonly<Record<'title' | 'type' | 'exact' | 'letterForLetter', string>>
  /** Above the claims that are shared whatever the holder chooses. */
  readonly shares: string
  /** Replaces `shares` for a payment. */
  readonly paysWith: string
  /** Above several answers to choose from. */
  readonly choose: string
  readonly optional: string
  readonly withhold: string
  /** For a request without claims. */
  readonly holdsIt: string
  /** If no document in the wallet matches the request. */
  readonly noMatch: string
  readonly exactRequest: string
  readonly technical: string
  /** The label of the main button, by what the holder agrees to. */
  readonly consent: Readonly<Record<'share' | 'confirm' | 'signIn', string>> & {
    readonly pay: (amount: string) => string
  }
  readonly decline: string
  readonly trial: Readonly<
    Record<'scenario' | 'succeeds' | 'fails' | 'more' | 'channel' | 'transaction' | 'exactly', string>
  >
  readonly channels: Readonly<Record<BrowserProtocol | 'link', string>>
  /** The scenarios by name. */
  readonly scenarios: Readonly<Record<string, string>>
  readonly answered: string
  readonly failed: string
  readonly declined: string
  readonly stillOpen: TitledText
  /** After a simulated fault. */
  readonly expected: (scenario: string) => string
  /** After an outcome that the scenario should not have. `end` is an error code. */
  readonly unexpected: (scenario: string, end: string | null) => string
  readonly shared: string
  readonly onward: (merchant: string) => string
  readonly back: string
  readonly facts: Readonly<Record<'http' | 'status' | 'error', string>>
}

// What the hosted page says: one file a language. What things are called is in the catalogue of labels.

import type { Step } from '../../../../core/verifications/domain/progress.ts'

export interface Words {
  readonly asks: (merchant: string) => string
  /** Where the name shown is not the one that the merchant is known under here. */
  readonly onBehalfOf: (tenant: string) => string
  /** After a word that names what follows. */
  readonly colon: string
  readonly why: string
  /** Before what the registration certificate says. */
  readonly registeredPurpose: string
  /** What the holder is to agree to. */
  readonly agree: {
    readonly asks: (merchant: string) => string
    readonly title: string
    readonly pay: (amount: string, payee: string) => string
    readonly recurring: string
    readonly sign: string
  }
  readonly what: string
  readonly documents: string
  readonly birthDateForAge: string
  readonly scan: string
  readonly qr: string
  readonly sameDevice: string
  /** Only where a tenant asks for ages by that way too. */
  readonly ageApp: string
  readonly anotherDevice: string
  readonly codeAgain: string
  /** Where the browser itself asks the wallets. */
  readonly browser: Readonly<Record<'ask' | 'otherWays' | 'sending' | 'failed', string>>
  /** Where somebody signs in by it. */
  readonly signIn: {
    readonly asks: (merchant: string) => string
    readonly cancel: string
    readonly onward: string
    /** In place of the QR code, where an answer from another device does not count. */
    readonly startThere: string
  }
  readonly timeLeft: string
  readonly test: string
  readonly testWallet: string
  readonly reload: string
  readonly offline: string
  /** Where the browser keeps no cookie of this page. */
  readonly cookies: string
  readonly privacy: string
  readonly privacyPolicy: string
  readonly support: string
  readonly language: string
  /** The way there, in order; the first two are read on a large screen, or on the phone that has the wallet. */
  readonly way: Readonly<Record<'label' | 'scan' | 'open' | 'onPhone' | 'inWallet' | 'check' | 'done', string>>
  readonly steps: Readonly<Record<Step, { readonly title: string; readonly text: string }>>
  readonly back: (merchant: string) => string
  readonly again: (merchant: string) => string
  /** For a browser that it does not belong to: what it is, and what to do. */
  readonly elsewhere: Readonly<Record<'signIn' | 'held', { readonly title: string; readonly texts: readonly string[] }>>
  readonly unknown: { readonly title: string; readonly text: string }
}

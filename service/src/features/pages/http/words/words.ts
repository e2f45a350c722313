// Types of the hosted page's texts, one file per language. Names of claims and documents are in `labels/`.

import type { Step } from '../../../../core/verifications/domain/progress.ts'
import type { EndReason } from '../../domain/end-reason.ts'

/** What a verification is about. */
export type Subject = 'age' | 'details' | 'payment' | 'agreement'

export interface StepText {
  readonly title: string
  readonly text: (merchant: string) => string
}

export interface Words {
  /** The heading if only an age is requested. */
  readonly confirmAge: (merchant: string, age: number) => string
  /** The heading for everything else; null: the list is too long for a heading. */
  readonly share: (merchant: string, list: string | null) => string
  /** Above the list of what is requested. */
  readonly receives: (merchant: string) => string
  /** What a merchant receives for an age. */
  readonly yesOrNo: (age: number) => string
  /** After a label. */
  readonly colon: string
  readonly why: string
  /** Before the text of the registration certificate. */
  readonly registeredPurpose: string
  /** The transaction that the holder confirms. */
  readonly agree: {
    readonly asks: (merchant: string) => string
    readonly title: string
    readonly pay: (amount: string, payee: string) => string
    /** Above the amount. */
    readonly payTo: (payee: string) => string
    /** Below the amount, once it is paid. */
    readonly paidTo: (payee: string) => string
    /** If the shown merchant is not the payee. */
    readonly asksToPay: (merchant: string, payee: string) => string
    readonly reference: string
    readonly recurring: string
    /** Says when the payment happens. */
    readonly onlyThere: string
    readonly sign: string
  }
  readonly documents: string
  /** Above what the wallet may present for it. */
  readonly presents: string
  readonly birthDateForAge: string
  /** What every result has in addition to the claims. */
  readonly issuerToo: (merchant: string) => string
  readonly scan: string
  readonly qr: string
  /** On a wide screen next to a QR code; on a phone the only button. */
  readonly sameDevice: Readonly<Record<'wide' | 'narrow', string>>
  /** Only if the tenant also uses that app for ages. */
  readonly ageApp: string
  readonly anotherDevice: string
  readonly codeAgain: string
  /** On the phone that has the wallet. */
  readonly walletAgain: string
  /** If the browser itself asks the wallets. */
  readonly browser: Readonly<Record<'ask' | 'otherOptions' | 'orScan' | 'sending' | 'failed', string>>
  /** For a sign-in. */
  readonly signIn: {
    readonly asks: (merchant: string) => string
    readonly cancel: string
    readonly onward: string
    /** Instead of the QR code, if answers from other devices are refused. */
    readonly startThere: string
    readonly how: string
    /** If an answer from another device requires a code. */
    readonly howWithCode: string
  }
  readonly timeLeft: string
  readonly test: string
  readonly testWallet: string
  readonly reload: string
  readonly offline: string
  /** If the browser blocks this page's cookie. */
  readonly cookies: string
  readonly privacy: string
  readonly noWallet: { readonly title: string; readonly text: string }
  readonly privacyPolicy: string
  readonly support: string
  readonly language: string
  /** The steps from the scan to the result; `onPhone` on a wide screen, `inWallet` on the phone that has the wallet. */
  readonly progress: Readonly<Record<'label' | 'opened' | 'onPhone' | 'inWallet' | 'confirmed' | 'check', string>> & {
    readonly result: (merchant: string) => string
  }
  readonly steps: Readonly<Record<Step, StepText>>
  /** On a wide screen instead of the step `fetched`, because the wallet is on a phone. */
  readonly scanned: StepText
  /** What was done, only for the browser that the verification is bound to. Only the merchant learns whether the answer was yes. */
  readonly done: Readonly<Record<Subject, StepText>>
  /** After the end, if there is no link back to the merchant. */
  readonly close: string
  /** Above the list of what the merchant has received. */
  readonly received: (merchant: string) => string
  /** Follows every reason except a cancelled request, whose own text says it. For a payment it says that nothing was paid. */
  readonly notPassedOn: string
  /** Why the verification ended without a result, and the remedy. */
  readonly reasons: Readonly<Record<EndReason, StepText>>
  readonly contact: (merchant: string) => string
  /** Used while the verification is open, if `back` does not fit. */
  readonly leave?: (merchant: string) => string
  readonly back: (merchant: string) => string
  readonly again: (merchant: string) => string
  /** For a browser that the verification is not bound to, or no longer bound to (`signInOver`): explains this, and what to do. */
  readonly elsewhere: Readonly<
    Record<'signIn' | 'signInOver' | 'held', { readonly title: string; readonly texts: readonly string[] }>
  >
  /** Shown instead of the page: too many requests, or the service cannot answer. */
  readonly stops: Readonly<Record<'busy' | 'away', { readonly title: string; readonly text: string }>>
  readonly tryAgain: string
  /** On a merchant's page, which can start another verification. */
  readonly tryAnother: string
  /** Goes back in the browser's history. */
  readonly goBack: string
  readonly unknown: { readonly title: string; readonly text: string }
}

// Decides which browser may answer a verification on the hosted page, and how a wallet's answer is bound to it.

import { timingSafeEqual } from 'node:crypto'

/** The rules that a merchant may choose for its own verifications. */
const BROWSER_BINDINGS = ['first', 'none'] as const
type BrowserBinding = (typeof BROWSER_BINDINGS)[number]

/**
 * The binding rule of a sign-in. `confirm`: an answer from another device or browser needs the confirmation code.
 * `same_device`: the answer must return to the browser that started it. `unconfirmed`: neither; only in test.
 */
const SIGN_IN_RULES = ['confirm', 'same_device', 'unconfirmed'] as const
export type SignInRule = (typeof SIGN_IN_RULES)[number]

export type BindingRule = BrowserBinding | SignInRule

/** What bound the answer to the browser; null if nothing did. */
const BOUND_BY = ['browser_api', 'response_code', 'code', 'unconfirmed'] as const
export type BoundBy = (typeof BOUND_BY)[number]

export const isSignInRule = (rule: string | null): rule is SignInRule => SIGN_IN_RULES.some((one) => one === rule)

export interface BrowserBound {
  /** The stored rule; null: the tenant's setting applies. */
  readonly browserBinding: BindingRule | null
  /** null: the verification belongs to no browser. */
  readonly browserHash: Buffer | null
}

interface BindingFacts extends BrowserBound {
  /** Whether it belongs to a sign-in. Sign-ins of an earlier release have no rule. */
  readonly isSignIn: boolean
  /** Whether the merchant's own page uses the browser API. Then the merchant must check its own session. */
  readonly hasOwnOrigin: boolean
  readonly setting: BrowserBinding
}

export type BrowserOwnership =
  /** The verification belongs to this browser, or to none. */
  | 'here'
  /** The first browser that opens the page gets the verification. */
  | 'free'
  /** The verification belongs to another browser. */
  | 'elsewhere'

/** `secretHash`: the hash of the browser's cookie; null: no cookie. A sign-in without a hash belongs to no browser. */
export function ownershipOf(facts: Omit<BindingFacts, 'hasOwnOrigin'>, secretHash: Buffer | null): BrowserOwnership {
  const { isSignIn, browserBinding, browserHash, setting } = facts
  const signIn = isSignIn || isSignInRule(browserBinding)
  if (!signIn && (browserBinding ?? setting) === 'none') return 'here'
  if (browserHash === null) return signIn ? 'elsewhere' : 'free'
  return isBoundTo(facts, secretHash) ? 'here' : 'elsewhere'
}

/** Whether the verification belongs to this browser. False if it belongs to none. */
export const isBoundTo = ({ browserHash }: BrowserBound, secretHash: Buffer | null): boolean =>
  browserHash !== null && secretHash !== null && isSame(browserHash, secretHash)

/** Whether this browser may request and send an answer through the browser's API. */
export function mayAnswer(facts: BindingFacts, secretHash: Buffer | null): boolean {
  if (facts.hasOwnOrigin && !facts.isSignIn && !isSignInRule(facts.browserBinding)) return true
  return ownershipOf(facts, secretHash) === 'here'
}

export const isSame = (one: Uint8Array, other: Uint8Array) => one.length === other.length && timingSafeEqual(one, other)

/** What the receipt says: what bound the answer, or what must bind it before the client or the merchant gets it. */
export type ReceiptBinding =
  | 'browser_api'
  | 'response_code'
  | 'response_code_or_code'
  | 'unconfirmed'
  | 'first_browser'
  | 'none'

/** `inBrowser`: the answer came through the browser's API. */
export function receiptBinding(
  facts: Pick<BindingFacts, 'browserBinding' | 'hasOwnOrigin' | 'setting'>,
  inBrowser: boolean,
): ReceiptBinding {
  const { browserBinding, hasOwnOrigin, setting } = facts
  switch (browserBinding ?? setting) {
    case 'confirm':
      return inBrowser ? 'browser_api' : 'response_code_or_code'
    case 'same_device':
      return inBrowser ? 'browser_api' : 'response_code'
    case 'unconfirmed':
      return inBrowser ? 'browser_api' : 'unconfirmed'
    case 'first':
      return inBrowser && !hasOwnOrigin ? 'first_browser' : 'none'
    case 'none':
      return 'none'
  }
}

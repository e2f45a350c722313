// The kinds of trouble with the store. They stand in the domain because the HTTP front and the command line tell of them and may
// not know the store.

/** It cannot answer now: overloaded, restarting or out of reach. Nothing is wrong with the request; trying again may help. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

/** Why a store that answers is not used: it may not be the one that holds what was acknowledged. */
export const STORE_REFUSALS = ['two_writers', 'old_timeline', 'foreign_server', 'set_back'] as const
export type StoreRefusal = (typeof STORE_REFUSALS)[number]

/** It answers, and using it could lose or fork what was acknowledged. It is used again once that is over. */
export class StoreRefused extends StoreUnavailable {
  override readonly name = 'StoreRefused'
  readonly refusal: StoreRefusal
  readonly mend: string

  constructor(refusal: StoreRefusal, message: string, mend: string) {
    super(message)
    this.refusal = refusal
    this.mend = mend
  }
}

/** It cannot be used as it is: trying again will not help, and `mend` says what will. */
export class StoreUnfit extends Error {
  override readonly name: string = 'StoreUnfit'
  readonly mend: string

  constructor(message: string, mend: string, options?: ErrorOptions) {
    super(message, options)
    this.mend = mend
  }
}

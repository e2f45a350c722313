// Defines the errors of the store, for the HTTP layer and the command line, which may not import the store.

/** The store cannot answer now: overloaded, restarting or unreachable. A retry of the same request may work. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

/** Why a store that answers is not used. It may lack acknowledged data. */
export const STORE_REFUSALS = ['two_writers', 'old_timeline', 'foreign_server', 'set_back'] as const
export type StoreRefusal = (typeof STORE_REFUSALS)[number]

/** The store answers, but its use could lose or fork acknowledged data. Used again once the cause is gone. */
export class StoreRefused extends StoreUnavailable {
  override readonly name = 'StoreRefused'
  readonly refusal: StoreRefusal
  readonly remedy: string

  constructor(refusal: StoreRefusal, message: string, remedy: string) {
    super(message)
    this.refusal = refusal
    this.remedy = remedy
  }
}

/** The store cannot be used in its present state. A retry will not help; `remedy` says what will. */
export class StoreUnfit extends Error {
  override readonly name: string = 'StoreUnfit'
  readonly remedy: string

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options)
    this.remedy = remedy
  }
}

// Two kinds of trouble with the store. They stand in the domain because the HTTP front and the command line tell of them and may
// not know the store.

/** It cannot answer now: overloaded, restarting or out of reach. Nothing is wrong with the request; trying again may help. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
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

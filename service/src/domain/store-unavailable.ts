// The store cannot answer now: overloaded, restarting or out of reach. Nothing is wrong with the request; trying again may help.
// It stands in the domain because the HTTP front turns it into a 503 and may not know the store.

export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

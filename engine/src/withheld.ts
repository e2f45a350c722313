// What did the holder withhold from a credential? Keyed by the objects and arrays of the claims, so that it never appears
// among the claims.

export interface Withheld {
  /** Objects and arrays of which nothing is left, because the holder disclosed none of what the issuer put into them. */
  readonly hollow: Pick<ReadonlySet<object>, 'has'>
  /** For an array that lost elements: where each of the remaining ones stood when the issuer signed it. */
  readonly positions: Pick<ReadonlyMap<object, readonly number[]>, 'get'>
}

/** Of formats that disclose whole elements or none: nothing is ever taken out of a value. */
export const NOTHING_WITHHELD: Withheld = { hollow: new Set(), positions: new Map() }

// What the holder withheld from a credential. Stored outside of the claims, by their objects and arrays.

export interface Withheld {
  /** Objects and arrays of which every member was withheld. */
  readonly hollow: Pick<ReadonlySet<object>, 'has'>
  /** For arrays with withheld elements: the signed positions of the remaining elements. */
  readonly positions: Pick<ReadonlyMap<object, readonly number[]>, 'get'>
}

/** For formats that disclose only whole elements. */
export const NOTHING_WITHHELD: Withheld = { hollow: new Set(), positions: new Map() }

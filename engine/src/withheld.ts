// What the holder withheld from a credential, kept outside of the claims: keyed by their objects and arrays.

export interface Withheld {
  /** Objects and arrays whose members were all withheld. */
  readonly hollow: Pick<ReadonlySet<object>, 'has'>
  /** For an array with withheld elements: the signed positions of the remaining ones. */
  readonly positions: Pick<ReadonlyMap<object, readonly number[]>, 'get'>
}

/** For formats that disclose only whole elements. */
export const NOTHING_WITHHELD: Withheld = { hollow: new Set(), positions: new Map() }

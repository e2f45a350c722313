// Lists allowed values and limits of bodies about verifications.

export const TTL_SECONDS = { min: 60, max: 3600, standard: 300 } as const

export const PURPOSE_LENGTH_MAX = 300

export const URL_LENGTH_MAX = 2048

/** Enough for references of a merchant. Verifications do not store documents. */
export const METADATA_MAX = { members: 50, nameLength: 64, valueLength: 500 } as const

/** Limits of what one creation asks a holder to agree to. */
export const TRANSACTION_MAX = {
  items: 10,
  textLength: 16 * 1024,
  textLengthInAll: 64 * 1024,
  depth: 12,
  /** The length of all items, as `jsonLength` measures it: about 2,000 members and elements. More would take long to check. */
  lengthOfParts: 450_000,
} as const

/** Limits of one page of the list. */
export const PAGE_LIMIT = { min: 1, max: 100, standard: 20 } as const

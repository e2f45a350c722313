// What status and revocation lists may cost the service for one tenant, and in all. What they may cost for one response stands in
// the engine's limits.ts.

import type { ShareBound } from '../../../platform/shares.ts'

export interface ListAmounts {
  readonly lists: number
  /** As downloaded, and what they unpack to. */
  readonly bytes: number
  /** Entries of identifier lists and revocation lists. */
  readonly items: number
}

/** Lists that are fetched and read for one tenant in a minute, in test and in live each; a list that is kept costs nothing. A million entries take a second. */
export const TENANT_LISTS_PER_MINUTE: ListAmounts = { lists: 300, bytes: 400_000_000, items: 6_000_000 }

/** What a list counts for that no worker could read. */
export const UNREAD_LIST_ITEMS = 500_000

/** Lists on their way at once, from the request to the list that was read: each may hold five megabytes. */
export const LISTS_UNDER_WAY: ShareBound = { each: 16, all: 64, reserve: 24, light: 4 }

/** Of one response, downloaded at once; they are read one after another. What is downloaded and may not be read was in vain. */
export const LISTS_AT_ONCE = 2
/** After this no further list of a response is begun: slow hosts one after another must not hold it. */
export const BEGIN_WITHIN_MS = 6_000

/** Memory of lists, in what they really occupy: good ones; and unverified and replaced ones each, which take no room of the good. */
export const LIST_MEMORY = { good: 128_000_000, unverified: 32_000_000 } as const

/** Until then a worker has read a list that was given to it; a longest list takes half a second. */
export const READ_WITHIN_MS = 5_000

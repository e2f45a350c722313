// Limits on the cost of status and revocation lists, per tenant and in total. The limits per response are in the engine's limits.ts.

import type { ShareBound } from '../../../platform/shares.ts'

export interface ListAmounts {
  readonly lists: number
  /** Downloaded bytes, and the bytes they unpack to. */
  readonly bytes: number
  /** Entries of identifier lists and revocation lists. */
  readonly items: number
}

/**
 * Lists fetched and read for one tenant in a minute, in test and in live each; a cached list costs nothing. A million
 * entries take a second.
 */
export const TENANT_LISTS_PER_MINUTE: ListAmounts = { lists: 300, bytes: 400_000_000, items: 6_000_000 }

/** The cost of a list that no worker could read, or whose host kept the thread busy that downloads. */
export const UNREAD_LIST_ITEMS = 500_000

/**
 * The cost of a byte of a TLS handshake that did not succeed. The dearest signatures that are verified cost 5
 * microseconds of CPU per byte; the rest is a margin for what OpenSSL does besides. An expired certificate (4 kB) costs
 * a quarter of a longest list.
 */
export const HANDSHAKE_BYTE_ITEMS = 30

/**
 * Downloads of one tenant at once, in test and in live each; its others wait. Responses name one or two lists, and the
 * thread does the work of one after another.
 */
export const TENANT_DOWNLOADS_AT_ONCE = 4

/** Lists in progress at once, from the request to the parsed list. */
export const LISTS_UNDER_WAY: ShareBound = { each: 16, all: 64, reserve: 24, light: 4 }

/**
 * Bytes of lists in progress, by tenant: a list takes as many as the longest has (5 MB) while it is downloaded, and as
 * many as it has until it was read. The others wait.
 */
export const LIST_BYTES_UNDER_WAY: ShareBound = {
  each: 40_000_000,
  all: 160_000_000,
  reserve: 60_000_000,
  light: 11_000_000,
}

/**
 * Parallel downloads for one response; lists are read one after another. A list that is downloaded and may not be read
 * is wasted work.
 */
export const LISTS_AT_ONCE = 2
/** After this no further list of a response is started: a series of slow hosts must not hold it. */
export const BEGIN_WITHIN_MS = 6_000

/**
 * Memory for cached lists, by their real size: good ones; and unverified and replaced ones each, which take no room
 * from the good.
 */
export const LIST_MEMORY = { good: 128_000_000, unverified: 32_000_000 } as const

/** Timeout of a worker for one list; the longest list takes half a second. */
export const READ_WITHIN_MS = 5_000

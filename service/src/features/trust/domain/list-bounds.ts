// Limits on the cost of status and revocation lists, per tenant and in total.

import type { ShareBound } from '../../../platform/shares.ts'

export interface ListAmounts {
  readonly lists: number
  /** Downloaded bytes, and the bytes they unpack to. */
  readonly bytes: number
  /** Entries of identifier lists and revocation lists. */
  readonly items: number
}

/**
 * Lists fetched and parsed for one tenant per minute, in test and in live separately. Cached lists cost nothing. A
 * million entries take a second.
 */
export const TENANT_LISTS_PER_MINUTE: ListAmounts = { lists: 300, bytes: 400_000_000, items: 6_000_000 }

/** The cost of a list that no worker could parse, or whose host blocked the download thread. */
export const UNREAD_LIST_ITEMS = 500_000

/**
 * The cost of a byte of a failed TLS handshake. The slowest signatures cost 5 microseconds of CPU per byte; the rest is
 * a margin for other work of OpenSSL. An expired certificate (4 kB) costs a quarter of the longest list.
 */
export const HANDSHAKE_BYTE_ITEMS = 30

/** Parallel downloads of one tenant, in test and in live separately. Responses name one or two lists. */
export const TENANT_DOWNLOADS_AT_ONCE = 4

/** Lists in progress at once, from the request to the parsed list. */
export const LISTS_IN_PROGRESS: ShareBound = { each: 16, all: 64, reserve: 24, light: 4 }

/**
 * Bytes of lists in progress, by tenant. A list counts with the maximum length (5 MB) while it is downloaded, and with
 * its own length until it is parsed. Further lists wait.
 */
export const LIST_BYTES_IN_PROGRESS: ShareBound = {
  each: 40_000_000,
  all: 160_000_000,
  reserve: 60_000_000,
  light: 11_000_000,
}

/**
 * Parallel downloads for one response; its lists are parsed one after another. More would waste downloads, because the
 * budget may end before a list is parsed.
 */
export const LISTS_AT_ONCE = 2
/** No further list of a response is started after this time, so that a series of slow hosts does not delay it. */
export const BEGIN_WITHIN_MS = 6_000

/** Memory for cached lists, by their real size. Unverified and replaced lists each have their own, and evict no good ones. */
export const LIST_MEMORY = { good: 128_000_000, unverified: 32_000_000 } as const

/** Timeout of a worker for one list; the longest list takes half a second. */
export const READ_WITHIN_MS = 5_000

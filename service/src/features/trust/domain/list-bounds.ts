// Limits on the cost of status and revocation lists, per tenant and in total.

import type { ShareBound } from '../../../platform/shares.ts'

export interface ListAmounts {
  readonly lists: number
  /** Downloaded bytes, and the bytes after unpacking. */
  readonly bytes: number
  /** Entries of identifier lists and revocation lists. */
  readonly items: number
}

/**
 * Limits the lists that are fetched and parsed per tenant and minute, separately for test and live. A million entries
 * take a second to parse. Cached lists cost nothing.
 */
export const TENANT_LISTS_PER_MINUTE: ListAmounts = { lists: 300, bytes: 400_000_000, items: 6_000_000 }

/** The cost of a list if no worker could parse it, or if its host blocked the download thread. */
export const UNREAD_LIST_ITEMS = 500_000

/**
 * The cost per byte of a failed TLS handshake. The slowest signatures take 5 microseconds of CPU per byte; the rest is
 * a margin for other work of OpenSSL. An expired certificate (4 kB) costs a quarter of the longest list.
 */
export const HANDSHAKE_BYTE_ITEMS = 30

/** Parallel downloads per tenant, separately for test and live. A response usually names one or two lists. */
export const TENANT_DOWNLOADS_AT_ONCE = 4

/** How many lists may be in progress at once, from the request to the parsed list. */
export const LISTS_IN_PROGRESS: ShareBound = { each: 16, all: 64, reserve: 24, light: 4 }

/**
 * Bytes of lists in progress, by tenant. A list in download counts as the longest list (5 MB); after that its own
 * length counts until it is parsed. Further lists wait.
 */
export const LIST_BYTES_IN_PROGRESS: ShareBound = {
  each: 40_000_000,
  all: 160_000_000,
  reserve: 60_000_000,
  light: 11_000_000,
}

/**
 * Parallel downloads per response. More would waste downloads: lists are parsed one after another, and the budget may
 * end before a list is parsed.
 */
export const LISTS_AT_ONCE = 2
/** A response starts no further list after this time, so that many slow hosts cannot delay it for long. */
export const BEGIN_WITHIN_MS = 6_000

/** Memory for cached lists. Unverified and replaced lists have memory of their own, so that they cannot evict good lists. */
export const LIST_MEMORY = { good: 128_000_000, unverified: 32_000_000 } as const

/** Timeout for parsing one list. The longest list takes half a second. */
export const READ_WITHIN_MS = 5_000

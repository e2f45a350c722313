// Limits of links that start verifications.

/** How long a link lives, from its start. */
export const LINK_DAYS = { standard: 7, max: 30 } as const
/** How far ahead a link may start. */
export const LINK_STARTS_WITHIN_DAYS = 30
/** How many verifications a link may start, unless their number is unlimited. */
export const LINK_USES = { standard: 1, max: 100_000 } as const
export const LINK_STATES = ['scheduled', 'open', 'used_up', 'ended', 'revoked'] as const
/** How many bytes of JSON the request of a link's verifications may have: each load of its page reads it. */
export const LINK_BYTES_MAX = 64 * 1024

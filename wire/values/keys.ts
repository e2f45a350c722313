// Closed lists and limits of bodies: keys.

export const SCOPES = ['verifications:create', 'verifications:read', 'verifications:delete', 'devices:manage'] as const

/** Days a key may live; null is no deadline, the default. */
export const KEY_LIFETIMES_DAYS = [30, 90, 365] as const

/** How long the old key of a roll may go on beside the new one, in hours; 0 ends it at once. */
export const ROLL_OVERLAP_HOURS = [0, 1, 24, 168] as const

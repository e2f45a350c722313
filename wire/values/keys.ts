// Lists allowed values and limits of bodies about API keys.

export const SCOPES = ['verifications:create', 'verifications:read', 'verifications:delete', 'devices:manage'] as const

/** Days until a key expires. null, the default: never. */
export const KEY_LIFETIMES_DAYS = [30, 90, 365] as const

/** How many hours the old key works after a roll. 0 ends it at once. */
export const ROLL_OVERLAP_HOURS = [0, 1, 24, 168] as const

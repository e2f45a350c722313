// Closed lists and limits of bodies: staff.

/** Each may do what the ones after it may. */
export const ROLES = ['owner', 'admin', 'viewer'] as const

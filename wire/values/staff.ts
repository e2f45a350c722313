// Lists allowed values of bodies about staff.

/** Each role includes the rights of the ones after it. */
export const ROLES = ['owner', 'admin', 'viewer'] as const

// Defines limits of bodies about devices.

/** Spec 8. */
export const PAIRING_TTL_SECONDS = { min: 60, max: 86_400, fallback: 900 } as const

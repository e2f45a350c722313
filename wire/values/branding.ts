// Closed lists and limits of bodies: branding.

export const SHOWN_NAME_MAX = 64

export const LINK_MAX = 2048

/** Bytes of an uploaded logo. */
export const LOGO_BYTES_MAX = 64 * 1024

export const BRANDING_PROBLEMS = [
  'name',
  'colour',
  'support_url',
  'privacy_url',
  'logo_too_large',
  'logo_not_a_picture',
  'logo_forbidden',
] as const

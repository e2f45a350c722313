// Lists allowed values and limits of bodies about branding.

export const SHOWN_NAME_MAX = 64

export const LINK_MAX = 2048

export const HELP_TEXT_MAX = 200

/** Bytes of an uploaded logo. */
export const LOGO_BYTES_MAX = 64 * 1024

/** Radius of corners. */
export const RADII = ['none', 'small', 'medium', 'large'] as const

/** `system` is the default font of the reader's device. The service serves all other fonts. */
export const FONTS = ['system', 'inter', 'nunito', 'source_serif', 'atkinson'] as const

export const BRANDING_PROBLEMS = [
  'name',
  'colour',
  'background',
  'radius',
  'font',
  'support_url',
  'privacy_url',
  'help_text',
  'logo_too_large',
  'logo_not_a_picture',
  'logo_forbidden',
] as const

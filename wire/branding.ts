// Describes the appearance of the hosted page, the till and its customer screen.

import { type Static, Type } from 'typebox'
import { Closed, Language, oneOf, orNull } from './parts.ts'
import {
  BRANDING_PROBLEMS,
  FONTS,
  HELP_TEXT_MAX,
  LINK_MAX,
  LOGO_BYTES_MAX,
  RADII,
  SHOWN_NAME_MAX,
} from './values/branding.ts'

const Picture = orNull(Type.String({ description: 'As a data: address' }))

const BRANDING = {
  name: orNull(Type.String()),
  colour: orNull(Type.String()),
  background: orNull(Type.String()),
  radius: orNull(oneOf(...RADII)),
  font: orNull(oneOf(...FONTS)),
  support_url: orNull(Type.String()),
  privacy_url: orNull(Type.String()),
  help_text: orNull(Type.String()),
  logo: Picture,
  logo_dark: Picture,
}

export const Branding = Closed(BRANDING)
export type Branding = Static<typeof Branding>

const Refused = Closed({
  outcome: Type.Literal('refused'),
  problem: oneOf(...BRANDING_PROBLEMS),
  what: orNull(Type.String({ description: 'The refused element or attribute of the logo' })),
})

export const BrandingChange = Type.Union([Closed({ outcome: Type.Literal('changed'), branding: Branding }), Refused])
export type BrandingChange = Static<typeof BrandingChange>

const Correction = Closed({
  theme: oneOf('light', 'dark'),
  part: oneOf('button', 'text'),
  colour: Type.String({ description: 'The colour that is shown, because the chosen one has too little contrast' }),
})

export const BrandingPreview = Type.Union([
  Closed({ outcome: Type.Literal('shown'), html: Type.String(), corrections: Type.Array(Correction) }),
  Refused,
])
export type BrandingPreview = Static<typeof BrandingPreview>

const Upload = Type.Optional(
  orNull(
    Type.String({
      description: 'Base64; null: no logo. Absent: unchanged.',
      maxLength: Math.ceil(LOGO_BYTES_MAX / 3) * 4 + 4,
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
    }),
  ),
)

const DRAFT = {
  name: orNull(Type.String({ maxLength: SHOWN_NAME_MAX })),
  colour: orNull(Type.String({ maxLength: 7 })),
  support_url: orNull(Type.String({ maxLength: LINK_MAX })),
  privacy_url: orNull(Type.String({ maxLength: LINK_MAX })),
  // Absent: unchanged. A page of the previous release that is still open in a browser sends no such members.
  background: Type.Optional(orNull(Type.String({ maxLength: 7 }))),
  radius: Type.Optional(orNull(oneOf(...RADII))),
  font: Type.Optional(orNull(oneOf(...FONTS))),
  help_text: Type.Optional(orNull(Type.String({ maxLength: HELP_TEXT_MAX }))),
  logo: Upload,
  logo_dark: Upload,
}

export const BrandingDraft = Type.Object(DRAFT, { additionalProperties: false })
export type BrandingDraft = Static<typeof BrandingDraft>

export const PreviewBranding = Type.Object(
  {
    ...DRAFT,
    language: Language,
    step: oneOf('waiting', 'completed', 'declined'),
    phone: Type.Boolean(),
    theme: Type.Optional(oneOf('light', 'dark')),
  },
  { additionalProperties: false },
)
export type PreviewBranding = Static<typeof PreviewBranding>

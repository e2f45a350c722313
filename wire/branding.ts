// The appearance of the hosted page.

import { type Static, Type } from 'typebox'
import { Closed, Language, oneOf, orNull } from './parts.ts'
import { BRANDING_PROBLEMS, LINK_MAX, LOGO_BYTES_MAX, SHOWN_NAME_MAX } from './values/branding.ts'

const BRANDING = {
  name: orNull(Type.String()),
  colour: orNull(Type.String()),
  support_url: orNull(Type.String()),
  privacy_url: orNull(Type.String()),
  logo: orNull(Type.String({ description: 'As a data: address' })),
}

export const Branding = Closed(BRANDING)
export type Branding = Static<typeof Branding>

const Refused = Closed({
  outcome: Type.Literal('refused'),
  problem: oneOf(...BRANDING_PROBLEMS),
  what: orNull(Type.String({ description: 'What in the logo is refused' })),
})

export const BrandingChange = Type.Union([Closed({ outcome: Type.Literal('changed'), branding: Branding }), Refused])
export type BrandingChange = Static<typeof BrandingChange>

export const BrandingPreview = Type.Union([Closed({ outcome: Type.Literal('shown'), html: Type.String() }), Refused])
export type BrandingPreview = Static<typeof BrandingPreview>

const DRAFT = {
  name: orNull(Type.String({ maxLength: SHOWN_NAME_MAX })),
  colour: orNull(Type.String({ maxLength: 7 })),
  support_url: orNull(Type.String({ maxLength: LINK_MAX })),
  privacy_url: orNull(Type.String({ maxLength: LINK_MAX })),
  logo: Type.Optional(
    orNull(
      Type.String({
        description: 'Base64; null for none. Left out: as it is.',
        maxLength: Math.ceil(LOGO_BYTES_MAX / 3) * 4 + 4,
        pattern: '^[A-Za-z0-9+/]+={0,2}$',
      }),
    ),
  ),
}

export const BrandingDraft = Type.Object(DRAFT, { additionalProperties: false })
export type BrandingDraft = Static<typeof BrandingDraft>

export const PreviewBranding = Type.Object(
  { ...DRAFT, language: Language, step: oneOf('waiting', 'completed', 'declined'), phone: Type.Boolean() },
  { additionalProperties: false },
)
export type PreviewBranding = Static<typeof PreviewBranding>

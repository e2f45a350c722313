// The look of a realm's hosted page: name, logo, colour, and links to support and privacy policy.

import { createHash } from 'node:crypto'
import {
  type BRANDING_PROBLEMS,
  LINK_MAX,
  LOGO_BYTES_MAX,
  SHOWN_NAME_MAX,
} from '../../../../../../wire/values/branding.ts'
import { COLOUR } from './colour.ts'
import { cleanPng, isPng } from './png.ts'
import { cleanSvg } from './svg.ts'

const LOGO_TYPES = ['image/svg+xml', 'image/png'] as const
type LogoType = (typeof LOGO_TYPES)[number]

export interface Branding {
  /** null: the tenant's own name. */
  readonly name: string | null
  readonly colour: string | null
  readonly supportUrl: string | null
  readonly privacyUrl: string | null
  /** Its hash; the image itself is read where it is shown. */
  readonly logo: string | null
}

export interface Logo {
  readonly type: LogoType
  readonly bytes: Buffer
  readonly hash: string
}

export const NO_BRANDING: Branding = { name: null, colour: null, supportUrl: null, privacyUrl: null, logo: null }

export type BrandingProblem = (typeof BRANDING_PROBLEMS)[number]

/** A requested change; the logo: 'keep' as it is, null for none, or bytes. */
export interface BrandingDraft extends Omit<Branding, 'logo'> {
  readonly logo: 'keep' | Uint8Array | null
}

type ReadDraft =
  | { readonly outcome: 'read'; readonly branding: Omit<Branding, 'logo'>; readonly logo: 'keep' | Logo | null }
  | { readonly outcome: 'refused'; readonly problem: BrandingProblem; readonly what: string | null }

export function readDraft({ logo: given, ...draft }: BrandingDraft): ReadDraft {
  const { name, colour, supportUrl, privacyUrl } = draft
  const refused = (problem: BrandingProblem) => ({ outcome: 'refused', problem, what: null }) as const
  if (name !== null && !isShownName(name)) return refused('name')
  if (colour !== null && !new RegExp(COLOUR).test(colour)) return refused('colour')
  if (supportUrl !== null && !isLink(supportUrl)) return refused('support_url')
  if (privacyUrl !== null && !isLink(privacyUrl)) return refused('privacy_url')
  if (given === null || given === 'keep') return { outcome: 'read', branding: draft, logo: given }
  const logo = readLogo(given)
  return 'problem' in logo ? { outcome: 'refused', ...logo } : { outcome: 'read', branding: draft, logo }
}

/** Has visible characters, and none that could reverse the surrounding text. */
function isShownName(name: string): boolean {
  return (
    name.length <= SHOWN_NAME_MAX && /^[^\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}]+$/u.test(name) && /[\p{L}\p{N}]/u.test(name)
  )
}

/** https, without credentials in it. */
function isLink(text: string): boolean {
  const url = text.length <= LINK_MAX && !/[\s\p{Cc}]/u.test(text) ? URL.parse(text) : null
  return url !== null && url.protocol === 'https:' && url.username === '' && url.password === ''
}

function readLogo(given: Uint8Array): Logo | { readonly problem: BrandingProblem; readonly what: string | null } {
  if (given.length > LOGO_BYTES_MAX) return { problem: 'logo_too_large', what: null }
  if (isPng(given)) {
    const bytes = cleanPng(given)
    return bytes === null ? { problem: 'logo_not_a_picture', what: null } : logoOf('image/png', bytes)
  }
  const svg = cleanSvg(given)
  if (svg.outcome === 'clean') return logoOf('image/svg+xml', svg.bytes)
  return svg.problem === 'not_svg'
    ? { problem: 'logo_not_a_picture', what: null }
    : { problem: 'logo_forbidden', what: svg.what }
}

function logoOf(type: LogoType, bytes: Buffer): Logo {
  return { type, bytes, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 32) }
}

/** As JSON. */
export function renderBranding({ name, colour, supportUrl, privacyUrl, logo }: Branding) {
  return { name, colour, support_url: supportUrl, privacy_url: privacyUrl, logo }
}

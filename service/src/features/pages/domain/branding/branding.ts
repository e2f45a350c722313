// The look of a realm on the hosted page, the till and its customer screen.

import { createHash } from 'node:crypto'
import {
  type BRANDING_PROBLEMS,
  FONTS,
  HELP_TEXT_MAX,
  LINK_MAX,
  LOGO_BYTES_MAX,
  RADII,
  SHOWN_NAME_MAX,
} from '../../../../../../wire/values/branding.ts'
import { COLOUR } from './colour.ts'
import { cleanPng, isPng } from './png.ts'
import { cleanSvg } from './svg.ts'

const LOGO_TYPES = ['image/svg+xml', 'image/png'] as const
type LogoType = (typeof LOGO_TYPES)[number]

export type Radius = (typeof RADII)[number]
export type Font = (typeof FONTS)[number]

interface Look {
  /** null: the tenant's own name. */
  readonly name: string | null
  /** The colour of buttons, links and marks. */
  readonly colour: string | null
  /** The background of the page, around the card. */
  readonly background: string | null
  readonly radius: Radius | null
  readonly font: Font | null
  readonly supportUrl: string | null
  readonly privacyUrl: string | null
  /** Shown where a verification ends without a result. */
  readonly helpText: string | null
}

/** The members that determine the stylesheet and the logos. */
export type BrandLook = Pick<Branding, 'colour' | 'background' | 'radius' | 'font' | 'logo' | 'logoDark'>

export interface Branding extends Look {
  /** The hash of the image. The image is loaded where it is shown. */
  readonly logo: string | null
  /** For dark screens; null: dark screens show `logo`. */
  readonly logoDark: string | null
}

export interface Logo {
  readonly type: LogoType
  readonly bytes: Buffer
  readonly hash: string
}

export interface Logos {
  readonly logo: Logo | null
  readonly logoDark: Logo | null
}

export const NO_BRANDING: Branding = {
  name: null,
  colour: null,
  background: null,
  radius: null,
  font: null,
  supportUrl: null,
  privacyUrl: null,
  helpText: null,
  logo: null,
  logoDark: null,
}

export type BrandingProblem = (typeof BRANDING_PROBLEMS)[number]

/** A logo: 'keep' keeps the current one, null removes it, bytes replace it. */
type Upload = 'keep' | Uint8Array | null

/** A requested change. */
export interface BrandingDraft extends Look {
  readonly logo: Upload
  readonly logoDark: Upload
}

/** 'keep' keeps the current logo. */
export interface ReadLogos {
  readonly logo: 'keep' | Logo | null
  readonly logoDark: 'keep' | Logo | null
}

type Refused = { readonly outcome: 'refused'; readonly problem: BrandingProblem; readonly what: string | null }

type ReadDraft = { readonly outcome: 'read'; readonly look: Look; readonly logos: ReadLogos } | Refused

export function readDraft({ logo, logoDark, ...look }: BrandingDraft): ReadDraft {
  const problem = problemOf(look)
  if (problem !== null) return refused({ problem, what: null })
  const [light, dark] = [readUpload(logo), readUpload(logoDark)]
  if (light !== null && light !== 'keep' && 'problem' in light) return refused(light)
  if (dark !== null && dark !== 'keep' && 'problem' in dark) return refused(dark)
  return { outcome: 'read', look, logos: { logo: light, logoDark: dark } }
}

const refused = (found: Omit<Refused, 'outcome'>): Refused => ({ outcome: 'refused', ...found })

function problemOf(look: Look): BrandingProblem | null {
  const isColour = (text: string | null) => text === null || new RegExp(COLOUR).test(text)
  const isLinkOrNone = (text: string | null) => text === null || isLink(text)
  if (look.name !== null && !isShownText(look.name, SHOWN_NAME_MAX)) return 'name'
  if (!isColour(look.colour)) return 'colour'
  if (!isColour(look.background)) return 'background'
  if (look.radius !== null && !RADII.includes(look.radius)) return 'radius'
  if (look.font !== null && !FONTS.includes(look.font)) return 'font'
  if (!isLinkOrNone(look.supportUrl)) return 'support_url'
  if (!isLinkOrNone(look.privacyUrl)) return 'privacy_url'
  if (look.helpText !== null && !isShownText(look.helpText, HELP_TEXT_MAX)) return 'help_text'
  return null
}

const readUpload = (upload: Upload) => (upload === null || upload === 'keep' ? upload : readLogo(upload))

/** Whether the text has visible characters, and no characters that could reverse the surrounding text. */
function isShownText(text: string, lengthMax: number): boolean {
  return text.length <= lengthMax && /^[^\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}]+$/u.test(text) && /[\p{L}\p{N}]/u.test(text)
}

/** https, without credentials. */
function isLink(text: string): boolean {
  const url = text.length <= LINK_MAX && !/[\s\p{Cc}]/u.test(text) ? URL.parse(text) : null
  return url !== null && url.protocol === 'https:' && url.username === '' && url.password === ''
}

function readLogo(upload: Uint8Array): Logo | { readonly problem: BrandingProblem; readonly what: string | null } {
  if (upload.length > LOGO_BYTES_MAX) return { problem: 'logo_too_large', what: null }
  if (isPng(upload)) {
    const bytes = cleanPng(upload)
    return bytes === null ? { problem: 'logo_not_a_picture', what: null } : logoOf('image/png', bytes)
  }
  const svg = cleanSvg(upload)
  // Written with escapes, a text may be six times as long.
  if (svg.outcome === 'clean' && svg.bytes.length > LOGO_BYTES_MAX) return { problem: 'logo_too_large', what: null }
  if (svg.outcome === 'clean') return logoOf('image/svg+xml', svg.bytes)
  return svg.problem === 'not_svg'
    ? { problem: 'logo_not_a_picture', what: null }
    : { problem: 'logo_forbidden', what: svg.what }
}

function logoOf(type: LogoType, bytes: Buffer): Logo {
  return { type, bytes, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 32) }
}

/** As JSON. */
export function renderBranding({ supportUrl, privacyUrl, helpText, logoDark, ...same }: Branding) {
  const { name, colour, background, radius, font, logo } = same
  return {
    name,
    colour,
    background,
    radius,
    font,
    support_url: supportUrl,
    privacy_url: privacyUrl,
    help_text: helpText,
    logo,
    logo_dark: logoDark,
  }
}

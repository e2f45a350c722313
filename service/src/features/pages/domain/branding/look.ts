// Encodes a look in an address. All values come from closed lists, so that no text of a merchant reaches a stylesheet.

import { FONTS, RADII } from '../../../../../../wire/values/branding.ts'
import type { BrandLook, Font, Radius } from './branding.ts'

export interface StyledLook {
  readonly colour: string | null
  readonly background: string | null
  readonly radius: Radius
  readonly font: Font
}

const NONE = 'x'
export const DEFAULT_LOOK = { radius: 'large', font: 'inter' } as const

/** In pixels: the corners of a card, of a button and of smaller boxes. */
export const CORNERS: Readonly<Record<Radius, readonly [card: number, button: number, box: number]>> = {
  none: [0, 0, 0],
  small: [6, 4, 4],
  medium: [12, 8, 8],
  large: [20, 14, 12],
}

/** The fallback is shown until the font is loaded, in mail programs, and for other scripts. */
export const FONT_FAMILIES: Readonly<
  Record<Exclude<Font, 'system'>, { readonly family: string; readonly fallback: string }>
> = {
  inter: { family: 'Inter', fallback: 'sans-serif' },
  nunito: { family: 'Nunito', fallback: 'sans-serif' },
  source_serif: { family: 'Source Serif 4', fallback: 'serif' },
  atkinson: { family: 'Atkinson Hyperlegible Next', fallback: 'sans-serif' },
}

const COLOUR_PART = `(?:[0-9a-f]{6}|${NONE})`
export const LOOK = `^${COLOUR_PART}-${COLOUR_PART}-(?:${RADII.join('|')})-(?:${FONTS.join('|')})$`

/** Returns null if nothing differs from the default. */
export function lookNameOf({ colour, background, radius, font }: BrandLook): string | null {
  const [corners, letters] = [radius ?? DEFAULT_LOOK.radius, font ?? DEFAULT_LOOK.font]
  const isPlain =
    colour === null && background === null && corners === DEFAULT_LOOK.radius && letters === DEFAULT_LOOK.font
  return isPlain ? null : [partOf(colour), partOf(background), corners, letters].join('-')
}

const partOf = (colour: string | null) => colour?.slice(1) ?? NONE

export function readLook(name: string): StyledLook | null {
  if (!new RegExp(LOOK).test(name)) return null
  const [colour = NONE, background = NONE, corners, letters] = name.split('-')
  const colourOf = (part: string) => (part === NONE ? null : `#${part}`)
  return {
    colour: colourOf(colour),
    background: colourOf(background),
    radius: RADII.find((one) => one === corners) ?? DEFAULT_LOOK.radius,
    font: FONTS.find((one) => one === letters) ?? DEFAULT_LOOK.font,
  }
}

// A brand's colour on our pages. As a background it stays as it is, with black or white text, whichever reads better;
// as text it is darkened or lightened until it is readable (WCAG 2.2, 1.4.3: 4.5 to 1).

interface BrandColours {
  /** The background of a button, and the text on it. */
  readonly background: string
  readonly onBackground: string
  /** Links and marks, on light and on dark cards. */
  readonly onLight: string
  readonly onDark: string
}

/** Six digits: `#1f5f5b`. */
export const COLOUR = '^#[0-9a-f]{6}$'
export const CONTRAST_MIN = 4.5

/** The backgrounds in page.css for such text: the darkest light one and the brightest dark one. */
export const LIGHT_GROUND = '#eef1ef'
export const DARK_GROUND = '#212a27'
/** One of the two is always readable: pure black and white, nothing in between. */
const INK = '#000000'
const PAPER = '#ffffff'

const STEPS = 50

export function brandColours(colour: string): BrandColours {
  return {
    background: colour,
    onBackground: contrast(colour, PAPER) >= contrast(colour, INK) ? PAPER : INK,
    onLight: readable(colour, LIGHT_GROUND, '#000000'),
    onDark: readable(colour, DARK_GROUND, '#ffffff'),
  }
}

/** As little towards black or white as needed. */
function readable(colour: string, background: string, towards: string): string {
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mix(colour, towards, step / STEPS)
    if (contrast(mixed, background) >= CONTRAST_MIN) return mixed
  }
  return towards
}

/** 1 to 21. */
export function contrast(a: string, b: string): number {
  const [one, other] = [luminance(a), luminance(b)]
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mix(colour: string, towards: string, share: number): string {
  const goal = channels(towards)
  const mixed = channels(colour).map((value, at) => Math.round(value + ((goal[at] ?? 0) - value) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

const channels = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

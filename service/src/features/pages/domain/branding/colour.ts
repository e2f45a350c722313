// Derives a brand's colours for light and dark pages, with the contrast of WCAG 2.2 level AA.

/**
 * WCAG requires a contrast of 4.5 to 1 for text (1.4.3), so its colour is made darker or lighter as needed. A button
 * keeps its colour and gets a border of 3 to 1 (1.4.11).
 */
export interface ThemeColours {
  /** The button has the brand's colour as background. `onButton` is its text, `edge` its border. */
  readonly onButton: string
  readonly edge: string
  /** `accent`: links and marks on the card. `onAccent`: the text of a button with `accent` as background. */
  readonly accent: string
  readonly onAccent: string
}

interface Ground {
  readonly ground: string
  /** Text directly on the page's background. */
  readonly onGround: string
}

type Theme = 'light' | 'dark'
type ByTheme<T> = Readonly<Record<Theme, T>>

/** Six digits: `#1f5f5b`. */
export const COLOUR = '^#[0-9a-f]{6}$'
export const CONTRAST_MIN = 4.5
export const BUTTON_CONTRAST_MIN = 3

/** The backgrounds of text in page.css: the darkest one of the light theme and the brightest one of the dark theme. */
export const LIGHT_GROUND = '#eef1ef'
export const DARK_GROUND = '#212a27'
/** The text of a button is black or white. One of the two is always readable. */
const INK = '#000000'
const PAPER = '#ffffff'

/** The colours of page.css. */
export const CARDS: ByTheme<string> = { light: '#ffffff', dark: '#181f1d' }
const NIGHT = '#101514'
const SOFT: ByTheme<string> = { light: '#55625e', dark: '#a9b6b1' }
/** How much of NIGHT is mixed into the page background on a dark screen. */
const DIMMED = 0.88

const STEPS = 50

export function brandColours(colour: string): ByTheme<ThemeColours> {
  const light = coloursOf(colour, { card: CARDS.light, textOn: LIGHT_GROUND, towards: INK })
  const dark = coloursOf(colour, { card: CARDS.dark, textOn: DARK_GROUND, towards: PAPER })
  return { light, dark }
}

function coloursOf(
  colour: string,
  { card, textOn, towards }: { readonly card: string; readonly textOn: string; readonly towards: string },
): ThemeColours {
  const edge = withContrast(colour, { on: card, towards, least: BUTTON_CONTRAST_MIN })
  const accent = withContrast(colour, { on: textOn, towards, least: CONTRAST_MIN })
  return { onButton: textOnColour(colour), edge, accent, onAccent: textOnColour(accent) }
}

export function pageColours(background: string): ByTheme<Ground> {
  const grounds = { light: background, dark: mix(background, NIGHT, DIMMED) }
  const onGround = (theme: Theme) =>
    withContrast(SOFT[theme], { on: grounds[theme], towards: textOnColour(grounds[theme]), least: CONTRAST_MIN })
  return {
    light: { ground: grounds.light, onGround: onGround('light') },
    dark: { ground: grounds.dark, onGround: onGround('dark') },
  }
}

export interface Correction {
  readonly theme: Theme
  readonly part: 'button' | 'text'
  /** The colour that the page shows instead of the chosen one. */
  readonly colour: string
}

/** Returns where a chosen colour has too little contrast. */
export function correctionsOf(chosen: string): readonly Correction[] {
  const colours = brandColours(chosen)
  const shown = (['light', 'dark'] as const).flatMap((theme) => [
    { theme, part: 'button', colour: colours[theme].edge } as const,
    { theme, part: 'text', colour: colours[theme].accent } as const,
  ])
  return shown.filter(({ colour }) => colour !== chosen)
}

const textOnColour = (colour: string) => (contrast(colour, PAPER) >= contrast(colour, INK) ? PAPER : INK)

/** Moves a colour towards black or white until it has enough contrast, and no further. */
function withContrast(
  colour: string,
  { on, towards, least }: { readonly on: string; readonly towards: string; readonly least: number },
): string {
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mix(colour, towards, step / STEPS)
    if (contrast(mixed, on) >= least) return mixed
  }
  return towards
}

/** From 1 (the same colour) to 21 (black on white). */
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

// The look of a mail: the service's own, or that of the tenant that sends it.

/** In each member, null means the service's own colour. */
interface BrandTheme {
  readonly button: string | null
  readonly onButton: string | null
  readonly edge: string | null
  readonly ground: string | null
  readonly onGround: string | null
}

/** A tenant's brand. Its contrasts are checked when it is read. */
export interface MailBrand {
  readonly font: { readonly family: string; readonly fallback: string } | null
  readonly cardRadius: number
  readonly buttonRadius: number
  readonly light: BrandTheme
  readonly dark: BrandTheme
  /** PNG. */
  readonly logo: Buffer | null
  readonly logoDark: Buffer | null
}

interface Theme {
  readonly ground: string
  readonly onGround: string
  readonly card: string
  readonly line: string
  readonly text: string
  readonly soft: string
  readonly button: string
  readonly onButton: string
  readonly edge: string
}

export interface MailLook {
  readonly font: string
  readonly cardRadius: number
  readonly buttonRadius: number
  readonly light: Theme
  readonly dark: Theme
}

const SYSTEM_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif'
/** Cards and text are as on the hosted page, for which a brand's contrasts are computed. */
const LIGHT: Theme = {
  ground: '#eef1ef',
  onGround: '#55625e',
  card: '#ffffff',
  line: '#d9dfdc',
  text: '#17211f',
  soft: '#55625e',
  button: '#1f5f5b',
  onButton: '#ffffff',
  edge: '#1f5f5b',
}
const DARK: Theme = {
  ground: '#101514',
  onGround: '#a9b6b1',
  card: '#181f1d',
  line: '#35413d',
  text: '#e9efec',
  soft: '#a9b6b1',
  button: '#7fd0c7',
  onButton: '#06211f',
  edge: '#7fd0c7',
}

export function lookOf(brand: MailBrand | null): MailLook {
  if (brand === null) return { font: SYSTEM_FONT, cardRadius: 16, buttonRadius: 10, light: LIGHT, dark: DARK }
  const { font, cardRadius, buttonRadius, light, dark } = brand
  return {
    // Mail programs load no fonts. They use this one if the reader has it.
    font:
      font === null ? SYSTEM_FONT : `"${font.family}", ${font.fallback === 'serif' ? 'Georgia, serif' : SYSTEM_FONT}`,
    cardRadius,
    buttonRadius,
    light: themeOf(LIGHT, light),
    dark: themeOf(DARK, dark),
  }
}

const themeOf = (plain: Theme, { button, onButton, edge, ground, onGround }: BrandTheme): Theme => ({
  ...plain,
  button: button ?? plain.button,
  onButton: onButton ?? plain.onButton,
  edge: edge ?? plain.edge,
  ground: ground ?? plain.ground,
  onGround: onGround ?? plain.onGround,
})

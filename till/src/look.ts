// The merchant's look: a stylesheet and logos for light and dark screens, from this service only.

import { el } from './dom.ts'

export interface Look {
  readonly style: string | null
  readonly logo: string | null
  readonly logoDark: string | null
}

export const NO_LOOK: Look = { style: null, logo: null, logoDark: null }

const STYLE = /^\/assets\/brand\/[a-z0-9_-]{1,80}\/till\.css$/
const LOGO = /^\/assets\/logo\/[\w-]{1,80}\/(?:test|live)\/[0-9a-f]{32}$/

/** Ignores other values. The previous release sends no look. */
export function readLook(value: unknown): Look {
  const { style, logo, logo_dark: dark, logoDark = dark } = (value ?? {}) as Readonly<Record<string, unknown>>
  return { style: addressIn(style, STYLE), logo: addressIn(logo, LOGO), logoDark: addressIn(logoDark, LOGO) }
}

const addressIn = (value: unknown, pattern: RegExp) => (typeof value === 'string' && pattern.test(value) ? value : null)

export function wearLook({ style }: Look): void {
  const current = document.querySelector<HTMLLinkElement>('link[data-look]')
  if ((current?.getAttribute('href') ?? null) === style) return
  current?.remove()
  if (style !== null) document.head.append(el('link', { rel: 'stylesheet', href: style, 'data-look': '' }))
}

/** Empty without a logo: the name is shown as text. */
export function logoView({ logo, logoDark }: Look): readonly Node[] {
  const shown = logo ?? logoDark
  if (shown === null) return []
  const image = el('img', { class: 'logo', src: shown, alt: '' })
  if (logo === null || logoDark === null) return [image]
  return [el('picture', {}, el('source', { srcset: logoDark, media: '(prefers-color-scheme: dark)' }), image)]
}

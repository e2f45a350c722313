// The fonts that a merchant can choose, from npm packages: variable, Latin and Latin Extended.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import type { Font } from '../domain/branding/branding.ts'
import { FONT_FAMILIES } from '../domain/branding/look.ts'

type ShippedFont = Exclude<Font, 'system'>

interface FontSource {
  /** Returns the path of the font's package. */
  readonly manifest: () => string
  readonly file: string
  readonly weights: string
}

const SOURCES: Readonly<Record<ShippedFont, FontSource>> = {
  inter: {
    manifest: () => import.meta.resolve('@fontsource-variable/inter/package.json'),
    file: 'inter',
    weights: '100 900',
  },
  nunito: {
    manifest: () => import.meta.resolve('@fontsource-variable/nunito/package.json'),
    file: 'nunito',
    weights: '200 1000',
  },
  source_serif: {
    manifest: () => import.meta.resolve('@fontsource-variable/source-serif-4/package.json'),
    file: 'source-serif-4',
    weights: '200 900',
  },
  atkinson: {
    manifest: () => import.meta.resolve('@fontsource-variable/atkinson-hyperlegible-next/package.json'),
    file: 'atkinson-hyperlegible-next',
    weights: '200 800',
  },
}

/** A browser loads the second file only if a text needs it, for example for a Polish name. */
const SUBSETS = {
  latin:
    'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
  'latin-ext':
    'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+0304,U+0308,U+0329,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
} as const
type Subset = keyof typeof SUBSETS

interface FontFile {
  readonly path: string
  readonly bytes: Buffer
}

const loaded = new Map<string, Promise<FontFile>>()

function loadFont(font: ShippedFont, subset: Subset): Promise<FontFile> {
  const key = `${font}-${subset}`
  const known = loaded.get(key)
  if (known !== undefined) return known
  const reading = readFont(font, subset).catch((error) => {
    loaded.delete(key)
    throw error
  })
  loaded.set(key, reading)
  return reading
}

async function readFont(font: ShippedFont, subset: Subset): Promise<FontFile> {
  const { manifest, file } = SOURCES[font]
  const bytes = await readFile(new URL(`files/${file}-${subset}-wght-normal.woff2`, manifest()))
  const version = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  return { path: `/assets/fonts/${font}/${subset}/${version}.woff2`, bytes }
}

export const fontFamily = (font: ShippedFont) => `'${FONT_FAMILIES[font].family}', ${FONT_FAMILIES[font].fallback}`

/** The fallback shows the text until the font is loaded. */
export async function fontFaces(font: ShippedFont): Promise<string> {
  const { weights } = SOURCES[font]
  const { family } = FONT_FAMILIES[font]
  const faces = (Object.keys(SUBSETS) as Subset[]).map(async (subset) => {
    const { path } = await loadFont(font, subset)
    return `@font-face{font-family:'${family}';font-style:normal;font-display:swap;font-weight:${weights};src:url(${path}) format('woff2');unicode-range:${SUBSETS[subset]}}\n`
  })
  return (await Promise.all(faces)).join('')
}

export function addFonts(routes: App, deps: Deps): void {
  const params = Type.Object({ font: Type.String(), subset: Type.String(), file: Type.String() })
  const schema = { hide: true, params }
  routes.get('/assets/fonts/:font/:subset/:file', { ...withoutKey(deps), schema }, async (request, reply) => {
    const { font, subset } = request.params
    if (!isFont(font) || !isSubset(subset)) throw new Refusal('not_found')
    const { path, bytes } = await loadFont(font, subset)
    if (path !== request.url.split('?')[0]) throw new Refusal('not_found')
    return sendFont(reply, bytes)
  })
}

/** Any page may load the font, because the preview in the dashboard has an origin of its own. */
const sendFont = (reply: FastifyReply, bytes: Buffer) =>
  reply
    .header('Cache-Control', 'public, max-age=31536000, immutable')
    .header('Access-Control-Allow-Origin', '*')
    .header('Cross-Origin-Resource-Policy', 'cross-origin')
    .type('font/woff2')
    .send(bytes)

const isFont = (text: string): text is ShippedFont => Object.hasOwn(SOURCES, text)
const isSubset = (text: string): text is Subset => Object.hasOwn(SUBSETS, text)

// Serves /assets/brand/{look}/, a stylesheet for hosted page and till. The address alone determines it.

import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import type { BrandLook } from '../domain/branding/branding.ts'
import { brandColours, pageColours, type ThemeColours } from '../domain/branding/colour.ts'
import { CORNERS, DEFAULT_LOOK, LOOK, lookNameOf, readLook, type StyledLook } from '../domain/branding/look.ts'
import { fontFaces, fontFamily } from './fonts.ts'

type Target = 'page' | 'till'

export function stylePathOf(branding: BrandLook, target: Target): string | null {
  const name = lookNameOf(branding)
  return name === null ? null : `/assets/brand/${name}/${target}.css`
}

export function addBrandStyles(routes: App, deps: Deps): void {
  const schema = { hide: true, params: Type.Object({ look: Type.String({ pattern: LOOK }) }) }
  for (const target of ['page', 'till'] as const)
    routes.get(`/assets/brand/:look/${target}.css`, { ...withoutKey(deps), schema }, async (request, reply) => {
      const look = readLook(request.params.look)
      if (look === null) throw new Refusal('not_found')
      // Cached for a day only, because the next release may build another stylesheet for the same address.
      return reply
        .header('Cache-Control', 'public, max-age=86400')
        .type('text/css; charset=utf-8')
        .send(await styleOf(look, target))
    })
}

const SYSTEM_FONT = "system-ui, -apple-system, 'Segoe UI', sans-serif"

type Rules = Readonly<Record<'both' | 'light' | 'dark', readonly string[]>>

async function styleOf(look: StyledLook, target: Target): Promise<string> {
  const { font } = look
  // The page's own stylesheet already has the default font; the till's does not.
  const isThere = target === 'page' && font === DEFAULT_LOOK.font
  const faces = font === 'system' || isThere ? '' : await fontFaces(font)
  const rules = rulesOf(look, target)
  // Browsers on old tablets do not support light-dark(). A preview has a fixed theme, which a media query would ignore.
  if (target === 'till')
    return `${faces}:root{${[...rules.both, ...rules.light].join(';')}}\n@media (prefers-color-scheme: dark){:root{${rules.dark.join(';')}}}\n`
  const pairs = rules.light.map((rule, at) => {
    const [name = '', light = ''] = rule.split(':')
    return `${name}:light-dark(${light},${(rules.dark[at] ?? '').split(':')[1] ?? light})`
  })
  return `${faces}:root{${[...rules.both, ...pairs].join(';')}}\n`
}

function rulesOf({ colour, background, radius, font }: StyledLook, target: Target): Rules {
  const [card, button, box] = CORNERS[radius]
  const family = `--font:${font === 'system' ? SYSTEM_FONT : fontFamily(font)}`
  const themed = (theme: 'light' | 'dark') => [
    ...(colour === null ? [] : colourRules(colour, brandColours(colour)[theme], target)),
    // The till shows text directly on its background, so a brand does not change that background.
    ...(background === null || target === 'till' ? [] : groundRules(pageColours(background)[theme])),
  ]
  return {
    both: [`--r-card:${card}px`, `--r-button:${button}px`, `--r-box:${box}px`, family],
    light: themed('light'),
    dark: themed('dark'),
  }
}

/** On the till many buttons have no fill, so buttons use the accent colour, which is readable as text. */
function colourRules(colour: string, colours: ThemeColours, target: Target): readonly string[] {
  const { onButton, edge, accent, onAccent } = colours
  return target === 'till'
    ? [`--accent:${accent}`, `--on-accent:${onAccent}`]
    : [`--brand:${colour}`, `--on-brand:${onButton}`, `--edge:${edge}`, `--accent:${accent}`]
}

const groundRules = ({ ground, onGround }: ReturnType<typeof pageColours>['light']) => [
  `--ground:${ground}`,
  `--on-ground:${onGround}`,
]

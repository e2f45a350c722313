// Reads a merchant's look for its mails: colours with checked contrast, corners, font and logos.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import type { Environment } from '../../../platform/world.ts'
import { type Branding, type Logo, NO_BRANDING } from '../domain/branding/branding.ts'
import { brandColours, pageColours } from '../domain/branding/colour.ts'
import { CORNERS, FONT_FAMILIES } from '../domain/branding/look.ts'
import { readBranding, readLogos } from './manage-branding.ts'

/** Returns the look of the first of these environments that has a brand; null: none has one. */
export async function readMailLook(deps: Pick<Deps, 'db'>, tenantId: string, environments: readonly Environment[]) {
  for (const environment of environments) {
    const look = await readLook(deps, { tenantId, environment })
    if (look !== null) return look
  }
  return null
}

async function readLook(deps: Pick<Deps, 'db'>, realm: Realm) {
  const branding = await readBranding(deps, realm)
  if (branding === NO_BRANDING) return null
  const { logo, logoDark } = await readLogos(deps, realm)
  const [cardRadius, buttonRadius] = CORNERS[branding.radius ?? 'large']
  return {
    font: branding.font === null || branding.font === 'system' ? null : FONT_FAMILIES[branding.font],
    cardRadius,
    buttonRadius,
    light: themeOf(branding, 'light'),
    dark: themeOf(branding, 'dark'),
    logo: asImage(logo),
    logoDark: asImage(logoDark),
  }
}

function themeOf({ colour, background }: Branding, theme: 'light' | 'dark') {
  const { onButton, edge } = colour === null ? { onButton: null, edge: null } : brandColours(colour)[theme]
  const { ground, onGround } = background === null ? { ground: null, onGround: null } : pageColours(background)[theme]
  return { button: colour, onButton, edge, ground, onGround }
}

/** Mail programs show no SVG. */
const asImage = (logo: Logo | null) => (logo?.type === 'image/png' ? logo.bytes : null)

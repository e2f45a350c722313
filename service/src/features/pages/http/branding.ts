// Routes for staff: read and change the hosted page's branding, and preview a change.

import type { BrandingDraft as DraftBody } from '../../../../../wire/branding.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/index.ts'
import {
  type Branding,
  type BrandingDraft,
  type Logos,
  NO_BRANDING,
  readDraft,
  renderBranding,
} from '../domain/branding/branding.ts'
import { correctionsOf } from '../domain/branding/colour.ts'
import { changeBranding, readBranding, readLogos } from '../usecases/manage-branding.ts'
import { loadAssets } from './assets.ts'
import { dataUrlOf, drawSample } from './sample-page.ts'

/** Enough for two logos in base64. */
const BODY_BYTES_MAX = 192 * 1024

export function addBrandingRoutes(app: App, deps: Deps): void {
  app.register(async (routes: App) => {
    const assets = await loadAssets()
    routes.route({
      ...permitted(deps, 'GET @/branding'),
      handler: async (request) => {
        const { realm } = staffOf(request)
        return withLogos(await readBranding(deps, realm), await readLogos(deps, realm))
      },
    })
    routes.route({
      ...permitted(deps, 'POST @/branding'),
      bodyLimit: BODY_BYTES_MAX,
      handler: async (request) => {
        const { realm, actor } = staffOf(request)
        const change = await changeBranding(deps, { realm, actor, draft: (now) => draftOf(request.body, now) })
        if (change.outcome === 'no_tenant') throw new Refusal('not_found')
        if (change.outcome === 'refused') return change
        return { outcome: change.outcome, branding: withLogos(change.branding, await readLogos(deps, realm)) }
      },
    })
    routes.route({
      ...permitted(deps, 'POST @/branding/preview'),
      bodyLimit: BODY_BYTES_MAX,
      handler: async (request) => {
        const { realm } = staffOf(request)
        const { language, step, phone, theme = 'light', ...body } = request.body
        const read = readDraft(draftOf(body, NO_BRANDING))
        if (read.outcome === 'refused') return read
        const stored = await readLogos(deps, realm)
        const { logo, logoDark } = read.logos
        const logos = {
          logo: logo === 'keep' ? stored.logo : logo,
          logoDark: logoDark === 'keep' ? stored.logoDark : logoDark,
        }
        const look = { branding: { ...read.look, logo: null, logoDark: null }, logos }
        const { colour } = read.look
        return {
          outcome: 'shown',
          html: await drawSample(deps, assets, { realm, look, step, language, phone, theme }),
          corrections: colour === null ? [] : [...correctionsOf(colour)],
        } as const
      },
    })
  })
}

/** Members that the body omits stay unchanged. */
function draftOf(body: DraftBody, now: Branding): BrandingDraft {
  return {
    name: body.name,
    colour: body.colour,
    background: body.background === undefined ? now.background : body.background,
    radius: body.radius === undefined ? now.radius : body.radius,
    font: body.font === undefined ? now.font : body.font,
    supportUrl: body.support_url,
    privacyUrl: body.privacy_url,
    helpText: body.help_text === undefined ? now.helpText : body.help_text,
    logo: uploadOf(body.logo),
    logoDark: uploadOf(body.logo_dark),
  }
}

const uploadOf = (logo: string | null | undefined) =>
  logo === undefined ? 'keep' : logo === null ? null : Buffer.from(logo, 'base64')

const withLogos = (branding: Branding, { logo, logoDark }: Logos) => ({
  ...renderBranding(branding),
  logo: dataUrlOf(logo),
  logo_dark: dataUrlOf(logoDark),
})

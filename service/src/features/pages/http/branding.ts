// Routes for the hosted page's branding, for staff: read it, change it, and preview a change as the page itself renders it.

import type { BrandingDraft as DraftBody } from '../../../../../wire/branding.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/index.ts'
import { type Branding, type BrandingDraft, type Logo, readDraft, renderBranding } from '../domain/branding/branding.ts'
import { changeBranding, readBranding, readLogo } from '../usecases/manage-branding.ts'
import { loadAssets } from './assets.ts'
import { dataUrlOf, drawSample } from './sample-page.ts'

/** A logo in base64, and the rest. */
const BODY_BYTES_MAX = 128 * 1024

export function addBrandingRoutes(app: App, deps: Deps): void {
  app.register(async (routes: App) => {
    const assets = await loadAssets()
    routes.route({
      ...permitted(deps, 'GET @/branding'),
      handler: async (request) => {
        const { realm } = staffOf(request)
        return withLogo(await readBranding(deps, realm), await readLogo(deps, realm))
      },
    })
    routes.route({
      ...permitted(deps, 'POST @/branding'),
      bodyLimit: BODY_BYTES_MAX,
      handler: async (request) => {
        const { realm, actor } = staffOf(request)
        const change = await changeBranding(deps, { realm, actor, draft: () => draftOf(request.body) })
        if (change.outcome === 'no_tenant') throw new Refusal('not_found')
        if (change.outcome === 'refused') return change
        return { outcome: change.outcome, branding: withLogo(change.branding, await readLogo(deps, realm)) }
      },
    })
    routes.route({
      ...permitted(deps, 'POST @/branding/preview'),
      bodyLimit: BODY_BYTES_MAX,
      handler: async (request) => {
        const { realm } = staffOf(request)
        const { language, step, phone, ...body } = request.body
        const read = readDraft(draftOf(body))
        if (read.outcome === 'refused') return read
        const logo = read.logo === 'keep' ? await readLogo(deps, realm) : read.logo
        const look = { branding: { ...read.branding, logo: null }, logo }
        return {
          outcome: 'shown',
          html: await drawSample(deps, assets, { realm, look, step, language, phone }),
        } as const
      },
    })
  })
}

function draftOf(body: DraftBody): BrandingDraft {
  const { name, colour, support_url: supportUrl, privacy_url: privacyUrl, logo } = body
  const given = logo === undefined ? 'keep' : logo === null ? null : Buffer.from(logo, 'base64')
  return { name, colour, supportUrl, privacyUrl, logo: given }
}

const withLogo = (branding: Branding, logo: Logo | null) => ({ ...renderBranding(branding), logo: dataUrlOf(logo) })

// How the hosted page looks, for the staff: as it is, a change, and what a change would look like, as the page itself draws it.

import { Type } from 'typebox'
import { LANGUAGES } from '../../../../../labels/catalogue.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import { Answer, oneOf, orNull, Part, RealmParams } from '../../staff/http/fields.ts'
import {
  BRANDING_PROBLEMS,
  type Branding,
  type BrandingDraft,
  LINK_MAX,
  LOGO_BYTES_MAX,
  type Logo,
  readDraft,
  renderBranding,
  SHOWN_NAME_MAX,
} from '../domain/branding/branding.ts'
import { changeBranding, readBranding, readLogo } from '../usecases/manage-branding.ts'
import { loadAssets } from './assets.ts'
import { dataUrlOf, drawSample } from './sample-page.ts'

const BRANDING = {
  name: orNull(Type.String()),
  colour: orNull(Type.String()),
  support_url: orNull(Type.String()),
  privacy_url: orNull(Type.String()),
  logo: orNull(Type.String({ description: 'As a data: address' })),
}
const BrandingAnswer = Answer('Branding', BRANDING)

const Refused = Part({
  outcome: Type.Literal('refused'),
  problem: oneOf(...BRANDING_PROBLEMS),
  what: orNull(Type.String({ description: 'What in the logo is refused' })),
})
const Change = Type.Union([Part({ outcome: Type.Literal('changed'), branding: BrandingAnswer }), Refused], {
  $id: 'BrandingChange',
})
const Preview = Type.Union([Part({ outcome: Type.Literal('shown'), html: Type.String() }), Refused], {
  $id: 'BrandingPreview',
})

const DRAFT = {
  name: orNull(Type.String({ maxLength: SHOWN_NAME_MAX })),
  colour: orNull(Type.String({ maxLength: 7 })),
  support_url: orNull(Type.String({ maxLength: LINK_MAX })),
  privacy_url: orNull(Type.String({ maxLength: LINK_MAX })),
  logo: Type.Optional(
    orNull(
      Type.String({
        description: 'Base64; null for none. Left out: as it is.',
        maxLength: Math.ceil(LOGO_BYTES_MAX / 3) * 4 + 4,
        pattern: '^[A-Za-z0-9+/]+={0,2}$',
      }),
    ),
  ),
}
const Draft = Type.Object(DRAFT, { additionalProperties: false })
const PreviewBody = Type.Object(
  { ...DRAFT, language: oneOf(...LANGUAGES), step: oneOf('waiting', 'completed', 'declined'), phone: Type.Boolean() },
  { additionalProperties: false },
)
/** A logo in base64, and the rest. */
const BODY_BYTES_MAX = 128 * 1024

export function addBrandingRoutes(app: App, deps: Deps): void {
  app.register(async (routes: App) => {
    const assets = await loadAssets()
    routes.route({
      ...permitted(deps, 'GET @/branding'),
      schema: { hide: true, params: RealmParams, response: { 200: BrandingAnswer } },
      handler: async (request) => {
        const { realm } = staffOf(request)
        return withLogo(await readBranding(deps, realm), await readLogo(deps, realm))
      },
    })
    routes.route({
      ...permitted(deps, 'POST @/branding'),
      bodyLimit: BODY_BYTES_MAX,
      schema: { hide: true, params: RealmParams, body: Draft, response: { 200: Change } },
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
      schema: { hide: true, params: RealmParams, body: PreviewBody, response: { 200: Preview } },
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

function draftOf(body: Type.Static<typeof Draft>): BrandingDraft {
  const { name, colour, support_url: supportUrl, privacy_url: privacyUrl, logo } = body
  const given = logo === undefined ? 'keep' : logo === null ? null : Buffer.from(logo, 'base64')
  return { name, colour, supportUrl, privacyUrl, logo: given }
}

const withLogo = (branding: Branding, logo: Logo | null) => ({ ...renderBranding(branding), logo: dataUrlOf(logo) })

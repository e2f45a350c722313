// A preview of the hosted page, rendered by the page's own code with a sample request and without scripts.

import type { Language } from '../../../../../labels/catalogue.ts'
import { resolveQuestion } from '../../../core/templates/domain/question.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { findTenant } from '../../../core/tenants/usecases/manage-tenants.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Branding, Logo, Logos } from '../domain/branding/branding.ts'
import { readBranding, readLogos } from '../usecases/manage-branding.ts'
import { type HostedVerification, type ShownQuestion, shownQuestion } from '../usecases/read-hosted-page.ts'
import type { Assets } from './assets.ts'
import { brandOf, type LogoUrls } from './brand.ts'
import { renderPage } from './layout.ts'
import { verificationPage } from './verification-page.ts'

export interface Sample {
  readonly realm: Realm
  readonly language: Language
  readonly phone: boolean
  /** Default: the current branding. */
  readonly look?: { readonly branding: Branding; readonly logos: Logos }
  /** Default: the theme that the reader has chosen on the device. */
  readonly theme?: 'light' | 'dark'
  readonly step?: HostedVerification['step']
  /** Default: a request for an age. */
  readonly shown?: ShownQuestion
}

export async function drawSample(deps: Pick<Deps, 'db' | 'clock'>, assets: Assets, sample: Sample): Promise<string> {
  const { realm, language, phone, step = 'waiting', shown = AGE } = sample
  const tenant = await findTenant(deps, realm.tenantId)
  if (tenant === null) throw new Refusal('not_found')
  const look = sample.look ?? { branding: await readBranding(deps, realm), logos: await readLogos(deps, realm) }
  const nowMs = deps.clock.now()
  const page = verificationPage(
    { ...NOBODY_ASKED, ...shown, ...realm, step, merchant: tenant.name, expiresAtMs: nowMs + SAMPLE_MS, nowMs },
    {
      language,
      brand: brandOf(look.branding, tenant.name, logoUrls(look.logos, sample.theme)),
      sandbox: false,
      onPhone: phone,
      isPreview: true,
      mustHold: false,
      mayKnowReason: true,
    },
  )
  return renderPage(
    assets,
    { ...page, ...(sample.theme === undefined ? {} : { theme: sample.theme }) },
    { scripts: false },
  )
}

/** A preview with a fixed theme gets only that theme's logo, because a media query would follow the reader's device. */
function logoUrls({ logo, logoDark }: Logos, theme: Sample['theme']): LogoUrls {
  if (theme !== undefined)
    return { logoUrl: dataUrlOf(theme === 'dark' ? (logoDark ?? logo) : logo), darkLogoUrl: null }
  return { logoUrl: dataUrlOf(logo), darkLogoUrl: dataUrlOf(logoDark) }
}

export const dataUrlOf = (logo: Logo | null) =>
  logo === null ? null : `data:${logo.type};base64,${logo.bytes.toString('base64')}`

const SAMPLE_MS = 300_000

const AGE: ShownQuestion = {
  registered: null,
  ...shownQuestion(resolveQuestion({ template: 'age_over_18', purpose: null, query: null, outputs: null })),
}

const NOBODY_ASKED = {
  id: 'preview',
  status: 'pending',
  purpose: null,
  transaction: [],
  agreesTo: null,
  walletUri: 'openid4vp://?client_id=preview&request_uri=preview',
  sameDeviceUri: 'openid4vp://?client_id=preview&request_uri=preview',
  ageUri: null,
  origin: 'https://preview.invalid',
  asksInBrowser: false,
  merchantSite: 'https://preview.invalid/',
  onward: null,
  reason: null,
  takesOtherDevices: true,
  browser: { browserBinding: 'none', browserHash: null, isSignIn: false, hasOwnOrigin: false, setting: 'none' },
} as const

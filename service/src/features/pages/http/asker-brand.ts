// Loads the brand of the merchant that asks. The logos' addresses are below the verification's address.

import type { Deps } from '../../../deps.ts'
import { readBranding } from '../usecases/manage-branding.ts'
import type { HostedVerification } from '../usecases/read-hosted-page.ts'
import { type Brand, brandOf } from './brand.ts'

export async function brandOfAsker(deps: Pick<Deps, 'db'>, verification: HostedVerification): Promise<Brand> {
  const branding = await readBranding(deps, verification)
  const addressOf = (hash: string | null) => (hash === null ? null : `/verify/${verification.id}/logo?v=${hash}`)
  const { logo, logoDark } = branding
  return brandOf(branding, verification.merchant, { logoUrl: addressOf(logo), darkLogoUrl: addressOf(logoDark) })
}

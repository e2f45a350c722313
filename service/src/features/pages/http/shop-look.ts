// A merchant's look for its tills and customer screens: stylesheet and logos, at addresses that these apps can load.

import { Type } from 'typebox'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { isEnvironment } from '../../../platform/world.ts'
import type { BrandLook } from '../domain/branding/branding.ts'
import { readLogos } from '../usecases/manage-branding.ts'
import { stylePathOf } from './brand-style.ts'
import { sendLogo } from './logo.ts'

export function shopLookOf(realm: Realm, look: BrandLook) {
  const { tenantId, environment } = realm
  const addressOf = (hash: string | null) => (hash === null ? null : `/assets/logo/${tenantId}/${environment}/${hash}`)
  return { style: stylePathOf(look, 'till'), logo: addressOf(look.logo), logo_dark: addressOf(look.logoDark) }
}

/** Serves a logo at an address with its hash, which strangers cannot guess. */
export function addShopLogos(routes: App, deps: Deps): void {
  const params = Type.Object({ tenant: Type.String(), environment: Type.String(), hash: Type.String() })
  const schema = { hide: true, params }
  routes.get('/assets/logo/:tenant/:environment/:hash', { ...withoutKey(deps), schema }, async (request, reply) => {
    const { tenant, environment, hash } = request.params
    if (!isEnvironment(environment)) throw new Refusal('not_found')
    const { logo, logoDark } = await readLogos(deps, { tenantId: tenant, environment })
    const found = [logo, logoDark].find((one) => one?.hash === hash)
    if (found === undefined || found === null) throw new Refusal('not_found')
    return sendLogo(reply, found)
  })
}

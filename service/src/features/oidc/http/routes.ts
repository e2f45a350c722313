// Adds the routes under /oidc/{tenant}/{environment}. Each realm with a client is an OpenID issuer.

import { takeFormsOnly } from '../../../core/verifications/http/wallet/form.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { loadAssets } from '../../pages/index.ts'
import { addAuthorizeRoutes } from './authorize.ts'
import { addDiscoveryRoutes } from './discovery.ts'
import { addFinishRoutes } from './finish.ts'
import { addPushRoutes } from './par.ts'
import { addTokenRoutes } from './token.ts'

export function addOidcRoutes(app: App, deps: Deps): void {
  app.register(async (routes: App) => {
    takeFormsOnly(routes)
    const assets = await loadAssets()
    addDiscoveryRoutes(routes, deps)
    addAuthorizeRoutes(routes, deps, assets)
    addFinishRoutes(routes, deps, assets)
    addPushRoutes(routes, deps)
    addTokenRoutes(routes, deps)
  })
}

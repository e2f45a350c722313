// /oidc/{tenant}/{environment}: each realm that has a client is an OpenID provider.

import type { Deps } from '../../deps.ts'
import type { App } from '../app.ts'
import { loadAssets } from '../pages/assets.ts'
import { takeFormsOnly } from '../wallet/form.ts'
import { addAuthorizeRoutes } from './authorize.ts'
import { addDiscoveryRoutes } from './discovery.ts'
import { addFinishRoutes } from './finish.ts'
import { addTokenRoutes } from './token.ts'

export function addOidcRoutes(app: App, deps: Deps): void {
  app.register(async (routes: App) => {
    takeFormsOnly(routes)
    const assets = await loadAssets()
    addDiscoveryRoutes(routes, deps)
    addAuthorizeRoutes(routes, deps, assets)
    addFinishRoutes(routes, deps, assets)
    addTokenRoutes(routes, deps)
  })
}

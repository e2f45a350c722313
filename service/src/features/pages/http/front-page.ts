// Redirects the front page to the dashboard, and serves the icon.

import type { Deps } from '../../../deps.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'

export function addFrontPage(app: App, deps: Deps): void {
  const route = { ...withoutKey(deps), schema: { hide: true } }
  app.get('/', route, async (_request, reply) => reply.redirect('/dashboard', 302))
  app.get('/favicon.ico', route, async (_request, reply) =>
    reply.header('Cache-Control', 'public, max-age=86400').redirect('/dashboard/icon.svg', 302),
  )
}

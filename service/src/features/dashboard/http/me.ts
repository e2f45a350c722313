// Routes of the signed-in person: tenants, passkeys, password, other sessions.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { instantOf } from '../../../platform/world.ts'
import {
  addPasskey,
  choosePassword,
  endOtherSessions,
  freshUntilMs,
  permitted,
  preparePasskey,
  readMe,
  removePasskey,
  visitorOf,
} from '../../staff/index.ts'
import { TERMS } from './terms.ts'

export function addMeRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET /me'),
    handler: async (request) => {
      const { person, session } = visitorOf(request)
      const freshUntil = freshUntilMs(session)
      const { tenants, passkeys, hasPassword, hasOidc } = await readMe(deps, person.id)
      return {
        id: person.id,
        email: person.email,
        signed_in_with: session.method,
        fresh_until: freshUntil === null ? null : instantOf(freshUntil),
        has_password: hasPassword,
        has_oidc: hasOidc,
        tenants: tenants.map(({ tenantId, tenantName, role }) => ({ id: tenantId, name: tenantName, role })),
        passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
          id,
          name,
          created_at: createdAt,
          last_used_at: lastUsedAt,
        })),
        service: {
          base_url: deps.config.baseUrl,
          sandbox: deps.sandbox !== null,
          haip: deps.config.haip,
          mail: deps.config.mail !== null,
          oidc: deps.oidc?.name ?? null,
        },
        terms: TERMS,
      }
    },
  })
  app.route({
    ...permitted(deps, 'POST /me/password'),
    handler: async (request) => {
      const { session } = visitorOf(request)
      const { password } = request.body
      await choosePassword(deps, { session, password })
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST /me/sessions/end-others'),
    handler: async (request) => ({ ended: await endOtherSessions(deps, visitorOf(request).session) }),
  })
  addPasskeyRoutes(app, deps)
}

function addPasskeyRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'POST /me/passkeys/options'),
    handler: async (request) => preparePasskey(deps, visitorOf(request).person),
  })
  app.route({
    ...permitted(deps, 'POST /me/passkeys'),
    handler: async (request) => {
      const { name, response } = request.body
      await addPasskey(deps, { session: visitorOf(request).session, name, response })
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST /me/passkeys/remove'),
    handler: async (request) => {
      if (!(await removePasskey(deps, visitorOf(request).session, request.body.id))) throw new Refusal('not_found')
      return {}
    },
  })
}

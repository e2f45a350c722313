// The person who is signed in: tenants, passkeys, password, other sessions.

import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { freshUntilMs } from '../../domain/staff/session.ts'
import { instantOf } from '../../domain/world.ts'
import { endOtherSessions } from '../../usecases/staff/dashboard-sessions.ts'
import { readMe } from '../../usecases/staff/read-me.ts'
import { addPasskey, offerPasskey, removePasskey } from '../../usecases/staff/sign-in-with-passkey.ts'
import { choosePassword } from '../../usecases/staff/sign-in-with-password.ts'
import type { App } from '../app.ts'
import { permitted, visitorOf } from './access.ts'
import { Empty, Line, Name } from './fields.ts'

export function addMeRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET /me'),
    schema: { hide: true },
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
          oidc: deps.oidc?.name ?? null,
        },
      }
    },
  })
  app.route({
    ...permitted(deps, 'POST /me/password'),
    schema: {
      hide: true,
      body: Type.Object({ password: Type.String({ minLength: 1, maxLength: 1024 }) }, { additionalProperties: false }),
    },
    handler: async (request) => {
      const { session } = visitorOf(request)
      const { password } = request.body
      await choosePassword(deps, { session, password })
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST /me/sessions/end-others'),
    schema: { hide: true, body: Empty },
    handler: async (request) => ({ ended: await endOtherSessions(deps, visitorOf(request).session) }),
  })
  addPasskeyRoutes(app, deps)
}

function addPasskeyRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'POST /me/passkeys/options'),
    schema: { hide: true, body: Empty },
    handler: async (request) => offerPasskey(deps, visitorOf(request).person),
  })
  app.route({
    ...permitted(deps, 'POST /me/passkeys'),
    schema: {
      hide: true,
      body: Type.Object({ name: Name, response: Type.Object({}) }, { additionalProperties: false }),
    },
    handler: async (request) => {
      const { name, response } = request.body
      await addPasskey(deps, { session: visitorOf(request).session, name, response })
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST /me/passkeys/remove'),
    schema: {
      hide: true,
      body: Type.Object({ id: Line(1400) }, { additionalProperties: false }),
    },
    handler: async (request) => {
      if (!(await removePasskey(deps, visitorOf(request).session, request.body.id))) throw new Refusal('not_found')
      return {}
    },
  })
}

// The person who is signed in: tenants, passkeys, password, other sessions.

import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { instantOf } from '../../../platform/world.ts'
import { freshUntilMs } from '../../staff/domain/session.ts'
import { permitted, visitorOf } from '../../staff/http/access.ts'
import {
  Answer,
  Count,
  Done,
  Empty,
  Instant,
  Line,
  List,
  Name,
  oneOf,
  orNull,
  Part,
  Role,
} from '../../staff/http/fields.ts'
import { endOtherSessions } from '../../staff/usecases/dashboard-sessions.ts'
import { readMe } from '../../staff/usecases/read-me.ts'
import { addPasskey, preparePasskey, removePasskey } from '../../staff/usecases/sign-in-with-passkey.ts'
import { choosePassword } from '../../staff/usecases/sign-in-with-password.ts'
import { TERMS, Terms } from './terms.ts'

const Me = Answer('Me', {
  id: Type.String(),
  email: Type.String(),
  signed_in_with: oneOf('password', 'passkey', 'link', 'oidc'),
  fresh_until: orNull(Instant),
  has_password: Type.Boolean(),
  has_oidc: Type.Boolean({ description: 'Bound to somebody at the provider that is configured' }),
  tenants: List(Part({ id: Type.String(), name: Type.String(), role: Role })),
  passkeys: List(Part({ id: Type.String(), name: Type.String(), created_at: Instant, last_used_at: orNull(Instant) })),
  service: Part({
    base_url: Type.String(),
    sandbox: Type.Boolean(),
    haip: Type.Boolean(),
    oidc: orNull(Type.String({ description: 'What the provider is called' })),
  }),
  terms: Terms,
})

/** What a browser's navigator.credentials.create() is given (WebAuthn §5.1.8). */
const PasskeyCreation = Answer('PasskeyCreation', {
  rp: Part({ name: Type.String(), id: Type.Optional(Type.String()) }),
  user: Part({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  challenge: Type.String(),
  pubKeyCredParams: List(Part({ alg: Type.Integer(), type: Type.Literal('public-key') })),
  timeout: Type.Optional(Count),
  attestation: Type.Optional(oneOf('none', 'indirect', 'direct', 'enterprise')),
  excludeCredentials: Type.Optional(List(Part({ id: Type.String(), type: Type.String() }))),
  authenticatorSelection: Type.Optional(
    Part({
      residentKey: Type.Optional(oneOf('required', 'preferred', 'discouraged')),
      requireResidentKey: Type.Optional(Type.Boolean()),
      userVerification: Type.Optional(oneOf('required', 'preferred', 'discouraged')),
    }),
  ),
  extensions: Type.Optional(Part({ credProps: Type.Optional(Type.Boolean()) })),
  hints: Type.Optional(List(oneOf('hybrid', 'security-key', 'client-device'))),
})

export function addMeRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET /me'),
    schema: { hide: true, response: { 200: Me } },
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
        terms: TERMS,
      }
    },
  })
  app.route({
    ...permitted(deps, 'POST /me/password'),
    schema: {
      hide: true,
      body: Type.Object({ password: Type.String({ minLength: 1, maxLength: 1024 }) }, { additionalProperties: false }),
      response: { 200: Done },
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
    schema: { hide: true, body: Empty, response: { 200: Part({ ended: Count }) } },
    handler: async (request) => ({ ended: await endOtherSessions(deps, visitorOf(request).session) }),
  })
  addPasskeyRoutes(app, deps)
}

function addPasskeyRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'POST /me/passkeys/options'),
    schema: { hide: true, body: Empty, response: { 200: PasskeyCreation } },
    handler: async (request) => preparePasskey(deps, visitorOf(request).person),
  })
  app.route({
    ...permitted(deps, 'POST /me/passkeys'),
    schema: {
      hide: true,
      body: Type.Object({ name: Name, response: Type.Object({}) }, { additionalProperties: false }),
      response: { 200: Done },
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
      response: { 200: Done },
    },
    handler: async (request) => {
      if (!(await removePasskey(deps, visitorOf(request).session, request.body.id))) throw new Refusal('not_found')
      return {}
    },
  })
}

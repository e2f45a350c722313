// The team's own routes: members, roles, invitations.

import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import {
  changeRole,
  type Invitation,
  invite,
  readTeam,
  removeMember,
  withdrawInvitation,
} from '../../usecases/staff/manage-team.ts'
import type { App } from '../app.ts'
import { permitted, staffOf } from './access.ts'
import { Empty, oneOf, RealmAndId, RealmParams } from './fields.ts'

const Email = Type.String({ maxLength: 320 })
const OfEmail = Type.Object({ email: Email }, { additionalProperties: false })

export function addTeamRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/team'),
    schema: { hide: true, params: RealmParams },
    handler: async (request) => {
      const { members, invitations } = await readTeam(deps, staffOf(request).realm.tenantId)
      return {
        members: members.map(({ id, email, role, joinedAt, hasPasskey, lastSeenAt }) => ({
          id,
          email,
          role,
          joined_at: joinedAt,
          has_passkey: hasPasskey,
          last_seen_at: lastSeenAt,
        })),
        invitations: invitations.map(({ email, role, expiresAt, invitedBy }) => ({
          email,
          role,
          expires_at: expiresAt,
          invited_by: invitedBy,
        })),
      }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/team/invite'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object({ email: Email, role: oneOf('owner', 'admin', 'viewer') }, { additionalProperties: false }),
    },
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { email, role } = request.body
      const invitation = await invite(deps, { tenantId: realm.tenantId, email, role, actor, byOperator: false })
      return reply.code(201).send(renderInvitation(invitation))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/team/invitations/again'),
    schema: { hide: true, params: RealmParams, body: OfEmail },
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { email } = request.body
      const made = { tenantId: realm.tenantId, email, role: 'as_before', actor, byOperator: false } as const
      return reply.code(201).send(renderInvitation(await invite(deps, made)))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/team/invitations/withdraw'),
    schema: { hide: true, params: RealmParams, body: OfEmail },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const { email } = request.body
      if (!(await withdrawInvitation(deps, { tenantId: realm.tenantId, email, actor }))) throw new Refusal('not_found')
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST @/team/:id/role'),
    schema: {
      hide: true,
      params: RealmAndId,
      body: Type.Object({ role: oneOf('owner', 'admin', 'viewer') }, { additionalProperties: false }),
    },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const input = { tenantId: realm.tenantId, personId: request.params.id, role: request.body.role, actor }
      if (!(await changeRole(deps, input))) throw new Refusal('not_found')
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST @/team/:id/remove'),
    schema: { hide: true, params: RealmAndId, body: Empty },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeMember(deps, { tenantId: realm.tenantId, personId: request.params.id, actor }))) {
        throw new Refusal('not_found')
      }
      return {}
    },
  })
}

function renderInvitation(invitation: Invitation | null) {
  if (invitation === null) throw new Refusal('not_found')
  return { url: invitation.url, email: invitation.email, expires_at: invitation.expiresAt }
}

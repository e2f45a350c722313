// The team's own routes: members, roles, invitations.

import { Type } from 'typebox'
import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import type { App } from '../../../../platform/http/app.ts'
import { type Invitation, renderInvitation, renderOpenInvitation } from '../../domain/invitation.ts'
import { ROLES, renderMember } from '../../domain/person.ts'
import { changeRole, invite, readTeam, removeMember, withdrawInvitation } from '../../usecases/manage-team.ts'
import { permitted, staffOf } from '../access.ts'
import { Answer, Done, Empty, Instant, List, oneOf, orNull, Part, RealmAndId, RealmParams, Role } from '../fields.ts'

const Email = Type.String({ maxLength: 320 })
const OfEmail = Type.Object({ email: Email }, { additionalProperties: false })

const Team = Answer('Team', {
  members: List(
    Part({
      id: Type.String(),
      email: Type.String(),
      role: Role,
      joined_at: Instant,
      has_passkey: Type.Boolean(),
      last_seen_at: orNull(Instant),
    }),
  ),
  invitations: List(
    Part({
      email: Type.String(),
      role: Role,
      expires_at: Instant,
      invited_by: orNull(Type.String({ description: 'The address of who did' })),
    }),
  ),
})
const Invited = Answer('Invitation', {
  url: Type.String({ description: 'Shown only here' }),
  email: Type.String(),
  expires_at: Instant,
})

export function addTeamRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/team'),
    schema: { hide: true, params: RealmParams, response: { 200: Team } },
    handler: async (request) => {
      const { members, invitations } = await readTeam(deps, staffOf(request).realm.tenantId)
      return { members: members.map(renderMember), invitations: invitations.map(renderOpenInvitation) }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/team/invite'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object({ email: Email, role: oneOf(...ROLES) }, { additionalProperties: false }),
      response: { 201: Invited },
    },
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { email, role } = request.body
      const invitation = await invite(deps, { tenantId: realm.tenantId, email, role, actor, byOperator: false })
      return reply.code(201).send(made(invitation))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/team/invitations/again'),
    schema: { hide: true, params: RealmParams, body: OfEmail, response: { 201: Invited } },
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { email } = request.body
      const again = { tenantId: realm.tenantId, email, role: 'as_before', actor, byOperator: false } as const
      return reply.code(201).send(made(await invite(deps, again)))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/team/invitations/withdraw'),
    schema: { hide: true, params: RealmParams, body: OfEmail, response: { 200: Done } },
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
      body: Type.Object({ role: oneOf(...ROLES) }, { additionalProperties: false }),
      response: { 200: Done },
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
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Done } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeMember(deps, { tenantId: realm.tenantId, personId: request.params.id, actor }))) {
        throw new Refusal('not_found')
      }
      return {}
    },
  })
}

function made(invitation: Invitation | null) {
  if (invitation === null) throw new Refusal('not_found')
  return renderInvitation(invitation)
}

// Team routes: members, roles, invitations.

import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import type { App } from '../../../../platform/http/app.ts'
import { type Invitation, renderInvitation, renderOpenInvitation } from '../../domain/invitation.ts'
import { renderMember } from '../../domain/person.ts'
import { changeRole, invite, readTeam, removeMember, withdrawInvitation } from '../../usecases/manage-team.ts'
import { permitted, staffOf } from '../access.ts'
import { languageOf } from './page-language.ts'

export function addTeamRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/team'),
    handler: async (request) => {
      const { members, invitations } = await readTeam(deps, staffOf(request).realm.tenantId)
      return { members: members.map(renderMember), invitations: invitations.map(renderOpenInvitation) }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/team/invite'),
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { email, role } = request.body
      const invitation = {
        tenantId: realm.tenantId,
        email,
        role,
        actor,
        byOperator: false,
        mailIn: languageOf(request),
      }
      return reply.code(201).send(requireInvitation(await invite(deps, invitation)))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/team/invitations/again'),
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { email } = request.body
      const invitation = { tenantId: realm.tenantId, email, actor, byOperator: false, mailIn: languageOf(request) }
      return reply.code(201).send(requireInvitation(await invite(deps, { ...invitation, role: 'as_before' })))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/team/invitations/withdraw'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const { email } = request.body
      if (!(await withdrawInvitation(deps, { tenantId: realm.tenantId, email, actor }))) throw new Refusal('not_found')
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST @/team/:id/role'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const input = { tenantId: realm.tenantId, personId: request.params.id, role: request.body.role, actor }
      if (!(await changeRole(deps, input))) throw new Refusal('not_found')
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST @/team/:id/remove'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeMember(deps, { tenantId: realm.tenantId, personId: request.params.id, actor }))) {
        throw new Refusal('not_found')
      }
      return {}
    },
  })
}

function requireInvitation(invitation: Invitation | null) {
  if (invitation === null) throw new Refusal('not_found')
  return { ...renderInvitation(invitation), mail: invitation.mail }
}

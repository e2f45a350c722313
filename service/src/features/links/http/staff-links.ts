// Defines the routes of links in the dashboard: list, create, replace, revoke.

import { Type } from 'typebox'
import { addWarnings } from '../../../core/registrations/http/registration-warning.ts'
import { REFERENCE } from '../../../core/verifications/domain/reference.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { parsePageBound } from '../../../platform/http/bounds/page-bound.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { PAGE_SIZE, payAsStaff, permitted, schemaOf, staffOf } from '../../staff/index.ts'
import { createLink } from '../usecases/create-link.ts'
import { readLinkPage } from '../usecases/read-links.ts'
import { replaceLink } from '../usecases/replace-link.ts'
import { revokeLink } from '../usecases/revoke-link.ts'

export function addStaffLinkRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/links'),
    schema: {
      ...schemaOf('GET @/links'),
      querystring: Type.Object(
        { before: Type.Optional(Type.String({ maxLength: 40 })) },
        { additionalProperties: false },
      ),
    },
    handler: async (request) => {
      const { before } = request.query
      const bound = before === undefined ? null : parsePageBound(before)
      const staff = staffOf(request)
      const pay = (bytes: number) => payAsStaff(deps, staff, bytes)
      return readLinkPage(deps, staff.realm, { limit: PAGE_SIZE, before: bound, pay })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/links'),
    handler: async (request, reply) => {
      const { realm, person } = staffOf(request)
      const { reference, idempotency_key: key, ...rest } = request.body
      const { answer, warnings } = await createLink(deps, {
        principal: { kind: 'user', personId: person.id, scopes: ['verifications:create'], ...realm },
        body: {
          ...rest,
          ...(reference === undefined ? {} : { metadata: { [REFERENCE]: reference } }),
        },
        // Contains the person's id, so that it never equals a key of the merchant's system.
        idempotencyKey: `staff/${person.id}/${key}`,
      })
      addWarnings(reply, warnings)
      return sendJson(reply, 201, answer)
    },
  })
  app.route({
    ...permitted(deps, 'POST @/links/:id/replace'),
    handler: async (request, reply) => {
      const { realm, person } = staffOf(request)
      const { answer, warnings } = await replaceLink(deps, {
        principal: { kind: 'user', personId: person.id, scopes: ['verifications:create'], ...realm },
        id: request.params.id,
      })
      addWarnings(reply, warnings)
      return sendJson(reply, 201, JSON.stringify(answer))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/links/:id/revoke'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      await revokeLink(deps, { realm, id: request.params.id, actor })
      return {}
    },
  })
}

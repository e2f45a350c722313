// Where the tenant may ask through the browser: its pages, proven by their hosts.

import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { type Origin, PROOF_PATH } from '../../domain/tenant/origin.ts'
import { addOrigin, readOrigins, removeOrigin } from '../../usecases/origins/manage-origins.ts'
import { proveOrigin } from '../../usecases/origins/prove-origin.ts'
import type { App } from '../app.ts'
import { permitted, staffOf } from './access.ts'
import { Empty, Line, RealmAndId, RealmParams } from './fields.ts'

export function addOriginRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/origins'),
    schema: { hide: true, params: RealmParams },
    handler: async (request) => ({ data: (await readOrigins(deps, staffOf(request).realm)).map(render) }),
  })
  app.route({
    ...permitted(deps, 'POST @/origins'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object({ origin: Line(2048) }, { additionalProperties: false }),
    },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const added = await addOrigin(deps, { realm, origin: request.body.origin, actor })
      return added.outcome === 'refused' ? added : { outcome: added.outcome, origin: render(added.origin) }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/origins/:id/prove'),
    schema: { hide: true, params: RealmAndId, body: Empty },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const outcome = await proveOrigin(deps, { realm, id: request.params.id, actor })
      if (outcome === 'not_found') throw new Refusal('not_found')
      return { outcome }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/origins/:id/remove'),
    schema: { hide: true, params: RealmAndId, body: Empty },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeOrigin(deps, { realm, id: request.params.id, actor }))) throw new Refusal('not_found')
      return {}
    },
  })
}

function render({ id, origin, kind, token, provenAt }: Origin) {
  const proof = kind === 'web' ? { url: `${origin}${PROOF_PATH}`, line: token } : null
  return { id, origin, kind, proven_at: provenAt, proof }
}

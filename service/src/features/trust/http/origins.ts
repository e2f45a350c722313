// Defines the routes for the web origins on which a tenant may ask through the browser.

import { type Origin, PROOF_PATH } from '../../../core/tenants/domain/origin.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/index.ts'
import { addOrigin, readOrigins, removeOrigin } from '../usecases/origins/manage-origins.ts'
import { proveOrigin } from '../usecases/origins/prove-origin.ts'

export function addOriginRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/origins'),
    handler: async (request) => ({ data: (await readOrigins(deps, staffOf(request).realm)).map(render) }),
  })
  app.route({
    ...permitted(deps, 'POST @/origins'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const added = await addOrigin(deps, { realm, origin: request.body.origin, actor })
      return added.outcome === 'refused' ? added : { outcome: added.outcome, origin: render(added.origin) }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/origins/:id/prove'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const outcome = await proveOrigin(deps, { realm, id: request.params.id, actor })
      if (outcome === 'not_found') throw new Refusal('not_found')
      return { outcome }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/origins/:id/remove'),
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

// Routes for the merchant's own keys, to which results are encrypted.

import type { ResultKey } from '../../../core/result-keys/domain/result-key.ts'
import {
  addResultKey,
  challengeResultKey,
  proveResultKey,
  readResultKeys,
  removeResultKey,
} from '../../../core/result-keys/usecases/manage-result-keys.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/index.ts'

export function addResultKeyRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/result-keys'),
    handler: async (request) => ({ data: (await readResultKeys(deps, staffOf(request).realm)).map(render) }),
  })
  app.route({
    ...permitted(deps, 'POST @/result-keys'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const added = await addResultKey(deps, { realm, jwk: request.body.jwk, actor })
      return added.outcome === 'refused' ? added : { ...added, key: render(added.key) }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/result-keys/:id/challenge'),
    handler: async (request) => {
      const { realm } = staffOf(request)
      const challenge = await challengeResultKey(deps, { realm, id: request.params.id })
      if (challenge.outcome === 'not_found') throw new Refusal('not_found')
      return { challenge: challenge.outcome === 'proven' ? null : challenge.challenge }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/result-keys/:id/prove'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const { id } = request.params
      const outcome = await proveResultKey(deps, { realm, id, answer: request.body.answer, actor })
      if (outcome === 'not_found') throw new Refusal('not_found')
      return { outcome }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/result-keys/:id/remove'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeResultKey(deps, { realm, id: request.params.id, actor }))) throw new Refusal('not_found')
      return {}
    },
  })
}

function render({ id, kid, createdAt, provenAt }: ResultKey) {
  return { id, kid, created_at: createdAt, proven_at: provenAt }
}

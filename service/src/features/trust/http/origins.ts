// Where the tenant may ask through the browser: its pages, proven by their hosts.

import { Type } from 'typebox'
import { ORIGIN_KINDS, ORIGIN_PROBLEMS, type Origin, PROOF_PATH } from '../../../core/tenants/domain/origin.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import {
  Answer,
  Done,
  Empty,
  Enumeration,
  Instant,
  Line,
  List,
  oneOf,
  orNull,
  Part,
  RealmAndId,
  RealmParams,
} from '../../staff/http/fields.ts'
import { addOrigin, readOrigins, removeOrigin } from '../usecases/origins/manage-origins.ts'
import { PROOFS, proveOrigin } from '../usecases/origins/prove-origin.ts'

const Listed = Answer('Origin', {
  id: Type.String(),
  origin: Type.String(),
  kind: oneOf(...ORIGIN_KINDS),
  proven_at: orNull(Instant),
  proof: orNull(Part({ url: Type.String(), line: Type.String({ description: 'What the host must show there' }) })),
})
const Addition = Type.Union(
  [
    Part({ outcome: Type.Literal('added'), origin: Listed }),
    Part({ outcome: Type.Literal('refused'), problem: oneOf(...ORIGIN_PROBLEMS) }),
  ],
  { $id: 'OriginAddition' },
)
const Proof = Enumeration('OriginProof', PROOFS)

export function addOriginRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/origins'),
    schema: { hide: true, params: RealmParams, response: { 200: Part({ data: List(Listed) }) } },
    handler: async (request) => ({ data: (await readOrigins(deps, staffOf(request).realm)).map(render) }),
  })
  app.route({
    ...permitted(deps, 'POST @/origins'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object({ origin: Line(2048) }, { additionalProperties: false }),
      response: { 200: Addition },
    },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const added = await addOrigin(deps, { realm, origin: request.body.origin, actor })
      return added.outcome === 'refused' ? added : { outcome: added.outcome, origin: render(added.origin) }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/origins/:id/prove'),
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Part({ outcome: Proof }) } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const outcome = await proveOrigin(deps, { realm, id: request.params.id, actor })
      if (outcome === 'not_found') throw new Refusal('not_found')
      return { outcome }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/origins/:id/remove'),
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Done } },
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

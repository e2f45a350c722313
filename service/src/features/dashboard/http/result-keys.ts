// The merchant's own keys that results are encrypted to.

import { Type } from 'typebox'
import { JWK_LENGTH_MAX, RESULT_KEY_PROBLEMS, type ResultKey } from '../../../core/result-keys/domain/result-key.ts'
import {
  addResultKey,
  KEY_PROOFS,
  proveResultKey,
  readResultKeys,
  removeResultKey,
} from '../../../core/result-keys/usecases/manage-result-keys.ts'
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
  List,
  oneOf,
  orNull,
  Part,
  RealmAndId,
  RealmParams,
} from '../../staff/http/fields.ts'

const Listed = Answer('ResultKey', {
  id: Type.String(),
  kid: Type.String({ description: 'RFC 7638 thumbprint; results name it' }),
  created_at: Instant,
  proven_at: orNull(Instant),
})
const Addition = Type.Union(
  [
    Part({
      outcome: Type.Literal('added'),
      key: Listed,
      challenge: Type.String({ description: 'A compact JWE; what is in it proves the key' }),
    }),
    Part({ outcome: Type.Literal('refused'), problem: oneOf(...RESULT_KEY_PROBLEMS) }),
  ],
  { $id: 'ResultKeyAddition' },
)
const Proof = Enumeration('ResultKeyProof', KEY_PROOFS)
/** What a challenge carries is 43 characters long. */
const ANSWER_LENGTH_MAX = 100

export function addResultKeyRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/result-keys'),
    schema: { hide: true, params: RealmParams, response: { 200: Part({ data: List(Listed) }) } },
    handler: async (request) => ({ data: (await readResultKeys(deps, staffOf(request).realm)).map(render) }),
  })
  app.route({
    ...permitted(deps, 'POST @/result-keys'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object(
        { jwk: Type.String({ minLength: 1, maxLength: JWK_LENGTH_MAX }) },
        { additionalProperties: false },
      ),
      response: { 200: Addition },
    },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const added = await addResultKey(deps, { realm, jwk: request.body.jwk, actor })
      return added.outcome === 'refused' ? added : { ...added, key: render(added.key) }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/result-keys/:id/prove'),
    schema: {
      hide: true,
      params: RealmAndId,
      body: Type.Object(
        { answer: Type.String({ minLength: 1, maxLength: ANSWER_LENGTH_MAX }) },
        { additionalProperties: false },
      ),
      response: { 200: Part({ outcome: Proof }) },
    },
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
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Done } },
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

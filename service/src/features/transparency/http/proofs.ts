// What staff can show of a verification, and how the public log and its witnesses fare. It is verified in the page, not here.

import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import { Answer, Count, Instant, List, oneOf, orNull, Part, RealmAndId, RealmParams } from '../../staff/http/fields.ts'
import { readLogState, WITNESS_STATES } from '../usecases/diagnose-log.ts'
import { readReceiptFiles } from '../usecases/read-log.ts'

const LogState = Answer('LogState', {
  origin: orNull(Type.String({ description: 'Its name; null: nothing was signed yet' })),
  size: Count,
  signed_at: orNull(Instant),
  halted: Type.Boolean({ description: 'Nothing is signed any more: the operator knows why' }),
  key: Type.String({ description: 'As verifiers of signed notes take it' }),
  witnesses: List(
    Part({
      name: Type.String(),
      key: Type.String(),
      state: oneOf(...WITNESS_STATES),
      size: orNull(Count),
      asked_at: orNull(Instant),
      cosigned_at: orNull(Instant),
    }),
  ),
})
const ReceiptFiles = Answer('ReceiptFiles', {
  receipt: Type.String({ description: 'JWS' }),
  proof: orNull(Type.String({ description: 'C2SP tlog-proof; null: the receipt is not in the log yet' })),
})

export function addProofRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/log'),
    schema: { hide: true, params: RealmParams, response: { 200: LogState } },
    handler: () => readLogState(deps),
  })
  app.route({
    ...permitted(deps, 'GET @/verifications/:id/receipt'),
    schema: { hide: true, params: RealmAndId, response: { 200: ReceiptFiles } },
    handler: (request) => readReceiptFiles(deps, staffOf(request).realm, request.params.id),
  })
}

// Serves /v1/verifications/{id}/evidence: the evidence of a verdict, handed out once.

import { EvidenceDelivery } from '../../../../../wire/receipts.ts'
import { refusals } from '../../../core/http/envelope-schema.ts'
import { principalOf, withScope } from '../../../core/http/principal.ts'
import { AUTHENTICATED, IdParams } from '../../../core/verifications/http/merchant/verifications.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { collectEvidence } from '../usecases/collect-evidence.ts'

export function addEvidenceRoute(app: App, deps: Deps): void {
  app.post(
    '/v1/verifications/:id/evidence',
    {
      ...withScope(deps, 'verifications:delete'),
      schema: {
        operationId: 'collectEvidence',
        tags: ['Verifications'],
        summary: 'Collect the evidence bundle of a completed verification, once',
        description:
          'Only if the operator has recorded a legal basis for your company. The bundle is deleted when you collect it, and after a day in any case; then the response is 404 `evidence_not_found`. Until the receipt is in the public log, which takes about a minute, the response is 503 with `Retry-After`, and nothing is deleted.',
        params: IdParams,
        response: { 200: EvidenceDelivery, ...refusals(...AUTHENTICATED, 'session_not_found', 'evidence_not_found') },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'no-store')
      return collectEvidence(deps, { principal: principalOf(request), id: request.params.id })
    },
  )
}

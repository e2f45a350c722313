// /v1/verifications/{id}/transaction: what the holder was asked to agree to, as sent, and the proof that it was signed.

import { VerificationTransaction } from '../../../../../wire/verifications.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { refusals } from '../../http/envelope-schema.ts'
import { readerOf, withScope } from '../../http/principal.ts'
import { AUTHENTICATED, IdParams } from '../../verifications/http/merchant/verifications.ts'
import { readTransactionOf } from '../usecases/read-transaction.ts'

export function addTransactionRoute(app: App, deps: Deps): void {
  app.get(
    '/v1/verifications/:id/transaction',
    {
      ...withScope(deps, 'verifications:read'),
      schema: {
        operationId: 'getVerificationTransaction',
        tags: ['Verifications'],
        summary: 'Read what the holder was asked to agree to, and whether it was signed',
        description:
          'A verification that asks for agreement completes only when exactly this was signed. Forgetting the verification deletes this too.',
        params: IdParams,
        response: { 200: VerificationTransaction, ...refusals(...AUTHENTICATED, 'session_not_found') },
      },
    },
    async (request) => readTransactionOf(deps, { ...readerOf(deps, request), id: request.params.id }),
  )
}

// /v1/verifications/{id}/diagnostics: the course of a verification, without any of its content.

import { VerificationDiagnostics } from '../../../../../../wire/verifications.ts'
import type { Deps } from '../../../../deps.ts'
import type { App } from '../../../../platform/http/app.ts'
import { refusals } from '../../../http/envelope-schema.ts'
import { readerOf, withScope } from '../../../http/principal.ts'
import { readDiagnostics } from '../../usecases/reading/read-diagnostics.ts'
import { AUTHENTICATED, IdParams } from './verifications.ts'

export function addDiagnosticsRoute(app: App, deps: Deps): void {
  app.get(
    '/v1/verifications/:id/diagnostics',
    {
      ...withScope(deps, 'verifications:read'),
      schema: {
        operationId: 'getVerificationDiagnostics',
        tags: ['Verifications'],
        summary: 'Read the diagnostics: the channel of the answer, and the outcome of each check',
        description:
          'Contains no claims. The checks are deleted with the content, everything else with the verification. Later releases may add members and checks.',
        params: IdParams,
        response: { 200: VerificationDiagnostics, ...refusals(...AUTHENTICATED, 'session_not_found') },
      },
    },
    async (request) => readDiagnostics(deps, { ...readerOf(deps, request), id: request.params.id }),
  )
}

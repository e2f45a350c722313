// Routes for staff: the proofs of a verification, and the state of the public log. The dashboard verifies the proofs.

import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/index.ts'
import { readLogState } from '../usecases/diagnose-log.ts'
import { readReceiptFiles } from '../usecases/read-log.ts'

export function addProofRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/log'),
    handler: () => readLogState(deps),
  })
  app.route({
    ...permitted(deps, 'GET @/verifications/:id/receipt'),
    handler: (request) => readReceiptFiles(deps, staffOf(request).realm, request.params.id),
  })
}

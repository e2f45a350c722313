// GET /v1/usage (spec 2.5).

import { Usage } from '../../../../../wire/usage.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { refusals } from '../../http/envelope-schema.ts'
import { principalOf, withScope } from '../../http/principal.ts'
import { readUsage } from '../../verifications/usecases/reading/read-usage.ts'

export function addUsageRoutes(app: App, deps: Deps): void {
  app.get(
    '/v1/usage',
    {
      ...withScope(deps, 'verifications:read'),
      schema: {
        operationId: 'getUsage',
        tags: ['Usage'],
        summary: "Read today's usage and the last days'",
        response: { 200: Usage, ...refusals('invalid_api_key', 'api_key_expired', 'insufficient_scope') },
      },
    },
    async (request) => readUsage(deps, principalOf(request).tenantId),
  )
}

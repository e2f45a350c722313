// GET /v1/usage (spec 2.5).

import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { refusals } from '../../http/envelope-schema.ts'
import { principalOf, withScope } from '../../http/principal.ts'
import { readUsage } from '../../verifications/usecases/reading/read-usage.ts'

const Count = Type.Integer({ minimum: 0 })
const Day = Type.String({ format: 'date' })

const Usage = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'Current UTC day' }),
    verifications_created: Type.Integer({ minimum: 0, description: 'Creations counted so far today' }),
    daily_quota: Type.Integer({ minimum: 0, description: "Today's budget" }),
    remaining: Count,
    recent: Type.Array(Type.Object({ day: Day, verifications_created: Count }, { additionalProperties: false }), {
      maxItems: 30,
      description: 'Days with any usage, newest first',
    }),
  },
  { $id: 'Usage', additionalProperties: false },
)

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

// Serves GET /v1/verifications/{id}/status (spec 4.2), the public poll: only the status, to everyone with the id.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { VerificationStatus } from '../../../../../wire/verifications.ts'
import type { Deps } from '../../../deps.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { refusals } from '../../http/envelope-schema.ts'
import { readStatus } from '../usecases/reading/read-verification.ts'
import { IdParams } from './merchant/verifications.ts'

export function addStatusRoute(app: App, deps: Deps): void {
  const access = withoutKey(deps)
  app.get(
    '/v1/verifications/:id/status',
    {
      ...access,
      async onRequest(request: FastifyRequest, reply: FastifyReply) {
        // Set on refusals too, because a browser could not distinguish a 404 from a network failure.
        reply.header('Access-Control-Allow-Origin', '*')
        reply.header('Access-Control-Expose-Headers', 'Request-Id, Retry-After')
        await access.onRequest.call(this, request, reply)
      },
      schema: {
        operationId: 'getVerificationStatus',
        tags: ['Verifications'],
        summary: 'Poll the status of a verification, without a key',
        params: IdParams,
        response: { 200: VerificationStatus, ...refusals('session_not_found') },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      // Malformed ids get no bucket, because there is no limit to how many there are.
      if (isVerificationId(id)) {
        await spendBudget(deps, reply, { name: 'verification', key: id, budget: deps.config.rates.verification })
      }
      const status = await readStatus(deps, id)
      return sendJson(reply, 200, JSON.stringify({ id, status }))
    },
  )
}

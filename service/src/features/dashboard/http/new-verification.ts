// Routes for staff to create a verification, answered by link or QR code, and to cancel it.

import { addWarnings } from '../../../core/registrations/http/registration-warning.ts'
import type { UserPrincipal } from '../../../core/tenants/domain/principal.ts'
import { REFERENCE } from '../../../core/verifications/domain/reference.ts'
import { cancelVerification } from '../../../core/verifications/usecases/answering/cancel-verification.ts'
import { createVerification } from '../../../core/verifications/usecases/asking/create-verification.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { permitted, type Staff, staffOf } from '../../staff/index.ts'
import { defaultWebhookUrl } from '../../webhooks/index.ts'

const principalOf = ({ realm, person }: Staff): UserPrincipal => ({
  kind: 'user',
  personId: person.id,
  scopes: ['verifications:create'],
  ...realm,
})

export function addNewVerificationRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'POST @/verifications'),
    handler: async (request, reply) => {
      const staff = staffOf(request)
      const { reference, idempotency_key: key, ...rest } = request.body
      const webhookUrl = await defaultWebhookUrl(deps, staff.realm)
      const body = webhookUrl === null ? rest : { ...rest, webhook_url: webhookUrl }
      const { answer, warnings } = await createVerification(deps, {
        principal: principalOf(staff),
        request: reference === undefined ? body : { ...body, metadata: { [REFERENCE]: reference } },
        // Contains the person's id, so that it never equals a key of the merchant's system.
        idempotencyKey: `staff/${staff.person.id}/${key}`,
      })
      addWarnings(reply, warnings)
      return sendJson(reply, 201, answer)
    },
  })
  app.route({
    ...permitted(deps, 'POST @/verifications/:id/cancel'),
    handler: async (request, reply) => {
      const answer = await cancelVerification(deps, { principal: principalOf(staffOf(request)), id: request.params.id })
      return sendJson(reply, 200, answer)
    },
  })
}

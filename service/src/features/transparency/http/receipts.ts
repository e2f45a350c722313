// /v1/verifications/{id}/receipt: remains available after the verification is erased.

import { Type } from 'typebox'
import { refusals } from '../../../core/http/envelope-schema.ts'
import { principalOf, withScope } from '../../../core/http/principal.ts'
import { AUTHENTICATED, IdParams } from '../../../core/verifications/http/merchant/verifications.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { readReceiptProof } from '../usecases/read-log.ts'
import { readReceipt } from '../usecases/read-receipt.ts'

const RECEIPT_MEDIA_TYPE = 'application/jose'
const Receipt = Type.String({
  description:
    'A JWS (compact, `typ` vidimus-receipt+jwt); its public keys are at `/log/receipt-keys`. `alg` is ES256, or vidimus-ES256-tree where the key of receipts is outside of the service: then many receipts have one signature',
  produces: [RECEIPT_MEDIA_TYPE],
})

const Proof = Type.String({
  description: 'Verifies with the keys of the log (`/log/key`) and of its witnesses',
  produces: ['text/plain'],
})

export function addReceiptRoutes(app: App, deps: Deps): void {
  app.get(
    '/v1/verifications/:id/receipt',
    {
      ...withScope(deps, 'verifications:read'),
      schema: {
        operationId: 'getReceipt',
        tags: ['Verifications'],
        summary: 'Get the signed receipt of an ended verification, also after erasure',
        description:
          'The receipt has no claims, only salted digests of the result. The salt comes only with the result, in the header `X-Vidimus-Receipt-Salt` of reads and webhooks. Keep it to show later that the receipt is about exactly that result.',
        params: IdParams,
        response: { 200: Receipt, ...refusals(...AUTHENTICATED, 'session_not_found') },
      },
    },
    async (request, reply) => {
      const { jws } = await readReceipt(deps, { principal: principalOf(request), id: request.params.id })
      return reply.type(RECEIPT_MEDIA_TYPE).send(jws)
    },
  )
  app.get(
    '/v1/verifications/:id/receipt.tlog-proof',
    {
      ...withScope(deps, 'verifications:read'),
      schema: {
        operationId: 'getReceiptProof',
        tags: ['Verifications'],
        summary: 'Get the proof that the receipt is in the public log (C2SP tlog-proof), also after erasure',
        description: 'Receipts enter the log within about a minute; until then the answer is 503 with `Retry-After`.',
        params: IdParams,
        response: { 200: Proof, ...refusals(...AUTHENTICATED, 'session_not_found') },
      },
    },
    async (request, reply) => {
      const proof = await readReceiptProof(deps, { principal: principalOf(request), id: request.params.id })
      return reply.type('text/plain; charset=utf-8').send(proof)
    },
  )
}

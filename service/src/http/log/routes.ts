// /log/…: what anybody may read to verify us. Public keys, the log's checkpoint and its tiles; nothing here is of anybody.

import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { readReceiptKeys } from '../../usecases/log/manage-receipt-keys.ts'
import type { App } from '../app.ts'
import { withoutKey } from '../principal.ts'
import { openToEveryOrigin } from '../wallet/cross-origin.ts'

const MINUTE_CACHE = 'public, max-age=60'

const Jwk = Type.Object(
  {
    kty: Type.String(),
    crv: Type.String(),
    x: Type.String(),
    y: Type.String(),
    kid: Type.String({ description: 'Its RFC 7638 thumbprint' }),
    use: Type.String(),
    alg: Type.String(),
  },
  { additionalProperties: false },
)
const ReceiptKeys = Type.Object({ keys: Type.Array(Jwk) }, { $id: 'ReceiptKeys', additionalProperties: false })

export function addLogRoutes(app: App, deps: Deps): void {
  app.get(
    '/log/receipt-keys',
    {
      ...withoutKey(deps),
      schema: {
        operationId: 'getReceiptKeys',
        tags: ['Log'],
        summary: 'The public keys of receipts, every one there ever was',
        response: { 200: ReceiptKeys },
      },
    },
    async (_request, reply) => {
      openToEveryOrigin(reply)
      reply.header('Cache-Control', MINUTE_CACHE)
      return readReceiptKeys(deps)
    },
  )
}

// What the wallet's routes have in common on the wire.

import { Type } from 'typebox'

export const WalletParams = Type.Object({ sessionId: Type.String({ minLength: 1 }) })

export const WalletReply = Type.Object(
  { redirect_uri: Type.Optional(Type.String()) },
  { $id: 'WalletReply', additionalProperties: false },
)

// What the wallet's routes have in common on the wire.

import { Type } from 'typebox'

export const WalletParams = Type.Object({ sessionId: Type.String({ minLength: 1 }) })

// What the wallet's routes have in common in their schemas.

import { Type } from 'typebox'

export const WalletParams = Type.Object({ sessionId: Type.String({ minLength: 1 }) })

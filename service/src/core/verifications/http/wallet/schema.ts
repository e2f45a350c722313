// Provides the parts of a schema that all wallet routes share.

import { Type } from 'typebox'

export const WalletParams = Type.Object({ sessionId: Type.String({ minLength: 1 }) })

// For the operator of the service.

import { type Static, Type } from 'typebox'

export const Health = Type.Object({ status: Type.Literal('ok') }, { additionalProperties: false })
export type Health = Static<typeof Health>

// Answers that every route has: the error envelope (spec 2.7), and the health of the service.

import { type Static, Type } from 'typebox'
import { oneOf } from './parts.ts'
import { ERROR_CODES } from './values/errors.ts'

export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object(
      { code: Type.String({ description: 'Stable' }), message: Type.String({ description: 'For people; may change' }) },
      { additionalProperties: false },
    ),
  },
  { $id: 'Error', additionalProperties: false, description: 'Every answer that is not a success' },
)
export type ErrorEnvelope = Static<typeof ErrorEnvelope>

export const ErrorCode = Type.Unsafe<(typeof ERROR_CODES)[number]>({
  ...oneOf(...ERROR_CODES),
  $id: 'ErrorCode',
  description: 'Every code a refusal may carry.',
})
export type ErrorCode = Static<typeof ErrorCode>

export const Health = Type.Object({ status: Type.Literal('ok') }, { additionalProperties: false })
export type Health = Static<typeof Health>

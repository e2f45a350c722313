// Describes the error envelope (spec 2.7), which every route can send, and the answer of the health routes.

import { type Static, Type } from 'typebox'
import { oneOf } from './parts.ts'
import { ERROR_CODES } from './values/errors.ts'

export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.String({ description: 'Stable: use it in your code' }),
        message: Type.String({ description: 'For people; may change' }),
      },
      { additionalProperties: false },
    ),
  },
  { $id: 'Error', additionalProperties: false, description: 'Every error has this shape' },
)
export type ErrorEnvelope = Static<typeof ErrorEnvelope>

export const ErrorCode = Type.Unsafe<(typeof ERROR_CODES)[number]>({
  ...oneOf(...ERROR_CODES),
  $id: 'ErrorCode',
  description: 'All error codes.',
})
export type ErrorCode = Static<typeof ErrorCode>

export const Health = Type.Object({ status: Type.Literal('ok') }, { additionalProperties: false })
export type Health = Static<typeof Health>

// How a device and its token pair read on the wire (spec 2.3, 2.4).

import { Type } from 'typebox'

const Instant = Type.String({ format: 'date-time' })

export const Device = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String({ description: 'Shown in the audit trail as the actor' }),
    status: Type.Union([Type.Literal('pending'), Type.Literal('active'), Type.Literal('revoked')]),
    allowed_templates: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      description: 'The only templates this device may create verifications with',
    }),
    created_at: Instant,
    pairing_expires_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the unused pairing code stops working' }),
    ),
    enrolled_at: Type.Optional(Instant),
    last_seen_at: Type.Optional(Type.String({ format: 'date-time', description: 'To the minute' })),
    revoked_at: Type.Optional(Instant),
  },
  { $id: 'Device', additionalProperties: false },
)

export const DeviceTokenPair = Type.Object(
  {
    access_token: Type.String({ pattern: '^vd_', description: 'Sent as `Authorization: Bearer`' }),
    refresh_token: Type.String({ pattern: '^vdr_', description: 'Single use: store it before using the access token' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ minimum: 1, description: 'Seconds until the access token expires' }),
    refresh_expires_in: Type.Integer({ minimum: 1, description: 'Seconds until the refresh token expires' }),
    device: Device,
  },
  { $id: 'DeviceTokenPair', additionalProperties: false },
)

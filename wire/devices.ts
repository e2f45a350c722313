// Describes the devices of a venue and their token pairs (spec 2.3, 2.4).

import { type Static, Type } from 'typebox'
import { Closed, Instant, List, Name, oneOf, orNull } from './parts.ts'
import { PAIRING_TTL_SECONDS } from './values/devices.ts'
import { LINE_PATTERN } from './values/names.ts'

export const Device = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String({ description: 'The name in lists and in the audit trail' }),
    status: Type.Union([Type.Literal('pending'), Type.Literal('active'), Type.Literal('revoked')]),
    allowed_templates: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      description: 'The templates this device can use',
    }),
    created_at: Instant,
    pairing_expires_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the unused pairing code stops working' }),
    ),
    enrolled_at: Type.Optional(Instant),
    last_seen_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the device last made a call, to the minute' }),
    ),
    revoked_at: Type.Optional(Instant),
  },
  { $id: 'Device', additionalProperties: false },
)
export type Device = Static<typeof Device>

export const DeviceTokenPair = Type.Object(
  {
    access_token: Type.String({ pattern: '^vd_', description: 'Sent as `Authorization: Bearer`' }),
    refresh_token: Type.String({ pattern: '^vdr_', description: 'Works once: store it before using the access token' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ minimum: 1, description: 'Seconds until the access token expires' }),
    refresh_expires_in: Type.Integer({ minimum: 1, description: 'Seconds until the refresh token expires' }),
    device: Device,
  },
  { $id: 'DeviceTokenPair', additionalProperties: false },
)
export type DeviceTokenPair = Static<typeof DeviceTokenPair>

export const RegisterDevice = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: LINE_PATTERN,
      description: 'A name for lists and the audit trail, such as `Till 2`',
    }),
    allowed_templates: Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: LINE_PATTERN }), {
      minItems: 1,
      maxItems: 20,
      description: 'Keys of the templates that the device can use, built in or your own',
    }),
    pairing_ttl_seconds: Type.Optional(
      Type.Integer({
        minimum: PAIRING_TTL_SECONDS.min,
        maximum: PAIRING_TTL_SECONDS.max,
        description: `How long the pairing code works, in seconds. Default: ${PAIRING_TTL_SECONDS.fallback}`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type RegisterDevice = Static<typeof RegisterDevice>

export const RegisteredDevice = Type.Object(
  {
    device: Device,
    pairing_code: Type.String({
      pattern: '^VD-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$',
      description: 'Shown only once',
    }),
  },
  { $id: 'RegisteredDevice', additionalProperties: false },
)
export type RegisteredDevice = Static<typeof RegisteredDevice>

export const DeviceList = Type.Object({ data: Type.Array(Device) }, { $id: 'DeviceList', additionalProperties: false })
export type DeviceList = Static<typeof DeviceList>

export const EnrollDevice = Type.Object(
  {
    pairing_code: Type.String({
      minLength: 1,
      maxLength: 32,
      description: 'Upper or lower case, with or without dashes and spaces',
    }),
  },
  { additionalProperties: false },
)
export type EnrollDevice = Static<typeof EnrollDevice>

export const RefreshDeviceToken = Type.Object(
  {
    refresh_token: Type.String({
      minLength: 1,
      description: 'Works once. Sending it a second time revokes the device',
    }),
  },
  { additionalProperties: false },
)
export type RefreshDeviceToken = Static<typeof RefreshDeviceToken>

export const DeviceForStaff = Closed({
  ...Device.properties,
  revoked_reason: orNull(oneOf('merchant', 'refresh_reuse')),
})
export type DeviceForStaff = Static<typeof DeviceForStaff>

export const RegisteredDeviceForStaff = Closed({ device: DeviceForStaff, pairing_code: Type.String() })
export type RegisteredDeviceForStaff = Static<typeof RegisteredDeviceForStaff>

export const DevicesForStaff = Closed({ data: List(DeviceForStaff) })
export type DevicesForStaff = Static<typeof DevicesForStaff>

export const RegisterDeviceForStaff = Closed({
  name: Name,
  allowed_templates: Type.Array(Name, { minItems: 1, maxItems: 20, uniqueItems: true }),
})
export type RegisterDeviceForStaff = Static<typeof RegisterDeviceForStaff>

/** The code on a customer screen, which is typed at the till. */
export const ConnectDisplay = Closed({ code: Type.String({ minLength: 1, maxLength: 32 }) })
export type ConnectDisplay = Static<typeof ConnectDisplay>

/** Records that the PIN of the kiosk mode was set or removed. The PIN itself is not sent. */
export const PinChange = Closed({ pin: Type.Union([Type.Literal('set'), Type.Literal('removed')]) })
export type PinChange = Static<typeof PinChange>

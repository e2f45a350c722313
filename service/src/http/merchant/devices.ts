// POST and GET /v1/devices, DELETE /v1/devices/{id} (spec 4.1): the merchant's side of venue devices.

import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { renderDevice } from '../../domain/device/device.ts'
import { LINE_PATTERN } from '../../domain/tenant/names.ts'
import { actorOf } from '../../domain/tenant/principal.ts'
import { listDevices } from '../../usecases/devices/list-devices.ts'
import { PAIRING_TTL_SECONDS, registerDevice } from '../../usecases/devices/register-device.ts'
import { revokeDevice } from '../../usecases/devices/revoke-device.ts'
import type { App } from '../app.ts'
import { Device } from '../device-schema.ts'
import { refusals } from '../envelope-schema.ts'
import { principalOf, withScope } from '../principal.ts'

const Registration = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64, pattern: LINE_PATTERN, description: 'For people' }),
    allowed_templates: Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: LINE_PATTERN }), {
      minItems: 1,
      maxItems: 20,
      description: 'Built-in or tenant template keys',
    }),
    pairing_ttl_seconds: Type.Optional(
      Type.Integer({
        minimum: PAIRING_TTL_SECONDS.min,
        maximum: PAIRING_TTL_SECONDS.max,
        description: `How long the pairing code works; ${PAIRING_TTL_SECONDS.fallback} when absent`,
      }),
    ),
  },
  { additionalProperties: false },
)

const Registered = Type.Object(
  {
    device: Device,
    pairing_code: Type.String({
      pattern: '^VD-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$',
      description: 'Shown only here',
    }),
  },
  { $id: 'RegisteredDevice', additionalProperties: false },
)

const DeviceList = Type.Object({ data: Type.Array(Device) }, { $id: 'DeviceList', additionalProperties: false })

const UNAUTHORISED = ['invalid_api_key', 'api_key_expired', 'insufficient_scope'] as const

export function addDeviceManagementRoutes(app: App, deps: Deps): void {
  const access = withScope(deps, 'devices:manage')
  app.post(
    '/v1/devices',
    {
      ...access,
      schema: {
        operationId: 'registerDevice',
        tags: ['Devices'],
        summary: 'Register a device and mint its pairing code',
        body: Registration,
        response: { 201: Registered, ...refusals('invalid_request', 'device_limit_reached', ...UNAUTHORISED) },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { device, pairingCode } = await registerDevice(deps, {
        tenantId: principal.tenantId,
        environment: principal.environment,
        name: request.body.name,
        allowedTemplates: request.body.allowed_templates,
        pairingTtlSeconds: request.body.pairing_ttl_seconds ?? PAIRING_TTL_SECONDS.fallback,
        actor: actorOf(principal),
      })
      return reply.code(201).send({ device: renderDevice(device), pairing_code: pairingCode })
    },
  )
  app.get(
    '/v1/devices',
    {
      ...access,
      schema: {
        operationId: 'listDevices',
        tags: ['Devices'],
        summary: 'List devices, newest first',
        response: { 200: DeviceList, ...refusals(...UNAUTHORISED) },
      },
    },
    async (request) => ({ data: (await listDevices(deps, principalOf(request))).map(renderDevice) }),
  )
  app.delete(
    '/v1/devices/:id',
    {
      ...access,
      schema: {
        operationId: 'revokeDevice',
        tags: ['Devices'],
        summary: 'Revoke a device: everything it holds stops working at once',
        params: Type.Object({ id: Type.String({ description: 'A UUID' }) }),
        response: { 200: Device, ...refusals('device_not_found', ...UNAUTHORISED) },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const { tenantId, environment } = principal
      const input = { tenantId, environment, deviceId: request.params.id, actor: actorOf(principal) }
      return renderDevice(await revokeDevice(deps, input))
    },
  )
}

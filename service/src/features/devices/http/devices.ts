// Routes for merchants to manage devices: POST and GET /v1/devices, DELETE /v1/devices/{id} (spec 4.1).

import { Type } from 'typebox'
import { Device, DeviceList, RegisterDevice, RegisteredDevice } from '../../../../../wire/devices.ts'
import { PAIRING_TTL_SECONDS } from '../../../../../wire/values/devices.ts'
import { refusals } from '../../../core/http/envelope-schema.ts'
import { principalOf, withScope } from '../../../core/http/principal.ts'
import { actorOf } from '../../../core/tenants/domain/principal.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { renderDevice } from '../domain/device.ts'
import { listDevices } from '../usecases/list-devices.ts'
import { registerDevice } from '../usecases/register-device.ts'
import { revokeDevice } from '../usecases/revoke-device.ts'

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
        summary: 'Register a device and get its pairing code',
        body: RegisterDevice,
        response: { 201: RegisteredDevice, ...refusals('invalid_request', 'device_limit_reached', ...UNAUTHORISED) },
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
        summary: 'Revoke a device and all its tokens immediately',
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

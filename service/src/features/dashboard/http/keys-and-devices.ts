// Routes for staff to manage API keys and venue devices.

import { PAIRING_TTL_SECONDS } from '../../../../../wire/values/devices.ts'
import { renderKey } from '../../../core/tenants/domain/api-key.ts'
import { createKey, listUsedKeys, revokeKey, rollKey } from '../../../core/tenants/usecases/manage-keys.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  changeDevice,
  listDevices,
  registerDevice,
  renderDeviceForStaff,
  renewPairingCode,
  revokeDevice,
} from '../../devices/index.ts'
import { permitted, staffOf } from '../../staff/index.ts'

export function addKeyRoutes(app: App, deps: Deps): void {
  addRollRoute(app, deps)
  app.route({
    ...permitted(deps, 'GET @/keys'),
    handler: async (request) => {
      const keys = await listUsedKeys(deps, staffOf(request).realm)
      return { data: keys.map((key) => ({ ...renderKey(key), uses: [...key.uses] })) }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/keys'),
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { name, scopes, expires_in_days: expiresInDays } = request.body
      const created = await createKey(deps, { ...realm, name, scopes, expiresInDays, actor })
      if (created === null) throw new Refusal('not_found')
      return reply.code(201).send({ ...renderKey(created.apiKey), key: created.key })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/keys/:id/revoke'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const keyId = request.params.id
      const revoked = await revokeKey(deps, { ...realm, keyId, actor })
      if (revoked === null) throw new Refusal('not_found')
      return renderKey(revoked)
    },
  })
}

function addRollRoute(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'POST @/keys/:id/roll'),
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { overlap_hours: overlapHours, expires_in_days: expiresInDays } = request.body
      const created = await rollKey(deps, { realm, keyId: request.params.id, overlapHours, expiresInDays, actor })
      if (created === null) throw new Refusal('not_found')
      return reply.code(201).send({ ...renderKey(created.apiKey), key: created.key })
    },
  })
}

export function addStaffDeviceRoutes(app: App, deps: Deps): void {
  app.route({
    // A thousand devices with many templates have 1.5 MB.
    ...permitted(deps, 'GET @/devices', () => 4),
    handler: async (request) => ({ data: (await listDevices(deps, staffOf(request).realm)).map(renderDeviceForStaff) }),
  })
  app.route({
    ...permitted(deps, 'POST @/devices'),
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { device, pairingCode } = await registerDevice(deps, {
        ...realm,
        name: request.body.name,
        allowedTemplates: request.body.allowed_templates,
        pairingTtlSeconds: PAIRING_TTL_SECONDS.fallback,
        actor,
      })
      return reply.code(201).send({ device: renderDeviceForStaff(device), pairing_code: pairingCode })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/devices/:id'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const { name, allowed_templates: allowedTemplates } = request.body
      const change = { realm, actor, deviceId: request.params.id, name, allowedTemplates }
      return renderDeviceForStaff(await changeDevice(deps, change))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/devices/:id/code'),
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { device, pairingCode } = await renewPairingCode(deps, {
        ...{ realm, actor, deviceId: request.params.id },
        pairingTtlSeconds: PAIRING_TTL_SECONDS.fallback,
      })
      return reply.code(201).send({ device: renderDeviceForStaff(device), pairing_code: pairingCode })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/devices/:id/revoke'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      return renderDeviceForStaff(await revokeDevice(deps, { ...realm, deviceId: request.params.id, actor }))
    },
  })
}

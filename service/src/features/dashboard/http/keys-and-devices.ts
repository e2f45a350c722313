// API keys and venue devices, as staff manage them.

import { Type } from 'typebox'
import { KEY_LIFETIMES_DAYS, ROLL_OVERLAP_HOURS, renderKey, SCOPES } from '../../../core/tenants/domain/api-key.ts'
import { createKey, listUsedKeys, revokeKey, rollKey } from '../../../core/tenants/usecases/manage-keys.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { renderDeviceForStaff } from '../../devices/domain/device.ts'
import { Device as ApiDevice } from '../../devices/http/device-schema.ts'
import { listDevices } from '../../devices/usecases/list-devices.ts'
import { PAIRING_TTL_SECONDS, registerDevice } from '../../devices/usecases/register-device.ts'
import { revokeDevice } from '../../devices/usecases/revoke-device.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import {
  Answer,
  Empty,
  Environment,
  Instant,
  List,
  Name,
  oneOf,
  orNull,
  Part,
  RealmAndId,
  RealmParams,
} from '../../staff/http/fields.ts'
import { Scope } from './terms.ts'

const KeyMembers = {
  id: Type.String(),
  tenant_id: Type.String(),
  environment: Environment,
  name: Type.String(),
  prefix: Type.String(),
  scopes: List(Scope),
  created_at: Instant,
  expires_at: orNull(Instant),
  revoked_at: orNull(Instant),
  last_used_at: orNull(Instant),
}
const ApiKey = Answer('ApiKey', KeyMembers)
const UsedKey = Answer('UsedKey', {
  ...KeyMembers,
  uses: List(Type.Integer({ minimum: 0, description: 'By the day, the oldest first; the last is today' })),
})
const CreatedKey = Answer('CreatedKey', { ...KeyMembers, key: Type.String({ description: 'Shown only here' }) })

const Device = Answer('Device', {
  ...ApiDevice.properties,
  revoked_reason: orNull(oneOf('merchant', 'refresh_reuse')),
})
const RegisteredDevice = Answer('RegisteredDevice', { device: Device, pairing_code: Type.String() })

const Lifetime = Type.Union([Type.Null(), ...KEY_LIFETIMES_DAYS.map((days) => Type.Literal(days))])

export function addKeyRoutes(app: App, deps: Deps): void {
  addRollRoute(app, deps)
  app.route({
    ...permitted(deps, 'GET @/keys'),
    schema: { hide: true, params: RealmParams, response: { 200: Part({ data: List(UsedKey) }) } },
    handler: async (request) => {
      const keys = await listUsedKeys(deps, staffOf(request).realm)
      return { data: keys.map((key) => ({ ...renderKey(key), uses: [...key.uses] })) }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/keys'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object(
        {
          name: Name,
          scopes: Type.Array(Type.Union(SCOPES.map((scope) => Type.Literal(scope))), {
            minItems: 1,
            uniqueItems: true,
          }),
          expires_in_days: Lifetime,
        },
        { additionalProperties: false },
      ),
      response: { 201: CreatedKey },
    },
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { name, scopes, expires_in_days: expiresInDays } = request.body
      const made = await createKey(deps, { ...realm, name, scopes, expiresInDays, actor })
      if (made === null) throw new Refusal('not_found')
      return reply.code(201).send({ ...renderKey(made.apiKey), key: made.key })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/keys/:id/revoke'),
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: ApiKey } },
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
    schema: {
      hide: true,
      params: RealmAndId,
      body: Type.Object(
        { overlap_hours: oneOf(...ROLL_OVERLAP_HOURS), expires_in_days: Lifetime },
        { additionalProperties: false },
      ),
      response: { 201: CreatedKey },
    },
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const { overlap_hours: overlapHours, expires_in_days: expiresInDays } = request.body
      const made = await rollKey(deps, { realm, keyId: request.params.id, overlapHours, expiresInDays, actor })
      if (made === null) throw new Refusal('not_found')
      return reply.code(201).send({ ...renderKey(made.apiKey), key: made.key })
    },
  })
}

export function addStaffDeviceRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/devices'),
    schema: { hide: true, params: RealmParams, response: { 200: Part({ data: List(Device) }) } },
    handler: async (request) => ({ data: (await listDevices(deps, staffOf(request).realm)).map(renderDeviceForStaff) }),
  })
  app.route({
    ...permitted(deps, 'POST @/devices'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object(
        { name: Name, allowed_templates: Type.Array(Name, { minItems: 1, maxItems: 20, uniqueItems: true }) },
        { additionalProperties: false },
      ),
      response: { 201: RegisteredDevice },
    },
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
    ...permitted(deps, 'POST @/devices/:id/revoke'),
    schema: { hide: true, params: RealmAndId, body: Empty, response: { 200: Device } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      return renderDeviceForStaff(await revokeDevice(deps, { ...realm, deviceId: request.params.id, actor }))
    },
  })
}

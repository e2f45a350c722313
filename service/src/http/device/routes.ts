// POST /v1/devices/enroll and POST /v1/devices/token (spec 4.2): the credential is in the body.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { renderDevice } from '../../domain/device/device.ts'
import { parsePairingCode } from '../../domain/device/pairing-code.ts'
import { ACCESS_SECONDS } from '../../domain/device/token.ts'
import { Refusal } from '../../domain/errors.ts'
import { millisecondsOf } from '../../domain/world.ts'
import { enrollDevice, type GrantedPair } from '../../usecases/devices/enroll-device.ts'
import { rotateDeviceToken } from '../../usecases/devices/rotate-device-token.ts'
import { addressBucket } from '../address.ts'
import type { App } from '../app.ts'
import { spendBudget, whileFailuresLast } from '../budget.ts'
import { DeviceTokenPair } from '../device-schema.ts'
import { refusals } from '../envelope-schema.ts'
import { withoutKey } from '../principal.ts'

const Enrollment = Type.Object(
  {
    pairing_code: Type.String({ minLength: 1, maxLength: 32, description: 'Case, dashes and spaces are forgiven' }),
  },
  { additionalProperties: false },
)

const Refresh = Type.Object(
  { refresh_token: Type.String({ minLength: 1, description: 'Never send it twice: a spent one revokes the device' }) },
  { additionalProperties: false },
)

export function addDeviceRoutes(app: App, deps: Deps): void {
  const access = withoutKey(deps)
  app.post(
    '/v1/devices/enroll',
    {
      ...access,
      onRequest: [access.onRequest, attemptBudget(deps)],
      schema: {
        operationId: 'enrollDevice',
        tags: ['Devices'],
        summary: 'Exchange a pairing code for a token pair',
        body: Enrollment,
        response: { 200: DeviceTokenPair, ...refusals('invalid_request', 'invalid_pairing_code') },
      },
    },
    async (request) => {
      // What is no code at all is no guess either: it costs its sender, but not everybody.
      const code = parsePairingCode(request.body.pairing_code)
      if (code === null) throw new Refusal('invalid_pairing_code')
      return renderPair(await whileFailuresLast(deps, everybodysFailures(deps), () => enrollDevice(deps, code)))
    },
  )
  app.post(
    '/v1/devices/token',
    {
      ...access,
      schema: {
        operationId: 'rotateDeviceToken',
        tags: ['Devices'],
        summary: 'Exchange a refresh token for the next pair',
        description:
          'Never repeat a call that got no answer: a spent token revokes the device. Every answer to an access token carries `Device-Refresh-Token: spent` or `unspent`, which tells whether the exchange was made.',
        body: Refresh,
        response: { 200: DeviceTokenPair, ...refusals('invalid_request', 'invalid_refresh_token') },
      },
    },
    async (request) => renderPair(await rotateDeviceToken(deps, request.body.refresh_token)),
  )
}

/** Forty bits hold only as long as guesses are few: without the budgets nobody may guess. */
function attemptBudget(deps: Deps) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    await spendBudget(deps, reply, {
      name: 'enroll',
      key: addressBucket(request.ip),
      budget: deps.config.rates.enroll,
      whenUnavailable: 'refuse',
    })
  }
}

function everybodysFailures(deps: Deps) {
  return { name: 'enroll_all', key: 'all', budget: deps.config.rates.enrollAll, whenUnavailable: 'refuse' } as const
}

/** Spec 2.4. */
function renderPair(pair: GrantedPair) {
  return {
    access_token: pair.accessToken,
    refresh_token: pair.refreshToken,
    token_type: 'Bearer' as const,
    expires_in: ACCESS_SECONDS,
    refresh_expires_in: Math.max(1, Math.floor((millisecondsOf(pair.refreshExpiresAt) - pair.issuedAtMs) / 1000)),
    device: renderDevice(pair.device),
  }
}

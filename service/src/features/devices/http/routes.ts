// Serves POST /v1/devices/enroll and POST /v1/devices/token (spec 4.2). The credential is in the body.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { DeviceTokenPair, EnrollDevice, RefreshDeviceToken } from '../../../../../wire/devices.ts'
import { refusals } from '../../../core/http/envelope-schema.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import { addressBucket } from '../../../platform/http/address.ts'
import type { App } from '../../../platform/http/app.ts'
import { type Spending, spendBudget, whileFailuresLast } from '../../../platform/http/bounds/budget.ts'
import type { Budget, Decision } from '../../../platform/rate.ts'
import { millisecondsOf } from '../../../platform/world.ts'
import { renderDevice } from '../domain/device.ts'
import { parsePairingCode } from '../domain/pairing-code.ts'
import { ACCESS_SECONDS } from '../domain/token.ts'
import { enrollDevice, type GrantedPair } from '../usecases/enroll-device.ts'
import { rotateDeviceToken } from '../usecases/rotate-device-token.ts'

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
        body: EnrollDevice,
        response: { 200: DeviceTokenPair, ...refusals('invalid_request', 'invalid_pairing_code') },
      },
    },
    async (request) => {
      // A text that is not a code does not count as a guess: it spends only the sender's budget.
      const code = parsePairingCode(request.body.pairing_code)
      if (code === null) throw new Refusal('invalid_pairing_code')
      const pair = await whileFailuresLast(deps, failuresFrom(request), (own) =>
        whileFailuresLast(deps, sharedFailures(deps), () => enrollDevice(deps, code), reserveFor(own)),
      )
      return renderPair(pair)
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
          'Never repeat a call that got no response: a spent token revokes the device. Every response to an access token has `Device-Refresh-Token: spent` or `unspent`, which says whether the exchange took place.',
        body: RefreshDeviceToken,
        response: { 200: DeviceTokenPair, ...refusals('invalid_request', 'invalid_refresh_token') },
      },
    },
    async (request) => renderPair(await rotateDeviceToken(deps, request.body.refresh_token)),
  )
}

/** Failures of one address, each remembered for ten minutes. The budget of attempts limits the number of failures. */
const FAILURES: Budget = { perSecond: 1 / 600, burst: 10_000 }
/** For addresses without failures, when the shared budget of failures is used up. */
const RESERVE: Budget = { perSecond: 1, burst: 100 }

/** Per /48, like attempts. A home connection has a /56: with one budget per /64, it would have 256 budgets. */
function failuresFrom(request: FastifyRequest): Spending {
  return { name: 'enroll_failures', key: addressBucket(request.ip, 48), budget: FAILURES }
}

/** null for an address that failed recently. Guessing by others must not lock out honest devices. */
function reserveFor(own: Decision): Spending | null {
  if (own.remaining < own.limit - 1) return null
  return { name: 'enroll_reserve', key: 'all', budget: RESERVE }
}

/** A code of forty bits is enough only if guesses are limited. */
function attemptBudget(deps: Deps) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    await spendBudget(deps, reply, {
      name: 'enroll',
      key: addressBucket(request.ip, 48),
      budget: deps.config.rates.enroll,
    })
  }
}

function sharedFailures(deps: Deps) {
  return { name: 'enroll_all', key: 'all', budget: deps.config.rates.enrollAll } as const
}

/** Renders a pair as in spec 2.4. */
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

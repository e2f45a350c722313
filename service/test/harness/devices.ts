// Devices for tests: registered and paired through the application.

import assert from 'node:assert/strict'
import type { Answer } from './answer.ts'
import type { TestService } from './service.ts'

export interface PairedDevice {
  readonly id: string
  readonly accessToken: string
  readonly refreshToken: string
  readonly pairingCode: string
}

export interface RegisterOptions {
  readonly name?: string
  readonly templates?: readonly string[]
  readonly ttlSeconds?: number
}

/** Returns the answer to POST /v1/devices. */
export async function registerDevice(
  service: TestService,
  key: string,
  options: RegisterOptions = {},
): Promise<Answer> {
  const answer = await service.call('POST', '/v1/devices', {
    key,
    body: {
      name: options.name ?? 'Till 1',
      allowed_templates: options.templates ?? ['age_over_18'],
      ...(options.ttlSeconds === undefined ? {} : { pairing_ttl_seconds: options.ttlSeconds }),
    },
  })
  assert.equal(answer.status, 201, answer.text)
  return answer
}

export async function pairDevice(
  service: TestService,
  key: string,
  options: RegisterOptions = {},
): Promise<PairedDevice> {
  const registered = await registerDevice(service, key, options)
  const pairingCode: string = registered.json.pairing_code
  const answer = await enroll(service, pairingCode)
  assert.equal(answer.status, 200, answer.text)
  return {
    id: answer.json.device.id,
    accessToken: answer.json.access_token,
    refreshToken: answer.json.refresh_token,
    pairingCode,
  }
}

export const enroll = (service: TestService, pairingCode: string, from?: string): Promise<Answer> =>
  service.call('POST', '/v1/devices/enroll', {
    body: { pairing_code: pairingCode },
    ...(from === undefined ? {} : { from }),
  })

export const refresh = (service: TestService, refreshToken: string): Promise<Answer> =>
  service.call('POST', '/v1/devices/token', { body: { refresh_token: refreshToken } })

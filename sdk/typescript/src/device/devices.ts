// Manages venue devices for a merchant (interface specification 4.1, 4.2). Devices use createDeviceClient.

import type { Send } from '../transport.ts'
import type { CallOptions } from '../verifications.ts'
import type { Device, DeviceTokenPair, RegisterDevice, RegisteredDevice } from '../wire.ts'

export interface Devices {
  /** Only this answer has the pairing code. It is not retried after a broken connection. */
  register(device: RegisterDevice, options?: CallOptions): Promise<RegisteredDevice>
  list(options?: CallOptions): Promise<Device[]>
  /** All its tokens stop working immediately. Revoking twice is not an error. */
  revoke(id: string, options?: CallOptions): Promise<Device>
  /** Exchanges a pairing code for tokens. It is never retried, because a code works once. */
  enroll(pairingCode: string, options?: CallOptions): Promise<DeviceTokenPair>
  /** Exchanges a refresh token for new tokens. It is never retried, because a used refresh token revokes the device. */
  refresh(refreshToken: string, options?: CallOptions): Promise<DeviceTokenPair>
}

export function createDevices(send: Send): Devices {
  return {
    register: (body, { signal } = {}) => send({ method: 'POST', path: '/v1/devices', body, repeatable: false, signal }),
    async list({ signal } = {}) {
      return (await send<{ data: Device[] }>({ method: 'GET', path: '/v1/devices', repeatable: true, signal })).data
    },
    async revoke(id, { signal } = {}) {
      if (typeof id !== 'string' || id === '') throw new TypeError('the id of a device is missing')
      return send({ method: 'DELETE', path: `/v1/devices/${encodeURIComponent(id)}`, repeatable: true, signal })
    },
    enroll: (pairingCode, { signal } = {}) =>
      exchange(send, '/v1/devices/enroll', { pairing_code: pairingCode }, signal),
    refresh: (refreshToken, { signal } = {}) =>
      exchange(send, '/v1/devices/token', { refresh_token: refreshToken }, signal),
  }
}

/** Sends no API key: the credential is in the body. */
function exchange(send: Send, path: string, body: object, signal: AbortSignal | undefined): Promise<DeviceTokenPair> {
  return send({ method: 'POST', path, body, repeatable: false, anonymous: true, signal })
}

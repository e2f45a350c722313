// Enrolls a venue device, keeps its tokens, and asks for verifications with its templates.

import type { Verification } from '../verification.ts'
import type { TemplateList, VerificationTransaction, VerificationVerdict } from '../wire.ts'
import { PairAgainError, RefusedError, UnreachableError } from './device-errors.ts'
import { type Exchange, exchange, type HttpOptions } from './device-http.ts'
import type { DeviceInfo, DeviceStorage } from './device-storage.ts'
import { keepTokens, type TokenKeeper } from './device-tokens.ts'

export interface DeviceClientOptions {
  /** The address of the service, without a trailing slash. */
  baseUrl: string
  /** Stores the token pair: `fileStorage(path)` in Node, or your own implementation. */
  storage: DeviceStorage
  fetch?: typeof globalThis.fetch
  /** Milliseconds since the epoch. Default: the clock of this machine. */
  now?: () => number
  /** Default 10,000. */
  timeoutMs?: number
}

export interface DeviceVerificationRequest {
  /** One of the device's `allowed_templates`. */
  template: string
  purpose?: string
  metadata?: Record<string, string>
  ttl_seconds?: number
  redirect_url?: string
  webhook_url?: string
  /** The origin of your own page that uses the browser API. Default: the hosted page. */
  origin?: string
  /** The registered intended use. Default: that of the template, or the only one that covers the query. */
  intended_use?: string
  /** `first`: only the first browser that opens the hosted page can use it. Default: the company's setting. */
  browser_binding?: 'first' | 'none'
  /** The values for a template that asks the holder to confirm a transaction. */
  transaction?: readonly [{ readonly values: Readonly<Record<string, string | number>> }]
}

export interface CustomerDisplay {
  /** `waiting`: no screen has connected yet. `away`: the screen has sent no heartbeat for a minute. */
  readonly state: 'none' | 'waiting' | 'here' | 'away'
}

export interface DeviceClient {
  /** Exchanges a pairing code for the first token pair. A code works once: do not retry a call that got no answer. */
  enroll(pairingCode: string): Promise<DeviceInfo>
  /** The device when its tokens were last issued; null if it was never paired. */
  device(): Promise<DeviceInfo | null>
  /** The templates that it may use, with titles for people, and its environment. */
  listTemplates(): Promise<TemplateList>
  createVerification(request: DeviceVerificationRequest): Promise<Verification>
  getVerification(id: string): Promise<Verification>
  listVerifications(page?: { limit?: number; before?: string }): Promise<Verification[]>
  redeem(id: string, responseCode: string): Promise<Verification>
  /** Yes or no, even if the result is encrypted to the merchant. */
  getVerdict(id: string): Promise<VerificationVerdict>
  /** What the holder confirms, for display. */
  getTransaction(id: string): Promise<VerificationTransaction>
  /** Cancels one that has no answer yet. A `RefusedError` with `session_already_responded` means that it has one. */
  cancelVerification(id: string): Promise<Verification>
  /** Connects the customer screen (`/till#display` on another device) that shows this code. It then shows this device's requests. */
  connectDisplay(code: string): Promise<CustomerDisplay>
  readDisplay(): Promise<CustomerDisplay>
  disconnectDisplay(): Promise<CustomerDisplay>
  /** The name of the merchant, as guests know it. */
  readShop(): Promise<{ name: string; look?: unknown }>
  /** Reports for the audit trail that the PIN of this device was set or removed, without the PIN. */
  notePin(change: 'set' | 'removed'): Promise<void>
  /** Ends the pairing at the service, then deletes the tokens. It keeps them if it cannot reach the service. */
  unpair(): Promise<void>
  /** Only deletes the tokens: the device stays in the merchant's list until it is revoked. */
  forget(): Promise<void>
}

/**
 * Every method rejects with a `PairAgainError` if the device must be paired again, a `RefusedError` if the service
 * refuses, and an `UnreachableError` if it does not answer.
 *
 * ```ts
 * const till = createDeviceClient({ baseUrl: 'https://verify.example.com', storage: fileStorage('till.json') })
 * if ((await till.device()) === null) await till.enroll('VD-ABCD-EFGH')
 * const verification = await till.createVerification({ template: 'age_over_18' })
 * ```
 */
export function createDeviceClient(options: DeviceClientOptions): DeviceClient {
  const http: HttpOptions = {
    baseUrl: options.baseUrl,
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs: options.timeoutMs ?? 10_000,
  }
  const tokens = keepTokens(http, options.storage, options.now ?? Date.now)
  const call = caller(http, tokens)
  return {
    enroll: async (pairingCode) => (await tokens.enroll(pairingCode)).device,
    device: async () => (await tokens.state())?.device ?? null,
    listTemplates: () => call({ method: 'GET', path: '/v1/templates' }),
    createVerification: (body) =>
      call({ method: 'POST', path: '/v1/verifications', body, idempotencyKey: newIdempotencyKey() }),
    getVerification: (id) => call({ method: 'GET', path: `/v1/verifications/${encodeURIComponent(id)}` }),
    async listVerifications(page = {}) {
      const query = new URLSearchParams()
      if (page.limit !== undefined) query.set('limit', String(page.limit))
      if (page.before !== undefined) query.set('before', page.before)
      const { data } = await call<{ data: Verification[] }>({ method: 'GET', path: `/v1/verifications?${query}` })
      return data
    },
    redeem: (id, responseCode) =>
      call({
        method: 'POST',
        path: `/v1/verifications/${encodeURIComponent(id)}/redeem`,
        body: { response_code: responseCode },
      }),
    getVerdict: (id) => call({ method: 'GET', path: `/v1/verifications/${encodeURIComponent(id)}/verdict` }),
    getTransaction: (id) => call({ method: 'GET', path: `/v1/verifications/${encodeURIComponent(id)}/transaction` }),
    cancelVerification: (id) => call({ method: 'POST', path: `/v1/verifications/${encodeURIComponent(id)}/cancel` }),
    connectDisplay: (code) => call({ method: 'PUT', path: '/till/display', body: { code } }),
    readDisplay: () => call({ method: 'GET', path: '/till/display' }),
    disconnectDisplay: () => call({ method: 'DELETE', path: '/till/display' }),
    readShop: () => call({ method: 'GET', path: '/till/shop' }),
    async notePin(change) {
      await call({ method: 'POST', path: '/till/kiosk', body: { pin: change } })
    },
    async unpair() {
      await call({ method: 'DELETE', path: '/till/pairing' })
      await tokens.forget()
    },
    forget: () => tokens.forget(),
  }
}

type Call = <T>(request: Exchange) => Promise<T>

function caller(http: HttpOptions, tokens: TokenKeeper): Call {
  const attempt = async (request: Exchange) => {
    const token = await tokens.accessToken()
    const learning: HttpOptions = {
      ...http,
      onHeaders: (headers) => tokens.learn(token, headers.get('device-refresh-token')),
    }
    try {
      return (await exchange(learning, { ...request, token })).body
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      // Checks the service's code: a proxy may also answer 401, and must not end a pairing.
      if (error.code === 'invalid_api_key') throw new PairAgainError('revoked')
      if (error.code !== 'api_key_expired') throw error
      await tokens.expired(token)
      // The service refused it before it did anything, so the retry with the new token is safe.
      return (await exchange(http, { ...request, token: await tokens.accessToken() })).body
    }
  }
  return async <T>(request: Exchange) => {
    try {
      return (await attempt(request)) as T
    } catch (error) {
      // With an idempotency key a retry is safe. Without one, only the caller knows.
      if (!(error instanceof UnreachableError) || request.idempotencyKey === undefined) throw error
      return (await attempt(request)) as T
    }
  }
}

function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

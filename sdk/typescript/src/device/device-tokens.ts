// Refreshes a device's token pair: early, under a lock, and never twice with the same token.

import { PairAgainError, RefusedError, UnreachableError } from './device-errors.ts'
import { exchange, type HttpOptions, isReachable } from './device-http.ts'
import type { DeviceInfo, DeviceState, DeviceStorage } from './device-storage.ts'

/** Refreshes after this part of an access token's life, so that a failure leaves minutes for retries. */
const REFRESH_AT = 0.6
/** A request that has not arrived after this time will not arrive. */
const LOST_AFTER_MS = 60_000

export interface TokenKeeper {
  enroll(pairingCode: string): Promise<DeviceState>
  state(): Promise<DeviceState | null>
  /** A token that should work now. */
  accessToken(): Promise<string>
  /** The service says that this token has expired, even if our clock disagrees. */
  expired(token: string): Promise<void>
  /** The service says whether the refresh token of this pair was used. */
  learn(token: string, refreshToken: string | null): Promise<void>
  forget(): Promise<void>
}

export function keepTokens(http: HttpOptions, storage: DeviceStorage, now: () => number): TokenKeeper {
  let refreshing: Promise<DeviceState> | null = null
  // A received pair that could not be stored. The stored one is used, so this one counts.
  let unsaved: DeviceState | null = null

  async function load(): Promise<DeviceState | null> {
    if (unsaved !== null) await save(unsaved)
    return storage.load()
  }

  async function save(state: DeviceState): Promise<void> {
    unsaved = state
    await storage.save(state)
    unsaved = null
  }

  async function paired(): Promise<DeviceState> {
    const state = await load()
    if (state === null) throw new PairAgainError('not_paired')
    return state
  }

  /** One refresh at a time, in this process and among all that share the storage. */
  function refresh(old: DeviceState): Promise<DeviceState> {
    refreshing ??= storage
      .exclusively(async () => {
        const state = await paired()
        // Another caller has refreshed it.
        return state.accessToken === old.accessToken ? exchangeRefreshToken(state) : state
      })
      .finally(() => {
        refreshing = null
      })
    return refreshing
  }

  async function exchangeRefreshToken(state: DeviceState): Promise<DeviceState> {
    if (state.refresh !== null) throw new PairAgainError(state.refresh.refused ? 'refresh_refused' : 'refresh_lost')
    // Checks the network before it sends the token: after a failure, only an unsent token is certainly unused.
    if (!(await isReachable(http))) throw new UnreachableError(false)
    const sentAt = now()
    await save({ ...state, refresh: { sentAt, refused: false } })
    try {
      const body = { refresh_token: state.refreshToken }
      const answer = await exchange(http, { method: 'POST', path: '/v1/devices/token', body })
      const next = toState(answer.body, sentAt)
      await save(next)
      return next
    } catch (error) {
      if (isCertainlyUnspent(error)) await save(state)
      if (!(error instanceof RefusedError) || error.code !== 'invalid_refresh_token') throw error
      await save({ ...state, refresh: { sentAt, refused: true } })
      throw new PairAgainError('refresh_refused')
    }
  }

  return {
    async enroll(pairingCode) {
      const sentAt = now()
      const body = { pairing_code: pairingCode }
      const answer = await exchange(http, { method: 'POST', path: '/v1/devices/enroll', body })
      const state = toState(answer.body, sentAt)
      await save(state)
      return state
    },
    state: load,
    async accessToken() {
      const state = await paired()
      const at = now()
      const due = state.issuedAt + (state.accessExpiresAt - state.issuedAt) * REFRESH_AT
      const usable = at < state.accessExpiresAt
      if (at < due || (usable && state.refresh !== null)) return state.accessToken
      try {
        return (await refresh(state)).accessToken
      } catch (error) {
        const passing = error instanceof UnreachableError || error instanceof RefusedError
        if (usable && passing) return state.accessToken
        throw error
      }
    },
    async expired(token) {
      const state = await paired()
      if (state.accessToken === token) await refresh(state)
    },
    async learn(token, refreshToken) {
      if (refreshToken !== 'unspent') return
      const state = await load()
      if (state === null || state.accessToken !== token || state.refresh === null || state.refresh.refused) return
      if (now() - state.refresh.sentAt >= LOST_AFTER_MS) await save({ ...state, refresh: null })
    },
    async forget() {
      unsaved = null
      await storage.clear()
    },
  }
}

/** The service checks its budgets before it uses up a token. */
function isCertainlyUnspent(error: unknown): boolean {
  if (error instanceof RefusedError) return error.code === 'rate_limit_exceeded'
  return error instanceof UnreachableError && !error.sent
}

/** Counts lifetimes from before the request, so that our clock can only expire a token early. */
function toState(body: unknown, sentAt: number): DeviceState {
  const pair = body as {
    access_token?: unknown
    refresh_token?: unknown
    expires_in?: unknown
    refresh_expires_in?: unknown
    device?: unknown
  }
  const { access_token, refresh_token, expires_in, refresh_expires_in, device } = pair
  if (
    typeof access_token !== 'string' ||
    typeof refresh_token !== 'string' ||
    typeof expires_in !== 'number' ||
    typeof refresh_expires_in !== 'number' ||
    typeof device !== 'object' ||
    device === null
  ) {
    throw new UnreachableError(true)
  }
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    issuedAt: sentAt,
    accessExpiresAt: sentAt + expires_in * 1000,
    refreshExpiresAt: sentAt + refresh_expires_in * 1000,
    device: device as DeviceInfo,
    refresh: null,
  }
}

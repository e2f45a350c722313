// The life of a device's token pair: refreshed early, by one at a time, and never twice with the same token.

import { PairAgainError, RefusedError, UnreachableError } from './device-errors.ts'
import { exchange, type HttpOptions, isReachable } from './device-http.ts'
import type { DeviceInfo, DeviceState, DeviceStorage } from './device-storage.ts'

/** At this part of an access token's life it is time to refresh: what goes wrong then leaves minutes to fix it. */
const REFRESH_AT = 0.6
/** No request lives this long on its way: one that has not arrived by then will not arrive. */
const LOST_AFTER_MS = 60_000

export interface TokenKeeper {
  enroll(pairingCode: string): Promise<DeviceState>
  state(): Promise<DeviceState | null>
  /** A token that should work now. */
  accessToken(): Promise<string>
  /** The service says that this token has expired, whatever our clock says. */
  expired(token: string): Promise<void>
  /** The service says whether the refresh token that came with this access token is spent. */
  learn(token: string, refreshToken: string | null): Promise<void>
  forget(): Promise<void>
}

export function keepTokens(http: HttpOptions, storage: DeviceStorage, now: () => number): TokenKeeper {
  let refreshing: Promise<DeviceState> | null = null
  // A pair that was received and could not be written: worth more than the one on disk, which is spent.
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

  /** One at a time in this process, and one at a time among all that share the storage. */
  function refresh(old: DeviceState): Promise<DeviceState> {
    refreshing ??= storage
      .exclusively(async () => {
        const state = await paired()
        // Another caller was quicker.
        return state.accessToken === old.accessToken ? exchangeRefreshToken(state) : state
      })
      .finally(() => {
        refreshing = null
      })
    return refreshing
  }

  async function exchangeRefreshToken(state: DeviceState): Promise<DeviceState> {
    if (state.refresh !== null) throw new PairAgainError(state.refresh.refused ? 'refresh_refused' : 'refresh_lost')
    // Without a network the token stays at home: a failure after it was sent leaves a doubt, one before it does not.
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

/** The service decides its budgets before it spends a token. */
function isCertainlyUnspent(error: unknown): boolean {
  if (error instanceof RefusedError) return error.code === 'rate_limit_exceeded'
  return error instanceof UnreachableError && !error.sent
}

/** Lifetimes are counted from before the request was sent: our clock only errs on the early side. */
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

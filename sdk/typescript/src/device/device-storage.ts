// The stored state of a device: its token pair, and whether its refresh token may have been used.

export interface DeviceInfo {
  id: string
  name: string
  status: 'pending' | 'active' | 'revoked'
  allowed_templates: string[]
  created_at: string
  pairing_expires_at?: string
  enrolled_at?: string
  last_seen_at?: string
  revoked_at?: string
}

/** Times are milliseconds since the epoch, by the device's own clock. */
export interface DeviceState {
  readonly accessToken: string
  readonly refreshToken: string
  readonly issuedAt: number
  readonly accessExpiresAt: number
  readonly refreshExpiresAt: number
  readonly device: DeviceInfo
  /**
   * Written before the refresh token is sent, and removed with the new pair. While it exists, the token may have been used, so it is
   * not sent again. `refused`: the service has refused it for good.
   */
  readonly refresh: { readonly sentAt: number; readonly refused: boolean } | null
}

export interface DeviceStorage {
  load(): Promise<DeviceState | null>
  /** Resolves when the complete state is durable: it survives a power cut. */
  save(state: DeviceState): Promise<void>
  clear(): Promise<void>
  /** Runs `work` under a lock that all users of this storage share. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
}

/** For tests, and for devices that are paired at every start. */
export function memoryStorage(): DeviceStorage {
  let stored: DeviceState | null = null
  let last: Promise<unknown> = Promise.resolve()
  return {
    load: async () => stored,
    async save(state) {
      stored = structuredClone(state)
    },
    async clear() {
      stored = null
    },
    exclusively(work) {
      const turn = last.then(work, work)
      last = turn.catch(() => undefined)
      return turn
    },
  }
}

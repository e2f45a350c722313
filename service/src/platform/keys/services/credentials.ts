// Loads credentials at the first use, renews them before they expire, and loads them again when they are refused.

import { CredentialsRefused } from './key-service.ts'

export interface Loaded<T> {
  readonly value: T
  /** Infinity: the credentials do not expire. */
  readonly lifetimeMs: number
}

export interface Credentials<T> {
  /** If the service refuses the credentials, `work` runs once more with fresh credentials. */
  use<R>(work: (value: T) => Promise<R>): Promise<R>
  close(): void
}

interface CredentialOptions {
  /** Renews credentials even while they are not used, because they cannot be renewed after they expire. */
  readonly isKeptAlive?: boolean
}

/** The part of their lifetime after which credentials are renewed. */
const RENEWED_AT = 0.7
/** Credentials are renewed at least this often, even if they are valid for months. */
const RENEWED_WITHIN_MS = 86_400_000
/** The pause after a failed renewal. Meanwhile the credentials in use are still valid. */
const RETRY_MS = 10_000

const now = () => performance.now()

interface InUse<T> {
  readonly value: T
  readonly endsAt: number
  renewAt: number
}

/** `load` gets the credentials to renew; null: there are none, or they were refused. */
export function createCredentials<T>(
  load: (previous: T | null) => Promise<Loaded<T>>,
  { isKeptAlive = false }: CredentialOptions = {},
): Credentials<T> {
  let inUse: InUse<T> | null = null
  let loading: Promise<InUse<T>> | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const loadOnce = (): Promise<InUse<T>> => {
    // Concurrent callers share one request.
    loading ??= load(inUse?.value ?? null)
      .then(({ value, lifetimeMs }) => {
        const at = now()
        inUse = { value, endsAt: at + lifetimeMs, renewAt: at + Math.min(RENEWED_AT * lifetimeMs, RENEWED_WITHIN_MS) }
        if (Number.isFinite(lifetimeMs)) schedule(inUse.renewAt - at)
        return inUse
      })
      .finally(() => {
        loading = null
      })
    return loading
  }
  /** Renews in the background. While the credentials are valid, a failure is ignored. It shows when they expire. */
  const renew = (known: InUse<T>) => {
    known.renewAt = now() + RETRY_MS
    loadOnce().catch(() => schedule(RETRY_MS))
  }
  const schedule = (delayMs: number) => {
    clearTimeout(timer)
    if (!isKeptAlive || isClosed) return
    timer = setTimeout(() => inUse !== null && renew(inUse), delayMs)
    timer.unref()
  }
  const current = async (): Promise<T> => {
    const known = inUse
    if (known === null) return (await loadOnce()).value
    if (now() >= known.endsAt) {
      inUse = null
      return (await loadOnce()).value
    }
    if (Number.isFinite(known.endsAt) && now() >= known.renewAt) renew(known)
    return known.value
  }
  return {
    async use(work) {
      const value = await current()
      try {
        return await work(value)
      } catch (error) {
        if (!(error instanceof CredentialsRefused)) throw error
        if (inUse?.value === value) inUse = null
        return work(await current())
      }
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

// Signs with keys outside of this process. Adds deadlines and slots, and checks each signature.

import { hash } from 'node:crypto'
import { createCache } from '../cache.ts'
import { rawOfDer } from './ecdsa-der.ts'
import {
  DEADLINE_MS,
  KeyFailure,
  type KeyFailureKind,
  type KeyProvider,
  type RemoteSignature,
  refusalOf,
} from './key-provider.ts'
import { type KeyScheme, referenceProblem, schemeOf } from './key-reference.ts'
import { isSignedBy, type KeyAlgorithm, type SigningKey } from './signing-key.ts'
import type { OpenPinnedKey, PinnedKey } from './stored-key.ts'

/** A key that keeps failing is paused. No other key is used instead. */
export interface RemoteKeys {
  readonly open: OpenPinnedKey
  /** The key of this name, created if there is none. Throws a KeyFailure if the key has another algorithm. */
  findOrCreate(reference: string, algorithm: KeyAlgorithm): Promise<PinnedKey>
  wrap(reference: string, plain: Uint8Array): Promise<Uint8Array>
  unwrap(reference: string, wrapped: Uint8Array): Promise<Uint8Array>
  /** Signs without the cache, for `vidimus doctor`. Returns null if that works, otherwise the reason. */
  probe(pinned: PinnedKey): Promise<string | null>
  close(): Promise<void>
}

/** The outcome of one signature, for metrics. */
export interface SignatureEnded {
  readonly scheme: KeyScheme
  readonly outcome: 'signed' | KeyFailureKind
  readonly tookMs: number
}

export interface RemoteKeyOptions {
  /** Opens the provider of a scheme at its first use. Throws a KeyFailure if the provider is not configured. */
  readonly provide: (scheme: KeyScheme) => Promise<KeyProvider>
  readonly onEnd?: (ended: SignatureEnded) => void
  /** Called with the failure when a key is paused, and with null when it signs again. */
  readonly report?: (reference: string, failure: KeyFailure | null) => void
  readonly deadlineMs?: number
  readonly pauseMs?: number
}

/** The time limit for commands of the operator, because an HSM may take seconds for a new RSA key. */
const MANAGING_MS = 20_000
const WAITING_MAX = 256
/** After this many failures in a row, a key is paused for a while. Then one call tries the key. */
const FAILURES_MAX = 5
const PAUSE_MS = 5_000
/**
 * How long signatures are cached: longer than any verification lives. A request object stays the same while its
 * verification is open, so it is signed only once.
 */
const KEPT_MS = 2 * 3_600_000
const KEPT_BYTES_MAX = 8 * 1024 * 1024

const now = () => performance.now()

export function createRemoteKeys(options: RemoteKeyOptions): RemoteKeys {
  const { provide, onEnd, report, deadlineMs = DEADLINE_MS, pauseMs = PAUSE_MS } = options
  const places = new Map<KeyScheme, Promise<Place>>()
  const pauses = new Map<string, Pause>()
  const signatures = createCache<Uint8Array>({
    bytesMax: KEPT_BYTES_MAX,
    bytesOf: (signature) => signature.length,
    ttlMs: KEPT_MS,
  })
  const placeOf = (reference: string): Promise<Place> => {
    const scheme = schemeOf(reference)
    if (scheme === null) throw new KeyFailure('refused', referenceProblem(reference) ?? 'unknown kind of key')
    const opened = places.get(scheme) ?? provide(scheme).then(createPlace)
    places.set(scheme, opened)
    // After a failure, the next call opens the provider again.
    opened.catch(() => places.delete(scheme))
    return opened
  }
  const call = async <T>(
    reference: string,
    work: (provider: KeyProvider) => Promise<T>,
    milliseconds = deadlineMs,
  ): Promise<T> =>
    within(milliseconds, async (isOver) => {
      const place = await placeOf(reference)
      return place.run(work, isOver)
    })
  const pauseOf = (reference: string): Pause => {
    const known = pauses.get(reference) ?? createPause(pauseMs, (failure) => report?.(reference, failure))
    pauses.set(reference, known)
    return known
  }
  const signOnce = async (pinned: PinnedKey, bytes: Uint8Array): Promise<Uint8Array> => {
    const startedAt = now()
    const scheme = schemeOf(pinned.reference)
    const pause = pauseOf(pinned.reference)
    try {
      pause.begin()
      const answered = await call(pinned.reference, (provider) => provider.sign(pinned, bytes))
      const signature = checkSignature(pinned, bytes, answered)
      pause.end(null)
      if (scheme !== null) onEnd?.({ scheme, outcome: 'signed', tookMs: now() - startedAt })
      return signature
    } catch (error) {
      const failure = error instanceof KeyFailure ? error : new KeyFailure('away', messageOf(error))
      pause.end(failure)
      if (scheme !== null) onEnd?.({ scheme, outcome: failure.kind, tookMs: now() - startedAt })
      throw failure
    }
  }
  const sign = async (pinned: PinnedKey, bytes: Uint8Array): Promise<Uint8Array> => {
    // The cache key contains the public key, because a provider may give the name to another key.
    const own = hash('sha256', pinned.publicKey.export({ format: 'der', type: 'spki' }), 'base64')
    const name = `${pinned.reference} ${own} ${hash('sha256', bytes, 'base64')}`
    try {
      return await signatures.find(name, now(), () => signOnce(pinned, bytes))
    } catch (error) {
      throw error instanceof KeyFailure ? refusalOf(error) : error
    }
  }
  return {
    open: (pinned): SigningKey => ({ ...pinned, sign: (bytes) => sign(pinned, bytes) }),
    async findOrCreate(reference, algorithm) {
      const wrong = referenceProblem(reference)
      if (wrong !== null) throw new KeyFailure('refused', wrong)
      const key = await call(
        reference,
        async (provider) => (await provider.find(reference)) ?? provider.create(reference, algorithm),
        MANAGING_MS,
      )
      if (key.algorithm === algorithm) return key
      throw new KeyFailure('refused', `the key signs ${key.algorithm}; this needs one for ${algorithm}`)
    },
    wrap: (reference, plain) => call(reference, (provider) => provider.wrap(reference, plain), MANAGING_MS),
    unwrap: (reference, wrapped) => call(reference, (provider) => provider.unwrap(reference, wrapped), MANAGING_MS),
    probe: (pinned) =>
      signOnce(pinned, PROBE).then(
        () => null,
        (error: unknown) => messageOf(error),
      ),
    async close() {
      for (const opened of places.values()) {
        const place = await opened.catch(() => null)
        await place?.provider.close()
      }
    },
  }
}

/** No token, note or request object begins like this, so the signature is useless elsewhere. */
const PROBE = Buffer.from('vidimus doctor: this proves nothing', 'utf8')

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'unknown reason')

const COORDINATE_BYTES: Readonly<Partial<Record<KeyAlgorithm, number>>> = { ES256: 32, ES384: 48, ES512: 66 }

/** Returns the signature, for ECDSA as r‖s. Throws if another key than the pinned key made it. */
function checkSignature(pinned: PinnedKey, bytes: Uint8Array, answered: RemoteSignature): Uint8Array {
  const coordinateBytes = COORDINATE_BYTES[pinned.algorithm]
  const isDer = coordinateBytes !== undefined && answered.encoding === 'der'
  const signature = isDer ? rawOfDer(answered.signature, coordinateBytes) : answered.signature
  if (signature === null || (coordinateBytes !== undefined && signature.length !== 2 * coordinateBytes))
    throw new KeyFailure('wrong_signature', 'the signature does not have the form for this kind of key')
  if (!isSignedBy(pinned, bytes, signature))
    throw new KeyFailure('wrong_signature', 'the signature is not from the pinned key')
  return signature
}

interface Place {
  readonly provider: KeyProvider
  run<T>(work: (provider: KeyProvider) => Promise<T>, isOver: () => boolean): Promise<T>
}

/** Frees a slot when the provider has answered, not when the caller gives up. */
function createPlace(provider: KeyProvider): Place {
  let running = 0
  const waiting: (() => void)[] = []
  return {
    provider,
    async run(work, isOver) {
      if (running >= provider.concurrency) {
        if (waiting.length >= WAITING_MAX) throw new KeyFailure('busy', 'too many signatures are waiting')
        // The previous call hands over its slot.
        await new Promise<void>((resolve) => void waiting.push(resolve))
      } else running += 1
      try {
        if (isOver()) throw new KeyFailure('late', 'the call waited too long for a slot')
        return await work(provider)
      } finally {
        const next = waiting.shift()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}

async function within<T>(deadlineMs: number, work: (isOver: () => boolean) => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    late.reject(new KeyFailure('late', `no answer within ${deadlineMs} ms`))
  }, deadlineMs)
  const working = work(() => isOver)
  // After a timeout this rejection has no other listener.
  working.catch(() => undefined)
  try {
    return await Promise.race([working, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

interface Pause {
  /** Throws while the key is paused. After the pause, lets one call try. */
  begin(): void
  end(failure: KeyFailure | null): void
}

function createPause(pauseMs: number, report: (failure: KeyFailure | null) => void): Pause {
  let failures = 0
  let until = 0
  return {
    begin() {
      if (failures < FAILURES_MAX) return
      if (now() < until) throw new KeyFailure('paused', 'the key failed several times in a row and is not used for now')
      until = now() + pauseMs
    },
    end(failure) {
      if (failure?.kind === 'paused') return
      const wasPaused = failures >= FAILURES_MAX
      failures = failure === null ? 0 : failures + 1
      if (failure !== null) until = now() + pauseMs
      const isPaused = failures >= FAILURES_MAX
      if (isPaused !== wasPaused) report(failure)
    },
  }
}

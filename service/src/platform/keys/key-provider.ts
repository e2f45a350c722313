// Defines a provider of keys. remote-keys.ts adds deadlines, limits and checks to its calls.

import { Refusal } from '../errors.ts'
import type { KeyAlgorithm } from './signing-key.ts'
import type { PinnedKey } from './stored-key.ts'

/** The maximum time for a signature, with its time in the queue. */
export const DEADLINE_MS = 2_000

export interface KeyProvider {
  /** How many calls the provider works on at the same time. Further calls wait. */
  readonly concurrency: number
  /** null: there is no key of this name. */
  find(reference: string): Promise<PinnedKey | null>
  /** Creates a key that never leaves the provider. */
  create(reference: string, algorithm: KeyAlgorithm): Promise<PinnedKey>
  sign(key: PinnedKey, bytes: Uint8Array): Promise<RemoteSignature>
  /** Encrypts a few bytes under a key of the provider. Creates the key if there is none. */
  wrap(reference: string, plain: Uint8Array): Promise<Uint8Array>
  unwrap(reference: string, wrapped: Uint8Array): Promise<Uint8Array>
  close(): Promise<void>
}

export interface RemoteSignature {
  /** How this provider encodes ECDSA signatures. */
  readonly encoding: 'raw' | 'der'
  readonly signature: Uint8Array
}

export type KeyFailureKind = 'away' | 'late' | 'throttled' | 'refused' | 'wrong_signature' | 'busy' | 'paused'

/** Why a provider of keys failed. The message is for the operator and contains no secret. */
export class KeyFailure extends Error {
  override readonly name = 'KeyFailure'
  readonly kind: KeyFailureKind

  constructor(kind: KeyFailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Callers get this refusal and can only retry later, when the key may work again. */
export const refusalOf = ({ kind }: KeyFailure): Refusal =>
  new Refusal('unavailable', {
    message: 'The service cannot sign at the moment.',
    retryAfterSeconds: 5,
    reason: `a key outside of this process did not sign: ${kind}`,
    missing: 'key',
  })

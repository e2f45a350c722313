// Defines a provider of keys. remote-keys.ts adds deadlines, limits and checks around its calls.

import { Refusal } from '../errors.ts'
import type { KeyAlgorithm } from './signing-key.ts'
import type { PinnedKey } from './stored-key.ts'

/** For a whole signature, with the time that it waits for its turn. */
export const DEADLINE_MS = 2_000

export interface KeyProvider {
  /** Calls that it works on at the same time; the others wait. */
  readonly concurrency: number
  /** null: there is no key of this name. */
  find(reference: string): Promise<PinnedKey | null>
  /** Creates a key that never leaves the place. */
  create(reference: string, algorithm: KeyAlgorithm): Promise<PinnedKey>
  sign(key: PinnedKey, bytes: Uint8Array): Promise<RemoteSignature>
  /** Encrypts a few bytes under a symmetric key of the place; `create`: makes that key where there is none. */
  wrap(reference: string, plain: Uint8Array): Promise<Uint8Array>
  unwrap(reference: string, wrapped: Uint8Array): Promise<Uint8Array>
  close(): Promise<void>
}

export interface RemoteSignature {
  /** How ECDSA signatures of this place are encoded. */
  readonly encoding: 'raw' | 'der'
  readonly signature: Uint8Array
}

export type KeyFailureKind = 'away' | 'late' | 'throttled' | 'refused' | 'wrong_signature' | 'busy' | 'paused'

/** Why a place of keys did not do what it should. The message is for the operator and holds no secret. */
export class KeyFailure extends Error {
  override readonly name = 'KeyFailure'
  readonly kind: KeyFailureKind

  constructor(kind: KeyFailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** For callers who can do nothing but come again, when the key is tried again. */
export const refusalOf = ({ kind }: KeyFailure): Refusal =>
  new Refusal('unavailable', {
    message: 'The service cannot sign at the moment.',
    retryAfterSeconds: 5,
    reason: `a key outside of this process did not sign: ${kind}`,
    missing: 'key',
  })

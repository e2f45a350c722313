// Simulates a key provider in memory, with faults that a test sets. SoftHSM is real, but never slow or faulty.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { KeyFailure, type KeyProvider, type RemoteSignature } from '../../../src/platform/keys/key-provider.ts'
import type { RemoteKeyOptions } from '../../../src/platform/keys/remote-keys.ts'
import { hashOf, type KeyAlgorithm, localKey } from '../../../src/platform/keys/signing-key.ts'
import type { PinnedKey } from '../../../src/platform/keys/stored-key.ts'

/** `der_for_raw`: announces r‖s signatures, and answers with DER. */
export type ProviderMode = 'signs' | 'away' | 'hangs' | 'disabled' | 'signs_with_another_key' | 'der_for_raw'

export interface MemoryProvider {
  /** Options for a service whose keys this provider has. */
  readonly remoteKeyOptions: Pick<RemoteKeyOptions, 'provide'>
  referenceOf(object: string): string
  /** Sets the fault of one key, or of all. Signatures that hang continue when the provider signs again. */
  set(mode: ProviderMode, object?: string): void
  /** Creates no keys of this kind; null: no restriction. */
  refuse(algorithm: KeyAlgorithm | null): void
  /** Returns how many keys it has created. */
  createdCount(): number
  /** Requested signatures, by object. */
  readonly signatures: ReadonlyMap<string, number>
}

const REFERENCE = 'pkcs11:token=memory;object='

export function memoryProvider(): MemoryProvider {
  const keys = new Map<string, KeyObject>()
  const modes = new Map<string, ProviderMode>()
  const signatures = new Map<string, number>()
  let all: ProviderMode = 'signs'
  let refused: KeyAlgorithm | null = null
  let createdCount = 0
  let awake = Promise.withResolvers<void>()
  const pinnedOf = (reference: string, privateKey: KeyObject): PinnedKey => {
    const { algorithm, publicKey } = localKey(privateKey)
    return { reference, algorithm, publicKey }
  }
  const requirePresent = () => {
    if (all === 'away') throw new KeyFailure('away', 'the provider is unavailable')
  }
  const provider: KeyProvider = {
    concurrency: 2,
    async find(reference) {
      requirePresent()
      const key = keys.get(reference)
      return key === undefined ? null : pinnedOf(reference, key)
    },
    async create(reference, algorithm) {
      requirePresent()
      if (algorithm === refused) throw new KeyFailure('refused', 'no keys of this kind')
      createdCount += 1
      const key = newKey(algorithm)
      keys.set(reference, key)
      return pinnedOf(reference, key)
    },
    async sign({ reference, algorithm }, bytes): Promise<RemoteSignature> {
      const object = reference.slice(REFERENCE.length)
      signatures.set(object, (signatures.get(object) ?? 0) + 1)
      const mode = () => modes.get(object) ?? all
      if (mode() === 'hangs') await awake.promise
      if (mode() === 'away') throw new KeyFailure('away', 'the provider is unavailable')
      const own = keys.get(reference)
      if (own === undefined || mode() === 'disabled') throw new KeyFailure('refused', 'the key is disabled')
      const key = mode() === 'signs_with_another_key' ? newKey(algorithm) : own
      if (mode() === 'der_for_raw') return { encoding: 'raw', signature: sign(hashOf(algorithm), bytes, key) }
      return { encoding: 'raw', signature: localKey(key).sign(bytes) }
    },
    wrap: async () => {
      throw new KeyFailure('refused', 'it wraps nothing')
    },
    unwrap: async () => {
      throw new KeyFailure('refused', 'it unwraps nothing')
    },
    close: async () => undefined,
  }
  return {
    remoteKeyOptions: { provide: async () => provider },
    signatures,
    createdCount: () => createdCount,
    refuse(algorithm) {
      refused = algorithm
    },
    referenceOf: (object) => `${REFERENCE}${object}`,
    set(mode, object) {
      if (object === undefined) {
        all = mode
        modes.clear()
      } else modes.set(object, mode)
      if (mode === 'hangs') return
      awake.resolve()
      awake = Promise.withResolvers<void>()
    },
  }
}

function newKey(algorithm: KeyAlgorithm): KeyObject {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519').privateKey
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
}

// What was already found in a fetched list? Remembered by the very bytes the caller keeps while the list is fresh, so that
// a list is parsed, verified and unpacked once and not for every credential. Times and chains are judged anew each time.

import type { KeyObject } from 'node:crypto'
import type { CompactJws } from '../jose.ts'
import type { CborMap } from '../mdoc/cbor.ts'
import type { CoseMessage } from '../mdoc/cose.ts'

export interface KnownList {
  jws: CompactJws | null | undefined
  cose: CoseMessage | undefined
  claims: CborMap | undefined
  /** Keys with which its signature held. */
  readonly signedWith: WeakSet<KeyObject>
  /** Unpacked; only of a list whose signature held, and only where it is small enough to be kept. */
  statuses: Uint8Array | undefined
}

export interface ListMemory {
  of(bytes: Uint8Array): KnownList
}

/** With STATUSES_BYTES_KEPT_MAX this bounds the memory to some 64 MB. */
const LISTS_MAX = 64
/** Eight million one-bit statuses. Larger lists are unpacked each time, off the main thread. */
export const STATUSES_BYTES_KEPT_MAX = 1024 * 1024

export function createListMemory(): ListMemory {
  const known = new Map<Uint8Array, KnownList>()
  return {
    of(bytes) {
      const found = known.get(bytes) ?? {
        jws: undefined,
        cose: undefined,
        claims: undefined,
        signedWith: new WeakSet<KeyObject>(),
        statuses: undefined,
      }
      // A Map iterates in insertion order: the first is the one unused for longest.
      known.delete(bytes)
      known.set(bytes, found)
      for (const oldest of known.keys()) {
        if (known.size <= LISTS_MAX) break
        known.delete(oldest)
      }
      return found
    },
  }
}

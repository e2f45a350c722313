// What was already found in a fetched list? Remembered by the very bytes the caller keeps while the list is fresh, so that
// a list is parsed, verified and unpacked once and not for every credential. Times and chains are judged anew each time.

import type { KeyObject } from 'node:crypto'
import type { CompactJws } from '../jose.ts'
import type { CborMap } from '../mdoc/cbor.ts'
import type { CoseMessage } from '../mdoc/cose.ts'
import type { CrlMemory } from './crl.ts'

export interface KnownList {
  jws: CompactJws | null | undefined
  cose: CoseMessage | undefined
  claims: CborMap | undefined
  /** Keys with which its signature held. */
  readonly signedWith: WeakSet<KeyObject>
  /** Unpacked; only of a list whose signature held, and only where it is small enough to be kept. */
  statuses: Uint8Array | undefined
}

export interface ListMemory extends CrlMemory {
  /** What was found in it before; an empty sheet for one that is not kept. */
  of(bytes: Uint8Array): KnownList
  /** Called when its signature held, and not before: what nobody signed is not kept and takes nobody's place. */
  keep(bytes: Uint8Array, known: KnownList): void
}

/** Eight million one-bit statuses. Larger lists are unpacked each time, off the main thread. */
export const STATUSES_BYTES_KEPT_MAX = 1024 * 1024
const BOUNDS = { lists: 64, bytes: 128 * 1024 * 1024 }
/** A token and what was parsed out of it, in its own lengths: a list of short identifiers grows most. */
const GROWTH = 8

export function createListMemory(bounds: Readonly<typeof BOUNDS> = BOUNDS): ListMemory {
  const kept = new Map<Uint8Array, KnownList>()
  // A Map iterates in insertion order: the first is the one unused for longest.
  const touch = (bytes: Uint8Array, known: KnownList) => {
    kept.delete(bytes)
    kept.set(bytes, known)
  }
  return {
    crls: new WeakMap(),
    of(bytes) {
      const known = kept.get(bytes)
      if (known !== undefined) touch(bytes, known)
      return known ?? emptySheet()
    },
    keep(bytes, known) {
      touch(bytes, known)
      let size = 0
      for (const [list, sheet] of kept) size += sizeOf(list, sheet)
      for (const [oldest, sheet] of kept) {
        if (kept.size <= bounds.lists && size <= bounds.bytes) break
        kept.delete(oldest)
        size -= sizeOf(oldest, sheet)
      }
    },
  }
}

function emptySheet(): KnownList {
  return {
    jws: undefined,
    cose: undefined,
    claims: undefined,
    signedWith: new WeakSet(),
    statuses: undefined,
  }
}

function sizeOf(list: Uint8Array, { statuses }: KnownList): number {
  return list.length * GROWTH + (statuses?.length ?? 0)
}

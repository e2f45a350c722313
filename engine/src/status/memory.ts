// Caches results about a list for as long as its owner keeps the list. Times and chains are judged each time.

import type { KeyObject } from 'node:crypto'
import { readList } from './content.ts'
import type { CrlContent, ListContent, StatusKind, TokenContent } from './list-types.ts'

export interface ListMemory {
  /** The content of lists that came as bytes only, by those bytes. */
  readonly contents: WeakMap<Uint8Array, ListContent>
  /** Whether the signature of the list is valid, by key. All that ask meanwhile wait for one verification. */
  readonly signatures: WeakMap<TokenContent, WeakMap<KeyObject, Promise<boolean>>>
  /** Why the list is not valid for an authority, by its fingerprint; null if it is valid. */
  readonly crlFaults: WeakMap<CrlContent, Map<string, string | null>>
}

export function createListMemory(): ListMemory {
  return { contents: new WeakMap(), signatures: new WeakMap(), crlFaults: new WeakMap() }
}

interface ReadableList {
  readonly bytes: Uint8Array
  readonly content?: ListContent
}

/** null if it is unreadable, or of another kind. */
export function contentOf(list: ReadableList, kind: StatusKind, memory: ListMemory): ListContent | null {
  const content = list.content ?? memory.contents.get(list.bytes) ?? readList(list.bytes, kind)
  if (content === null || content.list.kind !== kind) return null
  if (list.content === undefined) memory.contents.set(list.bytes, content)
  return content
}

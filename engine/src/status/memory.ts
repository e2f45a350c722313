// What was found out about a list before, for as long as its owner keeps it: no list is kept by this memory itself. Times and chains
// are judged again each time.

import type { KeyObject } from 'node:crypto'
import { readList } from './content.ts'
import type { CrlContent, ListContent, StatusKind, TokenContent } from './list-types.ts'

export interface ListMemory {
  /** Of lists that came without their content, by their bytes. */
  readonly contents: WeakMap<Uint8Array, ListContent>
  /** By key: whether the signature of the list holds with it. */
  readonly signatures: WeakMap<TokenContent, WeakMap<KeyObject, boolean>>
  /** By fingerprint of an authority: what speaks against the list as one of that authority's; null where nothing does. */
  readonly crlFaults: WeakMap<CrlContent, Map<string, string | null>>
}

export function createListMemory(): ListMemory {
  return { contents: new WeakMap(), signatures: new WeakMap(), crlFaults: new WeakMap() }
}

interface ReadableList {
  readonly bytes: Uint8Array
  readonly content?: ListContent
}

/** Null where it cannot be read, or is of another kind. */
export function contentOf(list: ReadableList, kind: StatusKind, memory: ListMemory): ListContent | null {
  const content = list.content ?? memory.contents.get(list.bytes) ?? readList(list.bytes, kind)
  if (content === null || content.list.kind !== kind) return null
  if (list.content === undefined) memory.contents.set(list.bytes, content)
  return content
}

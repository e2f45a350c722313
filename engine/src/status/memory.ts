// Caches results about a list as long as its owner keeps the list. Times and chains are judged every time.

import { spendHandover, type WorkBudget } from '../limits.ts'
import { readList } from './content.ts'
import type { CrlContent, ListContent, StatusKind, TokenContent } from './list-types.ts'

export interface ListMemory {
  /** The content of lists that were passed as bytes only, by those bytes. */
  readonly contents: WeakMap<Uint8Array, ListContent>
  /** Whether the signature of a list is valid, by `keyOf`. Concurrent callers share one verification. */
  readonly signatures: WeakMap<TokenContent | CrlContent, Map<string, Promise<boolean>>>
}

export function createListMemory(): ListMemory {
  return { contents: new WeakMap(), signatures: new WeakMap() }
}

/** A list has one signer, which changes rarely. Senders can choose other keys, which must not push out keys that are used. */
const KEYS_MAX = 16

interface Verification {
  readonly memory: ListMemory
  readonly budget: WorkBudget
  /** How many bytes are copied for the verifying thread. */
  readonly copiedBytes: number
  readonly verify: () => Promise<boolean>
}

/** `exceeded`: the budget is used up, so the signature is not verified. A cached result costs nothing. */
export function verifiedOnce(
  content: TokenContent | CrlContent,
  key: string,
  { memory: { signatures }, budget, copiedBytes, verify }: Verification,
): Promise<boolean | 'exceeded'> {
  const known = signatures.get(content) ?? new Map<string, Promise<boolean>>()
  signatures.set(content, known)
  const before = known.get(key)
  if (before === undefined && !spendHandover(budget, copiedBytes)) return Promise.resolve('exceeded')
  const holds = before ?? verify()
  known.delete(key)
  known.set(key, holds)
  const [oldest] = known.keys()
  if (known.size > KEYS_MAX && oldest !== undefined) known.delete(oldest)
  return holds
}

interface ReadableList {
  readonly bytes: Uint8Array
  readonly content?: ListContent
}

/** Returns null if the list is unreadable or of another kind. */
export function contentOf(list: ReadableList, kind: StatusKind, memory: ListMemory): ListContent | null {
  const content = list.content ?? memory.contents.get(list.bytes) ?? readList(list.bytes, kind)
  if (content === null || content.list.kind !== kind) return null
  if (list.content === undefined) memory.contents.set(list.bytes, content)
  return content
}

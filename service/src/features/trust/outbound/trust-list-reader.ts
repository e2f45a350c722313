// Parses published lists in a worker thread, one at a time: an owner's list may take half a second. Owners take turns.

import type { ListEntry, ListKind, ListProviders, PublishedList } from '@vidimus/engine'
import type { ShareBound } from '../../../platform/shares.ts'
import { createThreadTurns } from '../../../platform/threads/thread-turns.ts'
import type { AnchorFacts } from '../domain/anchor-facts.ts'
import type { TrustProblem } from '../domain/problem.ts'

export interface TrustListBytes {
  readonly bytes: Uint8Array
  readonly kind: ListKind
  readonly terms: {
    readonly providers: ListProviders
    readonly signer: Uint8Array | null
    readonly authority: Uint8Array | null
    readonly now: number
  }
  readonly bounds: TrustListBounds
}

export interface TrustListBounds {
  readonly bytes: number
  readonly values: number
  readonly elements: number
  readonly items: number
  /** Usable or not. */
  readonly entriesMax: number
  readonly withinMs: number
}

export interface ListedAuthority extends ListEntry {
  /** null: the certificate is unreadable. */
  readonly facts: AnchorFacts | null
  /** Whether its certificate may sign others. */
  readonly isAuthority: boolean
}

export type ParsedTrustList =
  | {
      readonly outcome: 'parsed'
      readonly about: Omit<PublishedList, 'entries' | 'ended'>
      readonly signerChain: readonly Uint8Array[] | null
      readonly entries: readonly ListedAuthority[]
      readonly ended: readonly ListedAuthority[]
      readonly sha256: Uint8Array
    }
  | { readonly outcome: 'refused'; readonly code: TrustProblem; readonly detail: string }

export interface TrustListReader {
  /** Does not ask whether the signer was revoked. null: too many lists wait, or this one took too long. */
  parse(owner: string, list: TrustListBytes): Promise<ParsedTrustList | null>
  close(): Promise<void>
}

interface ReaderOptions {
  readonly waiting?: ShareBound
  readonly report?: (problem: string) => void
}

/** Each with its bytes. The job that reads lists again has four at once. */
const WAITING: ShareBound = { each: 8, all: 48, reserve: 16, light: 1 }
/** Enough for the texts and values of an operator's longest list. */
const HEAP_MB = 384

export function createTrustListReader(options: ReaderOptions = {}): TrustListReader {
  const { waiting = WAITING, report = () => undefined } = options
  const turns = createThreadTurns<TrustListBytes, ParsedTrustList>({
    workerUrl: new URL('./trust-list-worker.ts', import.meta.url),
    heapMb: HEAP_MB,
    waiting,
    withinMs: ({ bounds }) => bounds.withinMs,
    report,
  })
  return { parse: (owner, list) => turns.run(owner, () => list), close: turns.close }
}

// Hands evidence bundles to a worker thread, one at a time, because a large one takes 20 ms. Merchants take turns.

import type { MerchantTerms } from '../../../core/result-keys/domain/result-key.ts'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { ShareBound } from '../../../platform/shares.ts'
import { createThreadTurns } from '../../../platform/threads/thread-turns.ts'
import type { BundleContent } from '../domain/bundle-content.ts'

export interface Bundle {
  readonly content: BundleContent
  readonly terms: MerchantTerms
}

export interface WrittenBundle {
  readonly jwe: string
  /** The hash of the JWE (base64url), which is in the receipt. */
  readonly sha256: string
}

export interface BundleWriter {
  /** Calls `contentOf` when the bundle is next. null if too many bundles wait, or if the thread failed. */
  write(realm: Realm, contentOf: () => BundleContent, terms: MerchantTerms): Promise<WrittenBundle | null>
  close(): Promise<void>
}

export interface WriterOptions {
  readonly waiting?: ShareBound
  readonly writeWithinMs?: number
  readonly workerUrl?: URL
  /** Called with the reason why a bundle was not written. The reason contains nothing of the bundle. */
  readonly report?: (problem: string) => void
}

/** Each with its response in memory; only the next one's is copied. */
const WAITING: ShareBound = { each: 64, all: 88, reserve: 24, light: 4 }
const WRITE_WITHIN_MS = 10_000
/** A bundle has at most 5 MB, and a few copies of it exist. */
const HEAP_MB = 160

export function createBundleWriter(options: WriterOptions = {}): BundleWriter {
  const workerUrl = options.workerUrl ?? new URL('./bundle-worker.ts', import.meta.url)
  const { waiting = WAITING, writeWithinMs = WRITE_WITHIN_MS, report = () => undefined } = options
  const withinMs = () => writeWithinMs
  const buffersOf = ({ content }: Bundle) => buffersIn(content)
  const turns = createThreadTurns<Bundle, WrittenBundle>({
    workerUrl,
    heapMb: HEAP_MB,
    waiting,
    withinMs,
    buffersOf,
    report,
  })
  return {
    write: (realm, contentOf, terms) => turns.run(realmName(realm), () => ({ content: contentOf(), terms })),
    close: turns.close,
  }
}

/** Only the content uses them. */
function buffersIn({ response, lists }: BundleContent): ArrayBuffer[] {
  return [response, ...lists].flatMap((part) => Object.values(part)).flatMap((value) => bufferOf(value) ?? [])
}

const bufferOf = (value: unknown) =>
  value instanceof Uint8Array && value.buffer instanceof ArrayBuffer ? value.buffer : null

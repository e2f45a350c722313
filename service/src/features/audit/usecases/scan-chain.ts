// Reads and verifies a whole chain: its entries in order, then its head and the head's MAC.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { entryHash, genesisHash } from '../domain/entry.ts'
import type { RecordedEntry } from '../domain/export.ts'
import type { HeadWithMac } from '../domain/head-macs.ts'
import {
  type ChainPoint,
  type ChainVerdict,
  type ChainVerifier,
  createChainVerifier,
  pointOver,
  type SignedPoint,
} from '../domain/verify-chain.ts'
import { loadAuditHead, loadEntry, readChainAfter } from '../store/trail.ts'

const PAGE = 1_000

export type ScanVerdict =
  | ChainVerdict
  /** All entries match, but the head has no valid MAC. */
  | { readonly outcome: 'untrusted'; readonly problem: string }

const NO_MAC =
  'the head of the chain has no MAC of this service: the chain was rewritten, or it is from before MACs and has not been adopted (`vidimus audit adopt`)'

/** Yields every entry in order, then returns the verdict. Entries up to `from` were verified before. */
export async function* scanChain(
  deps: Pick<Deps, 'db' | 'audit'>,
  realm: Realm,
  input: { readonly checkpoints: readonly SignedPoint[]; readonly from?: ChainPoint },
): AsyncGenerator<RecordedEntry, ScanVerdict> {
  // Loads the head before the entries: meanwhile the chain may grow, but never shrink.
  const begun = await loadAuditHead(deps.db, realm)
  const known = begun === null || begun.seq === 0 ? [] : [pointOver({ size: begun.seq, hash: Buffer.from(begun.hash) })]
  const verifier = createChainVerifier(realm, [...known, ...input.checkpoints], input.from)
  const head = yield* feedChain(deps.db, realm, { verifier, after: input.from?.seq ?? 0 })
  const verdict = judgeEnd(verifier.verdict(), head)
  if (verdict.outcome !== 'whole' || (head !== null && deps.audit.macs.holds(realm, head))) return verdict
  return { outcome: 'untrusted', problem: NO_MAC }
}

/** Whether the entries after `after` up to `to` follow each other, the entry before them, and precede the one after them. */
export async function isLinked(tx: Tx, realm: Realm, span: { readonly after: number; readonly to: number }) {
  let { after } = span
  const from = await pointAt(tx, realm, after)
  if (from === null) return false
  const verifier = createChainVerifier(realm, [], from)
  while (after <= span.to && verifier.isSound()) {
    const { entries } = await readChainAfter(tx, realm, { after, limit: Math.min(PAGE, span.to + 1 - after) })
    for (const entry of entries) verifier.add(entry)
    if (entries.length === 0) break
    after = entries.at(-1)?.seq ?? after
  }
  return verifier.isSound()
}

/** The stored entry as a place to start. It need not be genuine; that is for the entries before it to show. */
export async function pointAt(tx: Tx, realm: Realm, seq: number): Promise<ChainPoint | null> {
  if (seq === 0) return { seq, hash: genesisHash(realm), at: '' }
  const entry = await loadEntry(tx, realm, seq)
  return entry === null ? null : { seq, hash: entryHash(entry), at: '' }
}

/** Passes every entry after `after` to the verifier and yields it. Returns the head, read with the last entries. */
export async function* feedChain(
  tx: Tx,
  realm: Realm,
  input: { readonly verifier: ChainVerifier; readonly after: number },
): AsyncGenerator<RecordedEntry, HeadWithMac | null> {
  let { after } = input
  for (;;) {
    const { entries, head } = await readChainAfter(tx, realm, { after, limit: PAGE })
    for (const entry of entries) {
      input.verifier.add(entry)
      yield entry
    }
    if (entries.length < PAGE) return head
    after = entries.at(-1)?.seq ?? after
  }
}

/** Verifies that the head names the last entry. */
export function judgeEnd(verdict: ChainVerdict, head: HeadWithMac | null): ChainVerdict {
  if (verdict.outcome !== 'whole') return verdict
  const { entries } = verdict
  if (entries === 0) return { outcome: 'incomplete', seq: 1, problem: 'is missing: a chain begins with its tenant' }
  if (head === null) return { outcome: 'tampered', seq: entries, problem: 'belongs to a chain without a head' }
  if (head.seq > entries) {
    const problem = `is the last of the chain, but its head names entry ${head.seq}`
    return { outcome: 'incomplete', seq: entries, problem }
  }
  if (head.seq === entries && verdict.head.equals(head.hash)) return verdict
  return { outcome: 'tampered', seq: entries, problem: 'is not the one that the head of the chain names' }
}

/** Reads the scan to its end and returns the verdict. */
export async function readVerdict<T>(scan: AsyncGenerator<RecordedEntry, T>): Promise<T> {
  for (;;) {
    const step = await scan.next()
    if (step.done === true) return step.value
  }
}

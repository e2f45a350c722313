// Polls published lists, the operator's first. Each list has a time limit, so that a slow host does not delay others.

import { isListSignerRevoked } from '@vidimus/engine'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { isAddress, type TrustList } from '../domain/anchor.ts'
import { deleteAnchorsOfList, fillAnchorFacts, insertAnchors } from '../store/anchors.ts'
import { noteListedKeys } from '../store/listed-keys.ts'
import { listTrustLists, noteFailure, noteLoaded } from '../store/trust-lists.ts'
import { anchorsOf, keysMaxOf, type ListNeeds, loadedOf, readList, termsOf, typesFault } from './load-trust-list.ts'

const PARALLEL_LISTS = 4
/** After this time no further list is started. Started lists can finish, because the job's lease is much longer. */
export const REFRESH_MS = 600_000

/** Job: reads every list that has an address again. Checks for every list whether its signer was revoked. */
export async function refreshTrustLists(deps: ListNeeds, stopped: AbortSignal = NEVER_STOPPED): Promise<void> {
  const deadline = deps.clock.now() + REFRESH_MS
  await fillAnchorFacts(deps.db, stopped)
  const waiting = sortByPriority(await listTrustLists(deps.db))
  const work = async () => {
    while (deps.clock.now() < deadline) {
      stopped.throwIfAborted()
      const list = waiting.shift()
      if (list === undefined) return
      await refreshList(deps, list, stopped)
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: PARALLEL_LISTS }, work))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  if (waiting.length > 0) deps.log.warn('trust lists wait for the next run', { count: waiting.length })
}

/** The operator's lists first, then owners' lists that could be read last time, then the others. In each group, the longest untried first. */
function sortByPriority(lists: readonly TrustList[]): TrustList[] {
  const rank = ({ byOwner, failure }: TrustList) => (byOwner ? (failure === null ? 1 : 2) : 0)
  const since = ({ attemptedAt }: TrustList) => attemptedAt ?? ''
  return lists.toSorted((one, other) => {
    const difference = rank(one) - rank(other)
    if (difference !== 0) return difference
    return since(one) < since(other) ? -1 : Number(since(one) > since(other))
  })
}

/** Catches errors, so that one list does not stop the refresh of others. */
export async function refreshList(
  deps: ListNeeds,
  list: TrustList,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  // A list without a grant exists only for its keys.
  if (list.types.length === 0) return
  try {
    const replaced = isAddress(list.source) && (await refresh(deps, list))
    if (!replaced) await dropWhereSignerRevoked(deps, list)
  } catch (error) {
    stopped.throwIfAborted()
    deps.log.fault('a trust list could not be loaded', error)
    const at = instantOf(deps.clock.now())
    await noteFailure(deps.db, list, { at, failure: 'the list could not be loaded: see the log' })
  }
}

/** Returns whether a new issue replaced the previous one. */
async function refresh(deps: ListNeeds, list: TrustList): Promise<boolean> {
  const now = instantOf(deps.clock.now())
  const read = await readList(deps, list, null)
  if (read.outcome === 'refused') {
    await noteFailure(deps.db, list, { at: now, failure: read.detail, mismatched: read.code === 'list_mismatch' })
    deps.log.warn('a trust list could not be loaded', { outcome: read.detail })
    return false
  }
  const { anchors, keys } = anchorsOf(deps, list, { parsed: read, now })
  const tooLong = typesFault(list, anchors)
  if (tooLong !== null) {
    await noteFailure(deps.db, list, { at: now, failure: tooLong })
    return false
  }
  const replaced = await deps.db.transaction(async (tx) => {
    // An older issue may be a replay that brings back authorities which the list has removed.
    if (!(await noteLoaded(tx, list, { ...loadedOf(read), at: now }))) return false
    await deleteAnchorsOfList(tx, list)
    await insertAnchors(tx, anchors)
    await noteListedKeys(tx, list, { keys, at: now, most: keysMaxOf(list) })
    // Authorities that the list no longer names lose their trust, even if these are all. The address may also serve
    // another list now.
    if (anchors.length === 0) await noteFailure(tx, list, { at: now, failure: NO_PROVIDERS, mismatched: true })
    return true
  })
  deps.anchors.forget()
  if (!replaced)
    await noteFailure(deps.db, list, { at: now, failure: 'the address serves an older list than the one loaded' })
  return replaced
}

const NO_PROVIDERS = 'the list no longer names a provider for the types that it was granted'

/**
 * Drops the anchors of a list whose signer was revoked, because an attacker with the signer's key may have written the
 * list. If the signer's chain was not stored, checks the certificate from the import.
 */
async function dropWhereSignerRevoked(deps: ListNeeds, list: TrustList): Promise<void> {
  const { signer, kind } = list
  if (signer === null) return
  const chain = list.signerChain ?? [signer]
  if (!(await isListSignerRevoked(chain, kind, { ...termsOf(deps, list), signer }))) return
  const failure = "the list's signer has been revoked or is on hold"
  await deps.db.transaction(async (tx) => {
    await noteFailure(tx, list, { at: instantOf(deps.clock.now()), failure, mismatched: true })
    await deleteAnchorsOfList(tx, list)
  })
  deps.anchors.forget()
  deps.log.warn('a trust list lost its anchors', { outcome: failure })
}

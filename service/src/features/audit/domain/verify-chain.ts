// Verifies an audit chain entry by entry, in constant memory. The first fault is final.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { type CanonicalValue, canonicalJson } from '../../../platform/canonical-json.ts'
import { commitmentTo, entryHash, genesisHash } from './entry.ts'
import type { RecordedEntry } from './export.ts'
import { createLosses, type Lapse, type Losses, type Lost } from './losses.ts'

export type ChainVerdict =
  | { readonly outcome: 'whole'; readonly entries: number; readonly head: Buffer; readonly detailsErased: number }
  | { readonly outcome: 'tampered'; readonly seq: number; readonly problem: string }
  | { readonly outcome: 'incomplete'; readonly seq: number; readonly problem: string }

export interface ChainVerifier {
  add(entry: RecordedEntry): void
  /** Records that a line is not an entry. */
  addUnreadable(): void
  /** Whether no entry so far is wrong. Lost details may be accounted for later. */
  isSound(): boolean
  verdict(): ChainVerdict
}

/** An entry that is known to be genuine. The verification starts after it. */
export interface ChainPoint {
  readonly seq: number
  readonly hash: Buffer
  readonly at: string
}

/** A checkpoint of a chain. */
export interface SignedPoint {
  /** The checkpoint covers the entries 1 to `size`. */
  readonly size: number
  /** Whether the last covered entry has this hash. */
  readonly covers: (hash: Buffer) => boolean
}

export const pointOver = ({ size, hash }: { readonly size: number; readonly hash: Buffer }): SignedPoint => ({
  size,
  covers: (other) => hash.equals(other),
})

export function createChainVerifier(
  realm: Realm,
  checkpoints: readonly SignedPoint[],
  from: ChainPoint = { seq: 0, hash: genesisHash(realm), at: '' },
): ChainVerifier {
  let { seq, hash, at } = from
  let detailsErased = 0
  const bySize = Map.groupBy(checkpoints, ({ size }) => size)
  let fault: Extract<ChainVerdict, { outcome: 'tampered' }> | null = null
  let losses = createLosses()
  const tampered = (problem: string) => {
    fault = { outcome: 'tampered', seq: seq + 1, problem }
  }

  function add(recorded: RecordedEntry): void {
    if (fault !== null) return
    const judged = judgeEntry(recorded, { realm, seq: seq + 1, prev: hash, after: at })
    if (typeof judged === 'string') {
      tampered(judged)
      return
    }
    if (bySize.get(seq + 1)?.some(({ covers }) => !covers(judged.hash))) {
      tampered('does not match its checkpoint')
      return
    }
    if (!judged.erased && !explain(losses, recorded, judged)) {
      tampered('does not say which details were deleted')
      return
    }
    seq += 1
    hash = judged.hash
    at = judged.at
    if (judged.action === MOVED_AWAY) losses = createLosses()
    if (judged.erased) {
      detailsErased += 1
      losses.add({ seq, at, action: judged.action, object: judged.object })
    }
  }

  return {
    add,
    addUnreadable() {
      if (fault === null) tampered('is not readable')
    },
    isSound: () => fault === null,
    verdict() {
      if (fault !== null) return fault
      // Checked first, because the erasures that account for lost details may be among the missing entries.
      const furthest = checkpoints.reduce((most, { size }) => Math.max(most, size), 0)
      if (furthest > seq) {
        const problem = `is the last of the chain, but a checkpoint covers ${furthest} entries`
        return { outcome: 'incomplete', seq, problem }
      }
      const gone = losses.first()
      if (gone !== null)
        return { outcome: 'tampered', seq: gone, problem: 'has lost its details, and no erasure accounts for it' }
      return { outcome: 'whole', entries: seq, head: hash, detailsErased }
    },
  }
}

/** After this action, earlier details of the same verification may be gone. */
const ERASED = 'verification.erased'

/** After this action, the details of the named entries may be gone, if they are about webhook destinations. */
const DESTINATION_FORGOTTEN = 'destination.forgotten'

/** After this action, the details of the named entries may be gone, if they have the address of a team member. */
const ADDRESSES_FORGOTTEN = 'user.forgotten'
export const WITH_ADDRESS = ['user.invited', 'user.invitation_withdrawn', 'user.joined', 'user.removed']

/** After this action, all earlier details may be gone, because they moved with the tenant. */
export const MOVED_AWAY = 'tenant.moved_away'

/** After this action, the details of the named entries may be gone. */
export const LAPSE = 'verifications.lapsed'

/** Reads a lapse. Its own details are never erased. */
export const readLapse = (
  { seq, salt, details }: RecordedEntry,
  { at, object }: Pick<Judged, 'at' | 'object'>,
): Lapse => ({ seq, at, day: object.id, details: salt === null ? null : details })

/** Removes the losses that this entry accounts for. False if the entry must name the losses and does not. */
function explain(losses: Losses, recorded: RecordedEntry, judged: Judged): boolean {
  const { action, object } = judged
  if (action === LAPSE) return losses.lapse(readLapse(recorded, judged)) !== null
  // Entries from earlier releases name no entries, and so have no details.
  if (action === DESTINATION_FORGOTTEN && recorded.salt !== null)
    return losses.forget(recorded, (lost) => lost.object.type === object.type)
  if (action === ADDRESSES_FORGOTTEN) return losses.forget(recorded, (lost) => WITH_ADDRESS.includes(lost.action))
  if (action === ERASED || action === DESTINATION_FORGOTTEN) losses.erase(judged)
  return true
}

interface Expected {
  readonly realm: Realm
  readonly seq: number
  readonly prev: Buffer
  readonly after: string
}

interface Judged {
  readonly hash: Buffer
  readonly at: string
  readonly action: string
  readonly object: Lost['object']
  readonly erased: boolean
}

/** Returns the entry's content, or why it does not belong here. */
function judgeEntry(recorded: RecordedEntry, expected: Expected): Judged | string {
  const content = readEntry(recorded.entry)
  if (content === null) return 'is not a canonical entry'
  const { realm } = expected
  if (content.tenant !== realm.tenantId || content.environment !== realm.environment) return 'belongs to another chain'
  if (recorded.seq !== expected.seq || content.seq !== expected.seq) {
    return `is missing: ${content.seq === recorded.seq ? `entry ${content.seq}` : 'an entry with two numbers'} is in its place`
  }
  if (content.prev !== expected.prev.toString('hex')) return 'does not follow the entry before it'
  if (content.at <= expected.after) return 'is not later than the entry before it'
  const hash = entryHash(Buffer.from(recorded.entry, 'utf8'))
  if (hash.toString('hex') !== recorded.hash) return 'does not have the hash that was recorded'
  if (recorded.salt === null && (recorded.details ?? null) !== null) return 'has details without their salt'
  if (content.details === null && recorded.salt !== null) return 'commits to no details, but has some'
  if (content.details !== null && recorded.salt !== null && !isCommitted(recorded, content.details)) {
    return 'has other details than it commits to'
  }
  return {
    hash,
    at: content.at,
    action: content.action,
    object: content.object,
    erased: content.details !== null && recorded.salt === null,
  }
}

function isCommitted(recorded: RecordedEntry, commitment: string): boolean {
  const { details, salt } = recorded
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return false
  return commitmentTo(details as Record<string, CanonicalValue>, Buffer.from(salt ?? '', 'hex')) === commitment
}

interface EntryContent {
  readonly tenant: string
  readonly environment: string
  readonly seq: number
  readonly at: string
  readonly action: string
  readonly object: Lost['object']
  readonly details: string | null
  readonly prev: string
}

/** Accepts only canonical JSON: no duplicate members, no other order, no other spelling. */
function readEntry(text: string): EntryContent | null {
  try {
    const json = JSON.parse(text)
    const { v, tenant, environment, seq, at, action, object, details, prev } = json
    const texts = [tenant, environment, at, action, object?.type, object?.id, prev].every(
      (value) => typeof value === 'string',
    )
    const fits = v === 1 && texts && Number.isSafeInteger(seq) && (details === null || typeof details === 'string')
    if (!fits || canonicalJson(json) !== text) return null
    return { tenant, environment, seq, at, action, object, details, prev }
  } catch {
    return null
  }
}

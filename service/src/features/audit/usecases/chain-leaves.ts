// Creates the log leaves of audit chains, and reads them.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { blindingKeyOf, entranceKeyOf } from '../../transparency/domain/log/log-keys.ts'
import { loadLeaves } from '../../transparency/usecases/load-leaves.ts'
import {
  blindedHead,
  type ChainEnd,
  entranceLeaf,
  firstOrdinalOf,
  headKeyOf,
  isCommitment,
} from '../domain/blinded-heads.ts'
import { checkpointKey, openNoteOver } from '../domain/checkpoint.ts'
import { entryHash } from '../domain/entry.ts'
import { tenantLeafOf } from '../domain/head-leaves.ts'
import { findGrownChainsAcrossTenants, type GrownChain } from '../store/grown-chains.ts'
import { insertBlindedHeads, type LoggedHeadIndex } from '../store/logged-heads.ts'
import { dueSince } from './guard.ts'

type Needs = Pick<Deps, 'clock' | 'derivedKeys' | 'audit'>

/** The leaves of one trail's new head, or the entrance markers of new trails. */
export type TrailLeaves =
  | {
      readonly kind: 'trail'
      readonly realm: Realm
      readonly ordinal: number
      readonly seq: number
      readonly count: number
      readonly leavesAt: LeavesAt
    }
  | { readonly kind: 'entrance'; readonly count: number; readonly leavesAt: LeavesAt }

/** Returns the leaves for these positions in the log, which are in ascending order. */
export type LeavesAt = (indexes: readonly number[]) => readonly Buffer[]

export interface WaitingTrails {
  readonly waiting: readonly TrailLeaves[]
  /** How many trails have entered the log, including these. */
  readonly entrances: number
}

/** The state of the log before the new leaves. */
interface Entered {
  readonly size: number
  readonly epoch: number
  readonly entrances: number
}

const LEAVES_OF_HEAD = 2

/** Creates the leaves of all trails that have grown, at most `leavesMax` leaves. */
export async function gatherTrails(
  deps: Needs,
  tx: Tx,
  log: Entered & { readonly leavesMax: number },
): Promise<WaitingTrails & { readonly isComplete: boolean }> {
  const most = Math.floor(log.leavesMax / LEAVES_OF_HEAD)
  const chains = await gatherHeads(deps, tx, { size: log.size, most })
  const numbered = chains.map(({ realm, ordinal, head }) => ({ realm, ordinal, end: head }))
  const fitting = trailsWithin(log.leavesMax, numbered)
  const isComplete = chains.length < most && fitting.length === numbered.length
  return { ...leavesOfTrails(deps, fitting, log), isComplete }
}

/** Counts each chain's exact leaves, because a batch that was full too early would show how many chains grew. */
function trailsWithin(leavesMax: number, trails: readonly NumberedTrail[]): readonly NumberedTrail[] {
  let leaves = 0
  const end = trails.findIndex(({ ordinal }) => {
    leaves += LEAVES_OF_HEAD + (ordinal === 0 ? 1 : 0)
    return leaves > leavesMax
  })
  return end === -1 ? trails : trails.slice(0, end)
}

export interface NumberedTrail {
  readonly realm: Realm
  /** The ordinal after the newest head in the store; 0 if there is none. */
  readonly ordinal: number
  readonly end: ChainEnd
}

/** Adds an entrance marker for the first head of each chain. Entrance markers are numbered in log order. */
export function leavesOfTrails(
  { derivedKeys }: Pick<Deps, 'derivedKeys'>,
  trails: readonly NumberedTrail[],
  log: Omit<Entered, 'size'>,
): WaitingTrails {
  const first = firstOrdinalOf(log.epoch)
  const waiting = trails.map(({ realm, ordinal: next, end }): TrailLeaves => {
    const ordinal = Math.max(next, first)
    const key = headKeyOf(blindingKeyOf(derivedKeys, realm.tenantId), realm.environment)
    const leavesAt: LeavesAt = ([marker, commitment]) => {
      if (marker === undefined || commitment === undefined) throw new Error('bug: a head without two positions')
      return blindedHead(key, ordinal, end, commitment - marker)
    }
    return { kind: 'trail', realm, ordinal, seq: end.seq, count: LEAVES_OF_HEAD, leavesAt }
  })
  const key = entranceKeyOf(derivedKeys)
  const marks = trails
    .filter(({ ordinal }) => ordinal === 0)
    .map(({ realm }, i) => entranceLeaf(key, log.entrances + i, realm))
  if (marks.length > 0) waiting.push({ kind: 'entrance', count: marks.length, leavesAt: () => marks })
  return { waiting, entrances: log.entrances + marks.length }
}

/** Records the positions. `index` is the position of a trail's commitment. */
export const writeTrailPlaces = (
  tx: Tx,
  placed: readonly { readonly trail: Extract<TrailLeaves, { kind: 'trail' }>; readonly index: number }[],
): Promise<void> =>
  insertBlindedHeads(
    tx,
    placed.map(({ trail: { realm, ordinal, seq }, index }) => ({ ...realm, ordinal, seq, leafIndex: index })),
  )

/** Finds the heads to publish. Leaves out heads without a valid MAC, and chains that contradict the log. */
async function gatherHeads(
  deps: Needs,
  tx: Tx,
  { size, most }: { readonly size: number; readonly most: number },
): Promise<GrownChain[]> {
  const heads: GrownChain[] = []
  let after: Realm | null = null
  for (;;) {
    const limit = most - heads.length
    const grown: GrownChain[] = await findGrownChainsAcrossTenants(tx, { after, limit, size, dueSince: dueSince(deps) })
    const genuine = grown.filter(({ realm, head }) => deps.audit.macs.holds(realm, head))
    const leaves = await loadLeaves(
      tx,
      genuine.flatMap(({ last }) => (last === null ? [] : [last.leafIndex])),
    )
    heads.push(...genuine.filter((chain) => matchesLog(deps, chain, leaves)))
    after = grown.at(-1)?.realm ?? null
    if (grown.length < limit || heads.length === most) return heads
  }
}

/**
 * Whether the chain contains its last head in the log, or its last note from before the log. The job that reads the
 * whole log checks whether that leaf was signed.
 */
function matchesLog({ derivedKeys }: Needs, chain: GrownChain, leaves: ReadonlyMap<number, Buffer>): boolean {
  const { realm, last, note } = chain
  if (note !== null) return openNoteOver(note, checkpointKey(derivedKeys).publicKey, realm) !== null
  if (last === null) return true
  const logged = readLoggedHead(blindingKeyOf(derivedKeys, realm.tenantId), realm, last, leaves)
  return logged?.seq === last.seq && last.entry !== null && logged.covers(entryHash(last.entry))
}

/**
 * Reads the leaf that the store names for this head; null if it is missing, or not a head of this chain from before
 * blinding. A blinded one is this chain's head if it covers the hash of the entry.
 */
export function readLoggedHead(
  blindingKey: Buffer,
  realm: Realm,
  named: LoggedHeadIndex,
  leaves: ReadonlyMap<number, Buffer>,
): { readonly seq: number; readonly covers: (hash: Uint8Array) => boolean } | null {
  const { seq, ordinal, leafIndex } = named
  const leaf = leaves.get(leafIndex)
  if (leaf === undefined) return null
  if (ordinal === null) {
    const old = tenantLeafOf(leaf, blindingKey, realm)
    return old === null ? null : { seq: old.seq, covers: (hash) => old.hash.equals(hash) }
  }
  const key = headKeyOf(blindingKey, realm.environment)
  return { seq, covers: (hash) => isCommitment(key, { ordinal, seq, hash }, leaf) }
}

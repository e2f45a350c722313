// The log leaves of audit chains: those that wait to enter the log, and what the log has of a chain.

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
  openHeadAt,
} from '../domain/blinded-heads.ts'
import { checkpointKey, openNoteOver } from '../domain/checkpoint.ts'
import { entryHash } from '../domain/entry.ts'
import { tenantLeafOf } from '../domain/head-leaves.ts'
import { findGrownChainsAcrossTenants, type GrownChain } from '../store/grown-chains.ts'
import { insertBlindedHeads, type LoggedHeadIndex } from '../store/logged-heads.ts'
import { dueSince } from './guard.ts'

type Needs = Pick<Deps, 'clock' | 'derivedKeys' | 'audit'>

/** Leaves of one trail, or the entrance markers of trails. */
export type TrailLeaves =
  | {
      readonly kind: 'trail'
      readonly realm: Realm
      readonly ordinal: number
      readonly seq: number
      readonly leaves: readonly Buffer[]
    }
  | { readonly kind: 'entrance'; readonly leaves: readonly Buffer[] }

export interface WaitingTrails {
  readonly waiting: readonly TrailLeaves[]
  /** How many trails have entered the log, including these. */
  readonly entrances: number
}

/** The log that they enter. */
interface Entered {
  readonly size: number
  readonly epoch: number
  readonly entrances: number
}

/** A head and its chain's entrance marker are three leaves. */
const LEAVES_OF_CHAIN = 3

/** For every trail that has grown, as many as `leavesMax` holds. */
export async function gatherTrails(
  deps: Needs,
  tx: Tx,
  log: Entered & { readonly leavesMax: number },
): Promise<WaitingTrails & { readonly isComplete: boolean }> {
  const most = Math.floor(log.leavesMax / LEAVES_OF_CHAIN)
  const chains = await gatherHeads(deps, tx, { size: log.size, most })
  const numbered = chains.map(({ realm, ordinal, head }) => ({ realm, ordinal, end: head }))
  return { ...leavesOfTrails(deps, numbered, log), isComplete: chains.length < most }
}

export interface NumberedTrail {
  readonly realm: Realm
  /** After the newest in the store; 0: it has none. */
  readonly ordinal: number
  readonly end: ChainEnd
}

/** A chain's first head comes with its entrance marker; these are in the order of their numbers. */
export function leavesOfTrails(
  { derivedKeys }: Pick<Deps, 'derivedKeys'>,
  trails: readonly NumberedTrail[],
  log: Omit<Entered, 'size'>,
): WaitingTrails {
  const first = firstOrdinalOf(log.epoch)
  const waiting = trails.map(({ realm, ordinal: next, end }): TrailLeaves => {
    const ordinal = Math.max(next, first)
    const key = headKeyOf(blindingKeyOf(derivedKeys, realm.tenantId), realm.environment)
    return { kind: 'trail', realm, ordinal, seq: end.seq, leaves: blindedHead(key, ordinal, end) }
  })
  const key = entranceKeyOf(derivedKeys)
  const marks = trails
    .filter(({ ordinal }) => ordinal === 0)
    .map(({ realm }, i) => entranceLeaf(key, log.entrances + i, realm))
  if (marks.length > 0) waiting.push({ kind: 'entrance', leaves: marks })
  return { waiting, entrances: log.entrances + marks.length }
}

/** `index`: the index of the first leaf of each. */
export const writeTrailPlaces = (
  tx: Tx,
  placed: readonly { readonly trail: Extract<TrailLeaves, { kind: 'trail' }>; readonly index: number }[],
): Promise<void> =>
  insertBlindedHeads(
    tx,
    placed.map(({ trail: { realm, ordinal, seq }, index }) => ({ ...realm, ordinal, seq, leafIndex: index + 1 })),
  )

/** Never publishes a head without this service's valid MAC, or whose chain is not the one that the log has. */
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
    const sealed = grown.filter(({ realm, head }) => deps.audit.macs.holds(realm, head))
    const leaves = await loadLeaves(
      tx,
      sealed.flatMap(({ last }) => (last === null ? [] : placesOf(last))),
    )
    heads.push(...sealed.filter((chain) => goesOn(deps, chain, leaves)))
    after = grown.at(-1)?.realm ?? null
    if (grown.length < limit || heads.length === most) return heads
  }
}

/** The leaf indexes of a head. */
export const placesOf = ({ leafIndex, ordinal }: LoggedHeadIndex): number[] =>
  ordinal === null ? [leafIndex] : [leafIndex - 1, leafIndex]

/**
 * Compares with what the log has of it, or with its last note from before the log. Reading the whole log shows whether
 * that leaf was signed.
 */
function goesOn({ derivedKeys }: Needs, chain: GrownChain, leaves: ReadonlyMap<number, Buffer>): boolean {
  const { realm, last, note } = chain
  if (note !== null) return openNoteOver(note, checkpointKey(derivedKeys).publicKey, realm) !== null
  if (last === null) return true
  const logged = readLoggedHead(blindingKeyOf(derivedKeys, realm.tenantId), realm, last, leaves)
  return logged?.seq === last.seq && last.entry !== null && logged.covers(entryHash(last.entry))
}

/** The content of the leaves that the store names for this head; null if they are not a head of this chain. */
export function readLoggedHead(
  blindingKey: Buffer,
  realm: Realm,
  named: LoggedHeadIndex,
  leaves: ReadonlyMap<number, Buffer>,
): { readonly seq: number; readonly covers: (hash: Uint8Array) => boolean } | null {
  const { ordinal, leafIndex } = named
  const leaf = leaves.get(leafIndex)
  if (leaf === undefined) return null
  if (ordinal === null) {
    const old = tenantLeafOf(leaf, blindingKey, realm)
    return old === null ? null : { seq: old.seq, covers: (hash) => old.hash.equals(hash) }
  }
  const marker = leaves.get(leafIndex - 1)
  const key = headKeyOf(blindingKey, realm.environment)
  return marker === undefined ? null : openHeadAt(key, ordinal, { marker, commitment: leaf, index: leafIndex })
}

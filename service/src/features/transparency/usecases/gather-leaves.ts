// What waits to enter the log: heads of chains that went on, and receipts. Each knows how it looks there, and what is written down once its
// place is known.

import { createPublicKey } from 'node:crypto'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { readNote } from '../../../platform/signed-note.ts'
import { checkpointKey, openNoteOver } from '../../audit/domain/checkpoint.ts'
import { entryHash } from '../../audit/domain/entry.ts'
import { dueSince } from '../../audit/usecases/guard.ts'
import { LEAVES_MAX } from '../domain/log/batch.ts'
import {
  blindedHead,
  type ChainEnd,
  entranceLeaf,
  firstOrdinalOf,
  headKeyOf,
  openHeadAt,
} from '../domain/log/blinded-heads.ts'
import { epochNumber, readHead } from '../domain/log/checkpoint.ts'
import { receiptLeaf, tenantLeafOf } from '../domain/log/leaves.ts'
import { blindingKeyOf, entranceKeyOf } from '../domain/log/log-keys.ts'
import { keyOfTile, TILE_WIDTH, unpackEntries } from '../domain/log/tiles.ts'
import {
  ENTRIES_LEVEL,
  findGrownChainsAcrossTenants,
  findUnloggedReceiptsAcrossTenants,
  type GrownChain,
  type LockedLog,
  loadTiles,
  noteLoggedReceipts,
} from '../store/log.ts'
import { insertBlindedHeads, type LoggedHeadIndex } from '../store/logged-heads.ts'

type Needs = Pick<Deps, 'clock' | 'sealer' | 'headMacs'>

/** Leaves that stand one behind the other. */
export type Waiting =
  | {
      readonly kind: 'head'
      readonly realm: Realm
      readonly ordinal: number
      readonly seq: number
      readonly leaves: readonly Buffer[]
    }
  | { readonly kind: 'receipt'; readonly verificationId: string; readonly leaves: readonly Buffer[] }
  | { readonly kind: 'entrance' | 'epoch' | 'padding'; readonly leaves: readonly Buffer[] }

export interface Gathered {
  readonly waiting: readonly Waiting[]
  /** How many chains have entered the log with these. */
  readonly entrances: number
  /** Nothing that waited was left out. */
  readonly isComplete: boolean
}

/** A head and the mark of its chain's entrance are three leaves. */
const HEADS_MAX = Math.floor(LEAVES_MAX / 3)

export async function gatherLeaves(deps: Needs, tx: Tx, log: LockedLog): Promise<Gathered> {
  const chains = await gatherHeads(deps, tx, log.size)
  const heads = waitingHeads(
    deps,
    chains.map(({ realm, ordinal, head }) => ({ realm, ordinal, end: head })),
    log,
  )
  const room = LEAVES_MAX - heads.waiting.reduce((sum, { leaves }) => sum + leaves.length, 0)
  const receipts = await findUnloggedReceiptsAcrossTenants(tx, room)
  return {
    waiting: [
      ...heads.waiting,
      ...receipts.map(({ verificationId, jws }) => ({
        kind: 'receipt' as const,
        verificationId,
        leaves: [receiptLeaf(jws)],
      })),
    ],
    entrances: heads.entrances,
    isComplete: chains.length < HEADS_MAX && receipts.length < room,
  }
}

export interface NumberedHead {
  readonly realm: Realm
  /** Behind the newest that the store has; 0: it has none. */
  readonly ordinal: number
  readonly end: ChainEnd
}

/** A chain's first head comes with the mark that the chain entered; these stand in the order of their numbers. */
export function waitingHeads(
  { sealer }: Pick<Deps, 'sealer'>,
  heads: readonly NumberedHead[],
  log: Pick<LockedLog, 'note' | 'entrances'>,
): { readonly waiting: Waiting[]; readonly entrances: number } {
  const first = firstOrdinalOf(epochOf(log))
  const waiting = heads.map(({ realm, ordinal: next, end }): Waiting => {
    const ordinal = Math.max(next, first)
    const key = headKeyOf(blindingKeyOf(sealer, realm.tenantId), realm.environment)
    return { kind: 'head', realm, ordinal, seq: end.seq, leaves: blindedHead(key, ordinal, end) }
  })
  const key = entranceKeyOf(sealer)
  const marks = heads
    .filter(({ ordinal }) => ordinal === 0)
    .map(({ realm }, i) => entranceLeaf(key, log.entrances + i, realm))
  if (marks.length > 0) waiting.push({ kind: 'entrance', leaves: marks })
  return { waiting, entrances: log.entrances + marks.length }
}

/** Of the last checkpoint, whose signature its writer has checked. */
function epochOf({ note }: Pick<LockedLog, 'note'>): number {
  const read = note === null ? null : readNote(note)
  return epochNumber(read === null ? null : (readHead(read)?.epoch ?? null))
}

/** `index`: where the first leaf of each stands. */
export async function writePlaces(
  tx: Tx,
  placed: readonly { readonly item: Waiting; readonly index: number }[],
): Promise<void> {
  await insertBlindedHeads(
    tx,
    placed.flatMap(({ item, index }) =>
      item.kind === 'head' ? [{ ...item.realm, ordinal: item.ordinal, seq: item.seq, leafIndex: index + 1 }] : [],
    ),
  )
  await noteLoggedReceipts(
    tx,
    placed.flatMap(({ item, index }) =>
      item.kind === 'receipt' ? [{ verificationId: item.verificationId, leafIndex: index }] : [],
    ),
  )
}

/** A head that is not sealed by this service, or whose chain is not the one that the log has, is nobody's to publish. */
async function gatherHeads(deps: Needs, tx: Tx, size: number): Promise<GrownChain[]> {
  const heads: GrownChain[] = []
  let after: Realm | null = null
  for (;;) {
    const limit = HEADS_MAX - heads.length
    const grown: GrownChain[] = await findGrownChainsAcrossTenants(tx, { after, limit, size, dueSince: dueSince(deps) })
    const sealed = grown.filter(({ realm, head }) => deps.headMacs.holds(realm, head))
    const leaves = await loadLeaves(
      tx,
      sealed.flatMap(({ last }) => (last === null ? [] : placesOf(last))),
    )
    heads.push(...sealed.filter((chain) => goesOn(deps, chain, leaves)))
    after = grown.at(-1)?.realm ?? null
    if (grown.length < limit || heads.length === HEADS_MAX) return heads
  }
}

/** Which leaves a head is. */
export const placesOf = ({ leafIndex, ordinal }: LoggedHeadIndex): number[] =>
  ordinal === null ? [leafIndex] : [leafIndex - 1, leafIndex]

/**
 * From what the log has of it, or from its last note before there was a log. Whether that leaf is one that was signed is seen when
 * the whole log is read.
 */
function goesOn({ sealer }: Needs, chain: GrownChain, leaves: ReadonlyMap<number, Buffer>): boolean {
  const { realm, last, note } = chain
  if (note !== null) return openNoteOver(note, createPublicKey(checkpointKey(sealer)), realm) !== null
  if (last === null) return true
  const logged = readLoggedHead(blindingKeyOf(sealer, realm.tenantId), realm, last, leaves)
  return logged?.seq === last.seq && last.entry !== null && logged.covers(entryHash(last.entry))
}

/** What the leaves say that the store names for this head; null where they are no head of this chain. */
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

/** By their place; what is not there is left out. */
export async function loadLeaves(tx: Tx, indexes: readonly number[]): Promise<Map<number, Buffer>> {
  const tileOf = (index: number) => ({ level: ENTRIES_LEVEL, index: Math.floor(index / TILE_WIDTH) })
  const names = new Map(indexes.map((index) => [keyOfTile(tileOf(index)), tileOf(index)]))
  const tiles = await loadTiles(tx, [...names.values()])
  const unpacked = new Map([...tiles].map(([key, bytes]) => [key, unpackEntries(bytes) ?? []]))
  return new Map(
    indexes.flatMap((index) => {
      const leaf = unpacked.get(keyOfTile(tileOf(index)))?.[index % TILE_WIDTH]
      return leaf === undefined ? [] : [[index, leaf] as const]
    }),
  )
}

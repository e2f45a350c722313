// Collects the audit trails and receipts that wait to enter the log, with their leaves.

import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { readNote } from '../../../platform/signed-note.ts'
import type { Random } from '../../../platform/world.ts'
import {
  gatherTrails,
  type LeavesAt,
  leavesOfTrails,
  type NumberedTrail,
  type TrailLeaves,
  type WaitingTrails,
  writeTrailPlaces,
} from '../../audit/usecases/chain-leaves.ts'
import { epochNumber, readTreeHead } from '../domain/log/checkpoint.ts'
import { LEAF_SALT_BYTES, receiptLeaf, saltedReceiptLeaf } from '../domain/log/leaves.ts'
import type { LockedLog } from '../store/log.ts'
import {
  findArrivedReceiptsAcrossTenants,
  findUnloggedReceiptsAcrossTenants,
  noteLoggedReceipts,
  type UnloggedReceipt,
} from '../store/receipt-places.ts'

/** What takes `count` places in a batch. */
export type Waiting =
  | TrailLeaves
  | WaitingReceipt
  | { readonly kind: 'epoch' | 'padding'; readonly count: 1; readonly leavesAt: LeavesAt }

interface WaitingReceipt {
  readonly kind: 'receipt'
  readonly receipt: UnloggedReceipt
  /** null: the leaf has no salt. */
  readonly salt: Buffer | null
  readonly count: 1
  readonly leavesAt: LeavesAt
}

export interface Gathered extends Pick<WaitingTrails, 'entrances'> {
  readonly waiting: readonly Waiting[]
  /** Whether everything that waited is included. */
  readonly isComplete: boolean
  /** Whether more waits for the next batch. */
  readonly hasMore: boolean
}

export async function gatherLeaves(
  deps: Pick<Deps, 'clock' | 'derivedKeys' | 'audit'>,
  tx: Tx,
  log: LockedLog,
  leavesMax: number,
): Promise<Gathered> {
  const { size, entrances } = log
  const trails = await gatherTrails(deps, tx, { size, entrances, epoch: epochOf(log), leavesMax })
  const room = leavesMax - trails.waiting.reduce((sum, { count }) => sum + count, 0)
  const receipts = await findUnloggedReceiptsAcrossTenants(tx, room)
  const isComplete = trails.isComplete && receipts.length < room
  return {
    waiting: [...trails.waiting, ...receipts.map(leafOf)],
    entrances: trails.entrances,
    isComplete,
    hasMore: !isComplete,
  }
}

const leafOf = (receipt: UnloggedReceipt): WaitingReceipt => ({
  kind: 'receipt',
  receipt,
  salt: null,
  count: 1,
  leavesAt: () => [receiptLeaf(receipt.jws)],
})

/**
 * Collects receipts that came with a tenant. They only replace padding, because a batch of their own would show how
 * many there are. Salts prevent linking their leaves to those in the other installation's log.
 */
export async function gatherArrived(tx: Tx, placesMax: number, random: Random): Promise<Waiting[]> {
  const found = placesMax === 0 ? [] : await findArrivedReceiptsAcrossTenants(tx, placesMax)
  return found.map((receipt) => {
    const salt = Buffer.from(random(LEAF_SALT_BYTES))
    return { kind: 'receipt', receipt, salt, count: 1, leavesAt: () => [saltedReceiptLeaf(receipt.jws, salt)] }
  })
}

/** Collects the leaf of one trail, even if the log already has part of the trail. */
export const waitingTrail = (
  deps: Pick<Deps, 'derivedKeys'>,
  trail: NumberedTrail,
  log: Pick<LockedLog, 'note' | 'entrances'>,
): WaitingTrails => leavesOfTrails(deps, [trail], { epoch: epochOf(log), entrances: log.entrances })

/** Reads the epoch from the last checkpoint. The writer has already verified its signature. */
function epochOf({ note }: Pick<LockedLog, 'note'>): number {
  const read = note === null ? null : readNote(note)
  return epochNumber(read === null ? null : (readTreeHead(read)?.epoch ?? null))
}

/** `index` is the position of each item's last leaf. */
export async function writePlaces(
  tx: Tx,
  placed: readonly { readonly item: Waiting; readonly index: number }[],
): Promise<void> {
  await writeTrailPlaces(
    tx,
    placed.flatMap(({ item, index }) => (item.kind === 'trail' ? [{ trail: item, index }] : [])),
  )
  await noteLoggedReceipts(
    tx,
    placed.flatMap(({ item, index }) =>
      item.kind === 'receipt' ? [{ receipt: item.receipt, leafIndex: index, leafSalt: item.salt }] : [],
    ),
  )
}

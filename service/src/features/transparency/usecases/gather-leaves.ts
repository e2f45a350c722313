// Collects the audit trails and receipts that wait to enter the log, with their leaves.

import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { readNote } from '../../../platform/signed-note.ts'
import {
  gatherTrails,
  leavesOfTrails,
  type NumberedTrail,
  type TrailLeaves,
  type WaitingTrails,
  writeTrailPlaces,
} from '../../audit/usecases/chain-leaves.ts'
import { LEAVES_MAX } from '../domain/log/batch.ts'
import { epochNumber, readTreeHead } from '../domain/log/checkpoint.ts'
import { receiptLeaf } from '../domain/log/leaves.ts'
import type { LockedLog } from '../store/log.ts'
import {
  findArrivedReceiptsAcrossTenants,
  findUnloggedReceiptsAcrossTenants,
  noteLoggedReceipts,
  type UnloggedReceipt,
} from '../store/receipt-places.ts'

/** Leaves that are consecutive in the log. */
export type Waiting =
  | TrailLeaves
  | { readonly kind: 'receipt'; readonly receipt: UnloggedReceipt; readonly leaves: readonly Buffer[] }
  | { readonly kind: 'epoch' | 'padding'; readonly leaves: readonly Buffer[] }

export interface Gathered extends Pick<WaitingTrails, 'entrances'> {
  readonly waiting: readonly Waiting[]
  /** Nothing that waited was left out. */
  readonly isComplete: boolean
}

export async function gatherLeaves(
  deps: Pick<Deps, 'clock' | 'derivedKeys' | 'audit'>,
  tx: Tx,
  log: LockedLog,
): Promise<Gathered> {
  const { size, entrances } = log
  const trails = await gatherTrails(deps, tx, { size, entrances, epoch: epochOf(log), leavesMax: LEAVES_MAX })
  const room = LEAVES_MAX - trails.waiting.reduce((sum, { leaves }) => sum + leaves.length, 0)
  const receipts = await findUnloggedReceiptsAcrossTenants(tx, room)
  return {
    waiting: [...trails.waiting, ...receipts.map(leafOf)],
    entrances: trails.entrances,
    isComplete: trails.isComplete && receipts.length < room,
  }
}

const leafOf = (receipt: UnloggedReceipt) => ({ kind: 'receipt', receipt, leaves: [receiptLeaf(receipt.jws)] }) as const

/** Receipts that came with a tenant. They only take the place of padding: a batch for them would show how many it had. */
export const gatherArrived = async (tx: Tx, placesMax: number): Promise<Waiting[]> =>
  placesMax === 0 ? [] : (await findArrivedReceiptsAcrossTenants(tx, placesMax)).map(leafOf)

/** Collects one trail, whatever the log has of it. */
export const waitingTrail = (
  deps: Pick<Deps, 'derivedKeys'>,
  trail: NumberedTrail,
  log: Pick<LockedLog, 'note' | 'entrances'>,
): WaitingTrails => leavesOfTrails(deps, [trail], { epoch: epochOf(log), entrances: log.entrances })

/** From the last checkpoint, whose signature the writer has checked. */
function epochOf({ note }: Pick<LockedLog, 'note'>): number {
  const read = note === null ? null : readNote(note)
  return epochNumber(read === null ? null : (readTreeHead(read)?.epoch ?? null))
}

/** `index`: the index of the first leaf of each. */
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
    placed.flatMap(({ item, index }) => (item.kind === 'receipt' ? [{ receipt: item.receipt, leafIndex: index }] : [])),
  )
}

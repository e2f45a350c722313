// Appends a padded batch to the log and signs the new head. One transaction locks the log's row and does both.

import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { NoteSigner } from '../../../platform/signed-note.ts'
import { instantOf, NEVER_STOPPED, type Random } from '../../../platform/world.ts'
import { firstOrdinalOf } from '../../audit/domain/blinded-heads.ts'
import type { NumberedTrail } from '../../audit/usecases/chain-leaves.ts'
import { arrangeLeaves, arrivedMaxOf, planBatch, REAL_LEAVES_MAX } from '../domain/log/batch.ts'
import { type EpochMark, openTreeHead, signTreeHead } from '../domain/log/checkpoint.ts'
import { epochLeaf } from '../domain/log/epoch.ts'
import { LEAF_CONTENT_BYTES, opaqueLeaf } from '../domain/log/leaves.ts'
import { logSigner, originOf } from '../domain/log/log-keys.ts'
import { leafHash } from '../domain/log/merkle.ts'
import {
  edgeOf,
  growTiles,
  hashOfLeaves,
  keyOfTile,
  packEntries,
  TILE_WIDTH,
  type TileName,
  tilesOfRanges,
} from '../domain/log/tiles.ts'
import {
  countHaltedRun,
  ENTRIES_LEVEL,
  haltLog,
  type LockedLog,
  loadTiles,
  lockLog,
  type StoredLog,
  saveLog,
  saveTiles,
} from '../store/log.ts'
import { findArrivedReceiptsAcrossTenants } from '../store/receipt-places.ts'
import { type Gathered, gatherArrived, gatherLeaves, type Waiting, waitingTrail, writePlaces } from './gather-leaves.ts'

export type GrowthNeeds = Pick<Deps, 'db' | 'clock' | 'random' | 'derivedKeys' | 'audit' | 'config' | 'log' | 'metrics'>

type Growth =
  /** `real`: leaves that are not padding. */
  | { readonly outcome: 'grown'; readonly leaves: number; readonly real: number }
  | { readonly outcome: 'halted'; readonly why: string }

/** Appends batches until nothing waits and the plan ends. Halts the log if the store does not match the last signed head. */
export async function growLog(deps: GrowthNeeds, stopped: AbortSignal = NEVER_STOPPED): Promise<Growth> {
  const grown = { leaves: 0, real: 0 }
  for (;;) {
    stopped.throwIfAborted()
    const batch = await deps.db.transaction((tx) =>
      append(deps, tx, (log, leavesMax) => gatherLeaves(deps, tx, log, leavesMax)),
    )
    if (batch.outcome === 'halted') {
      await countHaltedRun(deps.db)
      deps.metrics.alarms.inc({ alarm: 'log_halted' })
      deps.log.warn(`the log is halted: ${batch.why}`)
      return batch
    }
    grown.leaves += batch.leaves
    grown.real += batch.real
    if (!batch.hasNext) return { outcome: 'grown', ...grown }
  }
}

/** Appends one audit trail that an operator vouches for, even if the log already has part of it. */
export const logTrail = (deps: GrowthNeeds, tx: Tx, trail: NumberedTrail) =>
  append(deps, tx, async (log) => ({ ...waitingTrail(deps, trail, log), isComplete: false, hasMore: false }))

type Appended =
  | (Extract<Growth, { outcome: 'grown' }> & { readonly hasNext: boolean })
  | Extract<Growth, { outcome: 'halted' }>

/** Continues the log in a new epoch. The first leaf binds the statement that opens the epoch. */
export const appendEpoch = (deps: GrowthNeeds, tx: Tx, mark: EpochMark) =>
  append(
    deps,
    tx,
    async () => ({
      waiting: [{ kind: 'epoch', count: 1, leavesAt: () => [epochLeaf(mark)] }],
      entrances: firstOrdinalOf(mark.number),
      isComplete: false,
      hasMore: false,
    }),
    mark,
  )

async function append(
  deps: GrowthNeeds,
  tx: Tx,
  gather: (log: LockedLog, leavesMax: number) => Promise<Gathered>,
  opening: EpochMark | null = null,
): Promise<Appended> {
  const before = await lockLog(tx)
  if (before.halted !== null && opening === null) return { outcome: 'halted', why: before.halted }
  const wrong = await whyNotToSign(deps, tx, before)
  if (wrong !== null) {
    await haltLog(tx, wrong)
    return { outcome: 'halted', why: wrong }
  }
  const found = await gather(before, REAL_LEAVES_MAX)
  const { hasMore } = found
  const nowMs = deps.clock.now()
  const foundLeaves = countLeaves(found.waiting)
  const canFill = opening === null && (await findArrivedReceiptsAcrossTenants(tx, 1)).length > 0
  // An epoch is public, so its leaf gets a batch of its own, without padding.
  const plan =
    opening === null
      ? planBatch({ real: foundLeaves, hasMore, canFill, nowMs, random: deps.random }, before.batch)
      : { size: foundLeaves, realMax: foundLeaves, hasNext: false, state: before.batch }
  const { hasNext } = plan
  if (plan.size === 0 && before.note !== null) return { outcome: 'grown', leaves: 0, real: 0, hasNext }
  const { waiting, entrances, isComplete } = plan.realMax < foundLeaves ? await gather(before, plan.realMax) : found
  const real = countLeaves(waiting)
  const arrived = await gatherArrived(tx, canFill ? arrivedMaxOf(plan.size) : 0, deps.random)
  const filling = [...arrived, ...padding(plan.size - real - arrived.length, deps.random)]
  const batch = arrangeLeaves([...waiting, ...filling], { first: before.size, random: deps.random })
  await writePlaces(tx, batch.places)
  const { leaves } = batch
  await appendLeaves(tx, before.size, leaves)
  const size = before.size + leaves.length
  const origin = before.origin ?? originOf(deps.config.baseUrl)
  const signer = logSigner(deps.derivedKeys, origin)
  const note = await signTreeHead({ size, root: await rootOf(tx, size) }, signer, opening ?? epochOf(before, signer))
  await saveLog(tx, { size, origin, note, at: instantOf(nowMs), isComplete, entrances, batch: plan.state })
  return { outcome: 'grown', leaves: leaves.length, real, hasNext }
}

const countLeaves = (items: readonly Waiting[]) => items.reduce((sum, { count }) => sum + count, 0)

/** Random bytes look like any other leaf whose source is unknown. */
const padding = (count: number, random: Random): Waiting[] =>
  Array.from({ length: count }, () => {
    const leaf = opaqueLeaf(random(LEAF_CONTENT_BYTES))
    return { kind: 'padding', count: 1, leavesAt: () => [leaf] }
  })

/** Every checkpoint names the epoch of the one before it. */
function epochOf({ note }: StoredLog, signer: NoteSigner): EpochMark | null {
  const opened = note === null ? null : openTreeHead(note, signer)
  return opened?.outcome === 'signed' ? opened.head.epoch : null
}

/** Returns why the store does not match the last signed checkpoint. null: it matches, so new leaves extend what was signed. */
export async function whyNotToSign(
  { derivedKeys }: Pick<Deps, 'derivedKeys'>,
  tx: Tx,
  head: StoredLog,
): Promise<string | null> {
  if (head.note === null || head.origin === null) {
    const empty = head.note === null && head.origin === null && head.size === 0
    return empty ? null : 'the last checkpoint is missing from the store'
  }
  const opened = openTreeHead(head.note, logSigner(derivedKeys, head.origin))
  if (opened.outcome !== 'signed') return 'the last checkpoint in the store was not signed by this service'
  if (opened.head.size !== head.size) return 'the store has another size than the last checkpoint'
  const root = await rootOf(tx, head.size).catch(() => null)
  return root?.equals(opened.head.root) === true ? null : 'the tiles in the store are not those of the last checkpoint'
}

/** Computes the root from the last tiles only. */
export async function rootOf(tx: Tx, size: number): Promise<Buffer> {
  const whole = { from: 0, to: size }
  const tiles = await loadTiles(tx, tilesOfRanges([whole]))
  return hashOfLeaves(whole, readFrom(tiles))
}

export const readFrom =
  (tiles: ReadonlyMap<string, Uint8Array>) =>
  (tile: TileName): Uint8Array =>
    tiles.get(keyOfTile(tile)) ?? new Uint8Array(0)

async function appendLeaves(tx: Tx, size: number, leaves: readonly Buffer[]): Promise<void> {
  if (leaves.length === 0) return
  const firstEntries = { level: ENTRIES_LEVEL, index: Math.floor(size / TILE_WIDTH) }
  const edge = await loadTiles(tx, [...edgeOf(size), firstEntries])
  const hashes = growTiles(size, leaves.map(leafHash), readFrom(edge))
  const partial = size % TILE_WIDTH
  const entries: { level: number; index: number; bytes: Buffer }[] = []
  for (let at = 0; at < leaves.length; ) {
    const isFirst = entries.length === 0
    const end = at + TILE_WIDTH - (isFirst ? partial : 0)
    const packed = packEntries(leaves.slice(at, end))
    const before = isFirst && partial > 0 ? readFrom(edge)(firstEntries) : new Uint8Array(0)
    entries.push({
      level: ENTRIES_LEVEL,
      index: firstEntries.index + entries.length,
      bytes: Buffer.concat([before, packed]),
    })
    at = end
  }
  await saveTiles(tx, [...hashes.map(({ level, index, hashes }) => ({ level, index, bytes: hashes })), ...entries])
}

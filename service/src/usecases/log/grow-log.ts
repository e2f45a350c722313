// The log grows: heads of chains and receipts that it does not have yet become leaves, and its new head is signed; all in one
// transaction that holds the log's row, so there is one writer and one history. A head that does not follow from the last
// signed one is never signed: then the log halts and says why.

import { createPublicKey } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { checkpointKey, openNoteOver } from '../../domain/audit/checkpoint.ts'
import { type AuditHead, entryHash } from '../../domain/audit/entry.ts'
import { type EpochMark, openHead, signHead } from '../../domain/log/checkpoint.ts'
import { epochLeaf } from '../../domain/log/epoch.ts'
import { headLeaf, receiptLeaf, tenantLeafOf } from '../../domain/log/leaves.ts'
import { blindingKeyOf, logSigner, originOf } from '../../domain/log/log-keys.ts'
import { leafHash } from '../../domain/log/merkle.ts'
import type { NoteSigner } from '../../domain/log/note.ts'
import {
  edgeOf,
  growTiles,
  hashOfLeaves,
  keyOfTile,
  packEntries,
  TILE_WIDTH,
  type TileName,
  tilesOfRanges,
  unpackEntries,
} from '../../domain/log/tiles.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { instantOf, NEVER_STOPPED } from '../../domain/world.ts'
import {
  ENTRIES_LEVEL,
  findGrownChainsAcrossTenants,
  findUnloggedReceiptsAcrossTenants,
  type GrownChain,
  haltLog,
  insertLoggedHeads,
  loadTiles,
  lockLog,
  noteLoggedReceipts,
  type StoredLogHead,
  saveLogHead,
  saveTiles,
} from '../../store/log/log.ts'
import type { Tx } from '../../store/postgres/db.ts'
import { dueSince } from '../audit/guard.ts'

export type GrowthNeeds = Pick<Deps, 'db' | 'clock' | 'sealer' | 'headMacs' | 'config' | 'log' | 'metrics'>

/** Of one transaction, and so of one signature. */
const LEAVES_MAX = 1_000

export type Growth =
  | { readonly outcome: 'grown'; readonly leaves: number }
  | { readonly outcome: 'halted'; readonly why: string }

/** Until nothing waits. */
export async function growLog(deps: GrowthNeeds, stopped: AbortSignal = NEVER_STOPPED): Promise<Growth> {
  let leaves = 0
  for (;;) {
    stopped.throwIfAborted()
    const batch = await deps.db.transaction((tx) => growOnce(deps, tx))
    if (batch.outcome === 'halted') {
      deps.metrics.alarms.inc({ alarm: 'log_halted' })
      deps.log.warn(`the log is halted: ${batch.why}`)
      return batch
    }
    leaves += batch.leaves
    if (batch.leaves < LEAVES_MAX) return { outcome: 'grown', leaves }
  }
}

const growOnce = (deps: GrowthNeeds, tx: Tx): Promise<Growth> =>
  append(deps, tx, async (size) => {
    const leaves = await gatherLeaves(deps, tx, size)
    return { leaves, isComplete: leaves.length < LEAVES_MAX }
  })

/** One head, whatever the log has of its chain: for an operator who vouches for it. */
export const logHead = (deps: GrowthNeeds, tx: Tx, chain: { readonly realm: Realm; readonly head: AuditHead }) =>
  append(deps, tx, async (size) => {
    await insertLoggedHeads(tx, [{ ...chain.realm, seq: chain.head.seq, leafIndex: size }])
    const leaf = headLeaf(blindingKeyOf(deps.sealer, chain.realm.tenantId), chain.realm, chain.head)
    return { leaves: [leaf], isComplete: false }
  })

/** `isComplete`: nothing that waited was left out. */
type Gathered = { readonly leaves: Buffer[]; readonly isComplete: boolean }

/** The log goes on in a new epoch, whose first leaf binds the statement that opens it. */
export const appendEpoch = (deps: GrowthNeeds, tx: Tx, mark: EpochMark) =>
  append(deps, tx, async () => ({ leaves: [epochLeaf(mark)], isComplete: false }), mark)

async function append(
  deps: GrowthNeeds,
  tx: Tx,
  gather: (size: number) => Promise<Gathered>,
  opening: EpochMark | null = null,
): Promise<Growth> {
  const before = await lockLog(tx)
  if (before.halted !== null && opening === null) return { outcome: 'halted', why: before.halted }
  const wrong = await whyNotToSign(deps, tx, before)
  if (wrong !== null) {
    await haltLog(tx, wrong)
    return { outcome: 'halted', why: wrong }
  }
  const { leaves, isComplete } = await gather(before.size)
  if (leaves.length === 0 && before.note !== null) return { outcome: 'grown', leaves: 0 }
  const size = before.size + leaves.length
  await appendLeaves(tx, before.size, leaves)
  const origin = before.origin ?? originOf(deps.config.baseUrl)
  const signer = logSigner(deps.sealer, origin)
  const note = signHead({ size, root: await rootOf(tx, size) }, signer, opening ?? epochOf(before, signer))
  const at = instantOf(deps.clock.now())
  await saveLogHead(tx, { size, origin, note, at, isComplete })
  return { outcome: 'grown', leaves: leaves.length }
}

/** A checkpoint is of the same epoch as the one before it. */
function epochOf({ note }: StoredLogHead, signer: NoteSigner): EpochMark | null {
  const opened = note === null ? null : openHead(note, signer)
  return opened?.outcome === 'signed' ? opened.head.epoch : null
}

/** What is stored must be what was signed last: what follows is then made from it, and so goes on from it. */
export async function whyNotToSign(
  { sealer }: Pick<Deps, 'sealer'>,
  tx: Tx,
  head: StoredLogHead,
): Promise<string | null> {
  if (head.note === null || head.origin === null) {
    const empty = head.note === null && head.origin === null && head.size === 0
    return empty ? null : 'the last checkpoint is missing from the store'
  }
  const opened = openHead(head.note, logSigner(sealer, head.origin))
  if (opened.outcome !== 'signed') return 'the last checkpoint in the store was not signed by this service'
  if (opened.head.size !== head.size) return 'the store has another size than the last checkpoint'
  const root = await rootOf(tx, head.size).catch(() => null)
  return root?.equals(opened.head.root) === true ? null : 'the tiles in the store are not those of the last checkpoint'
}

/** From the tiles at the end alone. */
export async function rootOf(tx: Tx, size: number): Promise<Buffer> {
  const whole = { from: 0, to: size }
  const tiles = await loadTiles(tx, tilesOfRanges([whole]))
  return hashOfLeaves(whole, readFrom(tiles))
}

export const readFrom =
  (tiles: ReadonlyMap<string, Uint8Array>) =>
  (tile: TileName): Uint8Array =>
    tiles.get(keyOfTile(tile)) ?? new Uint8Array(0)

/** Written down where each will stand. */
async function gatherLeaves(deps: GrowthNeeds, tx: Tx, size: number): Promise<Buffer[]> {
  const heads = await gatherHeads(deps, tx, size)
  const receipts = await findUnloggedReceiptsAcrossTenants(tx, LEAVES_MAX - heads.length)
  await insertLoggedHeads(
    tx,
    heads.map(({ realm, head }, i) => ({ ...realm, seq: head.seq, leafIndex: size + i })),
  )
  await noteLoggedReceipts(
    tx,
    receipts.map(({ verificationId }, i) => ({ verificationId, leafIndex: size + heads.length + i })),
  )
  return [
    ...heads.map(({ realm, head }) => headLeaf(blindingKeyOf(deps.sealer, realm.tenantId), realm, head)),
    ...receipts.map(({ jws }) => receiptLeaf(jws)),
  ]
}

/** A head that is not sealed by this service, or whose chain is not the one that the log has, is nobody's to publish. */
async function gatherHeads(deps: GrowthNeeds, tx: Tx, size: number): Promise<GrownChain[]> {
  const heads: GrownChain[] = []
  let after: Realm | null = null
  for (;;) {
    const limit = LEAVES_MAX - heads.length
    const grown: GrownChain[] = await findGrownChainsAcrossTenants(tx, { after, limit, size, dueSince: dueSince(deps) })
    const sealed = grown.filter(({ realm, head }) => deps.headMacs.holds(realm, head))
    const leaves = await loadLeaves(
      tx,
      sealed.flatMap(({ last }) => (last === null ? [] : [last.leafIndex])),
    )
    heads.push(...sealed.filter((chain) => goesOn(deps, chain, leaves)))
    after = grown.at(-1)?.realm ?? null
    if (grown.length < limit || heads.length === LEAVES_MAX) return heads
  }
}

/**
 * From what the log has of it, or from its last note before there was a log. Whether that leaf is one that was signed is seen when
 * the whole log is read.
 */
function goesOn({ sealer }: GrowthNeeds, chain: GrownChain, leaves: ReadonlyMap<number, Buffer>): boolean {
  const { realm, last, note } = chain
  if (note !== null) return openNoteOver(note, createPublicKey(checkpointKey(sealer)), realm) !== null
  if (last === null) return true
  const leaf = leaves.get(last.leafIndex)
  const logged = leaf === undefined ? null : tenantLeafOf(leaf, blindingKeyOf(sealer, realm.tenantId), realm)
  return logged?.seq === last.seq && last.entry !== null && logged.hash.equals(entryHash(last.entry))
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

async function appendLeaves(tx: Tx, size: number, leaves: readonly Buffer[]): Promise<void> {
  if (leaves.length === 0) return
  const firstEntries = { level: ENTRIES_LEVEL, index: Math.floor(size / TILE_WIDTH) }
  const edge = await loadTiles(tx, [...edgeOf(size), firstEntries])
  const hashes = growTiles(size, leaves.map(leafHash), readFrom(edge))
  const held = size % TILE_WIDTH
  const entries: { level: number; index: number; bytes: Buffer }[] = []
  for (let at = 0; at < leaves.length; ) {
    const isFirst = entries.length === 0
    const end = at + TILE_WIDTH - (isFirst ? held : 0)
    const packed = packEntries(leaves.slice(at, end))
    const before = isFirst && held > 0 ? readFrom(edge)(firstEntries) : new Uint8Array(0)
    entries.push({
      level: ENTRIES_LEVEL,
      index: firstEntries.index + entries.length,
      bytes: Buffer.concat([before, packed]),
    })
    at = end
  }
  await saveTiles(tx, [...hashes.map(({ level, index, hashes }) => ({ level, index, bytes: hashes })), ...entries])
}

// Collects everything that was signed of a stored chain: the chain must match all of it.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { LEAVES_MAX } from '../../transparency/domain/log/batch.ts'
import { epochNumber, openTreeHead } from '../../transparency/domain/log/checkpoint.ts'
import { fateOfTreeHead, lostIn } from '../../transparency/domain/log/epoch.ts'
import { blindingKeyOf, logSigner } from '../../transparency/domain/log/log-keys.ts'
import { isConsistent, leafHash } from '../../transparency/domain/log/merkle.ts'
import { TileIncomplete } from '../../transparency/domain/log/tiles.ts'
import { loadLeaves } from '../../transparency/usecases/load-leaves.ts'
import { readEpochNumbers, readEpochs } from '../../transparency/usecases/open-epoch.ts'
import { isLeafIn, proveConsistency } from '../../transparency/usecases/read-log.ts'
import { readSignedLog, type SignedLog, scanLog, type WalkNeeds } from '../../transparency/usecases/scan-log.ts'
import { openEpochs, UNKNOWN_EPOCHS } from '../../transparency/usecases/verify-log.ts'
import { findMarker, headKeyOf, headSalt } from '../domain/blinded-heads.ts'
import { checkpointKey, openNotes } from '../domain/checkpoint.ts'
import type { HeadOpening } from '../domain/export.ts'
import { tagOf } from '../domain/head-leaves.ts'
import { createTrailReader, type LoggedEntry } from '../domain/trail-reader.ts'
import type { LoggedTrail } from '../domain/verdict.ts'
import { pointOver, type SignedPoint } from '../domain/verify-chain.ts'
import { listCheckpoints } from '../store/checkpoints.ts'
import { type LoggedHeadIndex, loadLoggedHead } from '../store/logged-heads.ts'
import { readLoggedHead } from './chain-leaves.ts'

export interface SignedPoints {
  readonly checkpoints: readonly SignedPoint[]
  /** null if the log has no head of the chain yet. */
  readonly logged: LoggedTrail | null
  /** Opens the leaf of the newest head, to prove that it is this chain's; null if there is no leaf. */
  readonly opening: HeadOpening | null
  /** The ordinal of the next blinded head, as far as the log was read. */
  readonly ordinal: number
}

export interface SignedPointsInput {
  /** Checkpoints that were stored elsewhere: of the log, or notes of this chain from before the log. */
  readonly notes?: readonly string[]
  /**
   * `newest`: the newest head in the log, at the position that the store names. `whole`: all heads, from the whole log.
   */
  readonly log: 'newest' | 'whole'
}

/** Returns the signed points that the chain must match, or the problem with one of them. */
export async function readSignedPoints(
  deps: WalkNeeds,
  realm: Realm,
  { notes = [], log }: SignedPointsInput,
): Promise<SignedPoints | string> {
  const stored = await listCheckpoints(deps.db, realm)
  const [ofLog, ofChain] = [notes.filter((note) => !isOfChain(note)), notes.filter(isOfChain)]
  const key = checkpointKey(deps.derivedKeys).publicKey
  const noted = openNotes([...stored.map(({ note }) => note), ...ofChain], key, realm)
  if (typeof noted === 'string') return noted
  const logged = log === 'whole' ? await readWhole(deps, realm) : await readNewest(deps, realm)
  if (typeof logged === 'string') return logged
  for (const note of ofLog) {
    const wrong = await findInconsistency(deps, logged.signed, note)
    if (wrong !== null) return wrong
  }
  const { chain, opening, ordinal } = logged
  return { checkpoints: [...noted.map(pointOver), ...logged.checkpoints], logged: chain, opening, ordinal }
}

const isOfChain = (note: string) => note.startsWith('vidimus-audit/')

interface LoggedPoints extends Pick<SignedPoints, 'checkpoints' | 'opening' | 'ordinal'> {
  readonly signed: SignedLog
  readonly chain: LoggedTrail | null
}

async function readWhole(deps: WalkNeeds, realm: Realm): Promise<LoggedPoints | string> {
  const heads: LoggedEntry[] = []
  const blindingKey = blindingKeyOf(deps.derivedKeys, realm.tenantId)
  const epochs = await readEpochNumbers(deps)
  const reader = createTrailReader({ blindingKey, realm, epochs }, (head) => void heads.push(head))
  const signed = await scanLog(deps, (leaf, index) => reader.see(leaf, index))
  if (typeof signed !== 'string' && reader.epoch() !== epochNumber(signed.epoch)) return UNKNOWN_EPOCHS
  return typeof signed === 'string' ? signed : toPoints(deps, realm, signed, heads)
}

async function readNewest(deps: WalkNeeds, realm: Realm): Promise<LoggedPoints | string> {
  const signed = await readSignedLog(deps)
  if (typeof signed === 'string') return signed
  const named = await loadLoggedHead(deps.db, realm, signed.size)
  if (named === null) return toPoints(deps, realm, signed, [])
  const { seq, leafIndex: index, ordinal } = named
  const blindingKey = blindingKeyOf(deps.derivedKeys, realm.tenantId)
  const leaves = await loadLeaves(deps.db, placesOf(named))
  const head = readLoggedHead(blindingKey, realm, named, leaves)
  const own = ownPlaces(blindingKey, realm, named, leaves)
  if (head?.seq !== seq || own === null || !(await areIn(deps, own, leaves, signed)))
    return `the public log does not have entry ${seq} of this chain at the position that the store names`
  return toPoints(deps, realm, signed, [{ ...head, index, ordinal }])
}

/** A blinded head's marker is in the same batch, before its commitment. */
function placesOf({ leafIndex, ordinal }: LoggedHeadIndex): number[] {
  const first = ordinal === null ? leafIndex : Math.max(0, leafIndex - LEAVES_MAX + 1)
  return Array.from({ length: leafIndex - first + 1 }, (_, i) => first + i)
}

/** The positions of the head's own leaves; null if its marker is missing, or has another entry's number. */
function ownPlaces(
  blindingKey: Buffer,
  realm: Realm,
  { seq, ordinal, leafIndex: index }: LoggedHeadIndex,
  leaves: ReadonlyMap<number, Buffer>,
): number[] | null {
  if (ordinal === null) return [index]
  const marker = findMarker(headKeyOf(blindingKey, realm.environment), { ordinal, index }, leaves)
  return marker?.seq === seq ? [marker.index, index] : null
}

async function areIn(
  { db }: WalkNeeds,
  indexes: readonly number[],
  leaves: ReadonlyMap<number, Buffer>,
  signed: SignedLog,
): Promise<boolean> {
  for (const index of indexes) {
    const leaf = leaves.get(index)
    if (leaf === undefined || !(await isLeafIn(db, { index, leaf: leafHash(leaf) }, signed))) return false
  }
  return true
}

function toPoints(
  { derivedKeys }: WalkNeeds,
  realm: Realm,
  signed: SignedLog,
  heads: readonly LoggedEntry[],
): LoggedPoints {
  const checkpoints = heads.map(({ seq, covers }) => ({ size: seq, covers }))
  const ordinal = heads.reduce((next, head) => Math.max(next, (head.ordinal ?? -1) + 1), 0)
  const last = heads.at(-1)
  const { size, origin, cosigned } = signed
  if (last === undefined || origin === null) return { signed, checkpoints, chain: null, opening: null, ordinal }
  const chain = { seq: last.seq, index: last.index, size, origin, cosigned }
  return {
    signed,
    checkpoints,
    chain,
    opening: openingOf(blindingKeyOf(derivedKeys, realm.tenantId), realm, last),
    ordinal,
  }
}

function openingOf(blindingKey: Buffer, realm: Realm, { ordinal }: LoggedEntry): HeadOpening {
  if (ordinal === null) return { tag: tagOf(blindingKey, realm).toString('hex') }
  return { salt: headSalt(headKeyOf(blindingKey, realm.environment), ordinal).toString('hex') }
}

/** null if the log in the store extends a checkpoint that was stored elsewhere; otherwise the problem. */
async function findInconsistency(
  { db, derivedKeys }: WalkNeeds,
  signed: SignedLog,
  note: string,
): Promise<string | null> {
  const opened = signed.origin === null ? null : openTreeHead(note, logSigner(derivedKeys, signed.origin))
  if (opened?.outcome !== 'signed') return 'a checkpoint was not signed by this service'
  const { size, root } = opened.head
  const statements = openEpochs(await readEpochs({ db }), {
    log: logSigner(derivedKeys, opened.head.origin),
    witnesses: [],
  })
  if (typeof statements === 'string') return statements
  const fate = fateOfTreeHead(opened.head, statements)
  if (fate.outcome === 'lost') return `the end of a checkpoint of ${size} leaves was ${lostIn(fate.statement)}`
  if (size > signed.size)
    return `a checkpoint covers ${size} leaves of the public log, which has ${signed.size}: the log was rolled back`
  try {
    const follows = isConsistent({ size, root }, signed, await proveConsistency(db, size, signed.size))
    return follows ? null : `the first ${size} leaves of the public log do not match a checkpoint: the log was forked`
  } catch (error) {
    if (error instanceof TileIncomplete) return 'the public log has lost tiles that a checkpoint covers'
    throw error
  }
}

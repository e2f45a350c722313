// Verifies offline: the proof of one receipt, or a mirrored log and a tenant's chain.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { NoteKey } from '../../../platform/signed-note.ts'
import { createTrailReader, type LoggedEntry } from '../../audit/domain/trail-reader.ts'
import type { LoggedTrail } from '../../audit/domain/verdict.ts'
import { epochNumber, openTreeHead } from '../domain/log/checkpoint.ts'
import { type Cosigned, cosignersOf } from '../domain/log/cosignature.ts'
import {
  type EpochStatement,
  epochCosigners,
  epochLeaf,
  epochNumbers,
  fateOfLeaf,
  fateOfTreeHead,
  isEpochSequence,
  lostIn,
  openEpoch,
  statementsInLog,
} from '../domain/log/epoch.ts'
import { broken, type LogFindings, NO_WITNESS, NOT_COMPLETE, NOT_THE_RESULT } from '../domain/log/findings.ts'
import { createFrontier } from '../domain/log/frontier.ts'
import { leafHash } from '../domain/log/merkle.ts'
import { type ProofKeys, verifyProofOfReceipt } from '../domain/log/proof-file.ts'
import { TILE_WIDTH, tilePathOf, unpackEntries } from '../domain/log/tiles.ts'

export function verifyReceiptProof(
  file: string,
  jws: string,
  keys: ProofKeys,
  epochs: readonly string[] = [],
): LogFindings {
  const verdict = verifyProofOfReceipt(file, jws.trim(), keys)
  if (verdict.outcome !== 'included') return broken(WHY_NOT[verdict.outcome])
  const { index, size, origin, epoch, cosigned } = verdict
  const statements = openEpochs(epochs, keys)
  if (typeof statements === 'string') return broken(statements)
  if (fateOfTreeHead({ size, root: verdict.root, epoch }, statements).outcome === 'unaccounted')
    return broken(beyondStatement(size))
  const fate = fateOfLeaf(index, epoch, statements)
  return {
    outcome: fate.outcome === 'kept' ? 'proven' : 'lost',
    proven: [
      `this receipt is leaf ${index} of the log ${origin}, which signed a tree of ${size} leaves`,
      ...witnessedBy(cosigned),
    ],
    notProven: [
      ...(fate.outcome === 'kept' ? [] : [`leaf ${index} was ${lostIn(fate.statement)}; the log no longer has it`]),
      ...(cosigned.length === 0 ? [NO_WITNESS] : []),
      'that the receipt itself is genuine: this needs its own keys (`vidimus receipt verify`)',
      NOT_THE_RESULT,
    ],
  }
}

/** Findings for an export of a chain: `seq` is the entry that the log has, `entries` the number of exported entries. */
export function chainFindings(
  { seq, index, size, origin, cosigned }: LoggedTrail,
  { entries, notChecked }: { readonly entries: number; readonly notChecked: number },
): LogFindings {
  return {
    outcome: 'proven',
    proven: [
      `entry ${seq} of the chain is leaf ${index} of the log ${origin}, which signed a tree of ${size} leaves`,
      ...witnessedBy(cosigned),
    ],
    notProven: [
      ...(cosigned.length === 0 ? [NO_WITNESS] : []),
      'that the log has no other head of this chain: this needs a mirror of it and your blinding key',
      ...(seq < entries ? [`that the log has the ${entries - seq} newer entries, and the erasures in them`] : []),
      ...uncheckedNotes(notChecked),
    ],
  }
}

/** `count`: the checkpoints in an export that were not verified, because their key was not given. */
export const uncheckedNotes = (count: number) =>
  count === 0
    ? []
    : [`that the checkpoints in the file are genuine (${count}): this needs their key (\`--public-key\`)`]

const WHY_NOT = {
  malformed: 'this is not a proof',
  not_signed_by_key: 'the checkpoint in the proof was not signed by this log',
  not_included: 'the proof does not lead from this receipt to the checkpoint',
} as const

export const witnessedBy = (cosigned: readonly Cosigned[]) =>
  cosigned.map(
    ({ witness, at }) =>
      `the witness ${witness} saw that log grow to this checkpoint without a break, by ${new Date(at * 1000).toISOString()}`,
  )

export interface Mirror {
  /** Reads a file of the mirror by its path in the log: `checkpoint`, `tile/…`; null if it is missing. */
  readonly read: (path: string) => Promise<Buffer | null>
  readonly keys: ProofKeys
  /** Older checkpoints that the verifier kept. */
  readonly older: readonly string[]
  /** Statements of epochs, from the second on. */
  readonly epochs: readonly string[]
  /** A tenant's chain to compare its leaves with; null: none. */
  readonly chain: TenantChain | null
}

export interface TenantChain {
  readonly realm: Realm
  readonly blindingKey: Buffer
  /** The hash of each entry in hex, by number, from a verified export. */
  readonly hashes: ReadonlyMap<number, string>
  /** When each entry was recorded. Without it, no restore explains that the log has another entry. */
  readonly times?: ReadonlyMap<number, string>
}

export async function verifyMirror({ read, keys, older, epochs, chain }: Mirror): Promise<LogFindings> {
  const opened = openTreeHead((await read('checkpoint'))?.toString('utf8') ?? '', keys.log)
  if (opened.outcome !== 'signed') return broken('the checkpoint is missing, or was not signed by this log')
  const { head } = opened
  const olderHeads = openOlder(older, keys.log)
  if (olderHeads === null) return broken('a checkpoint that was kept is unreadable, or was not signed by this log')
  const statements = openEpochs(epochs, keys)
  if (typeof statements === 'string') return broken(statements)
  if (statements.length > 0 && !isEpochSequence(statements, head.epoch)) return broken(OTHER_EPOCHS)
  const fates = olderHeads.map((one) => ({ one, fate: fateOfTreeHead(one, statements) }))
  const unaccounted = fates.find(({ fate }) => fate.outcome === 'unaccounted')
  if (unaccounted !== undefined) return broken(beyondStatement(unaccounted.one.size))
  const lost = fates.flatMap(({ one, fate }) =>
    fate.outcome === 'lost'
      ? [`the end of a stored checkpoint of ${one.size} leaves was ${lostIn(fate.statement)}`]
      : [],
  )
  const kept = fates.flatMap(({ one, fate }) => (fate.outcome === 'kept' ? [one] : []))
  const beyond = kept.find(({ size }) => size > head.size)
  if (beyond !== undefined)
    return broken(`the log has ${head.size} leaves, and a stored checkpoint covers ${beyond.size}: it was rolled back`)
  const unseen = new Map(statementsInLog(statements).map((one) => [epochLeaf(one.mark).toString('hex'), one]))
  const bySize = Map.groupBy(kept, ({ size }) => size)
  const frontier = createFrontier()
  const own: LoggedEntry[] = []
  const reader =
    chain === null
      ? null
      : createTrailReader({ ...chain, epochs: epochNumbers(statements) }, (head) => void own.push(head))
  const isForked = () => bySize.get(frontier.size)?.some(({ root }) => !root.equals(frontier.root())) === true
  if (isForked()) return forkedAt(0)
  for await (const leaf of leavesOf(read, head.size)) {
    if (leaf === null) return broken(`leaf ${frontier.size} is missing or unreadable`)
    if ((unseen.get(leaf.toString('hex'))?.restored.size ?? Number.POSITIVE_INFINITY) <= frontier.size)
      unseen.delete(leaf.toString('hex'))
    reader?.see(leaf, frontier.size)
    frontier.add(leafHash(leaf))
    if (isForked()) return forkedAt(frontier.size)
  }
  if (unseen.size > 0) return broken('the log has no leaf of a statement that was given')
  if (!frontier.root().equals(head.root)) return broken('the leaves do not match the checkpoint')
  if (reader !== null && reader.epoch() !== epochNumber(head.epoch)) return broken(UNKNOWN_EPOCHS)
  const strange = own.find(({ seq, covers }) => !covers(Buffer.from(chain?.hashes.get(seq) ?? '', 'hex')))
  const again =
    strange === undefined || chain === null
      ? undefined
      : statements.find((statement) => isLostIn(statement, strange, { own, chain }))
  if (strange !== undefined && again !== undefined) {
    const message = `entry ${strange.seq} of the export, and those after it, were ${lostIn(again)}; the chain continued without them`
    return { outcome: 'lost', proven: [], notProven: [message] }
  }
  if (strange !== undefined) {
    return broken(
      `the log has another entry ${strange.seq} of this chain than the export, or the export does not reach it`,
    )
  }
  return {
    outcome: 'proven',
    ...findingsOf({ size: head.size, kept: kept.length, own, chain, lost }, cosignersOf(opened.note, keys.witnesses)),
  }
}

/**
 * Whether this restore explains that the log has another entry than the export. Entries from after the restore were not
 * lost in it. Nor was an entry that the log has from after the restore as well, itself or in a later one.
 */
function isLostIn(
  { restored, at }: EpochStatement,
  strange: LoggedEntry,
  { own, chain }: { readonly own: readonly LoggedEntry[]; readonly chain: TenantChain },
): boolean {
  if (strange.index < restored.size) return false
  const { hashes, times } = chain
  const last = hashes.has(strange.seq) ? strange.seq : Math.max(0, ...hashes.keys())
  const recorded = times?.get(last)
  const isKept = own.some(
    ({ index, seq, covers }) =>
      index >= restored.size && seq >= strange.seq && covers(Buffer.from(hashes.get(seq) ?? '', 'hex')),
  )
  return recorded !== undefined && recorded < at && !isKept
}

export const UNKNOWN_EPOCHS =
  'heads of this chain may have been missed: give every statement of an epoch; if all are given, a head in the log is incomplete'
export const OTHER_EPOCHS = 'the statements of epochs do not lead to the epoch of the checkpoint'
export const beyondStatement = (size: number) =>
  `a checkpoint of ${size} leaves is not part of what a statement of a new epoch declares lost: the log was forked or rolled back`

/** Opens the statements in order, or returns what is wrong. If `keys` names witnesses, one must have cosigned each statement. */
export function openEpochs(texts: readonly string[], keys: ProofKeys): EpochStatement[] | string {
  const opened = texts.map((text) => openEpoch(text, keys.log))
  const statements = opened.filter((one) => one !== null).sort((a, b) => a.mark.number - b.mark.number)
  if (statements.length < texts.length) return 'a statement of an epoch is unreadable, or was not signed by this log'
  if (!isEpochSequence(statements, statements.at(-1)?.mark ?? null))
    return 'the statements of epochs do not follow each other: give every one from the second epoch on'
  const alone = statements.find((one) => keys.witnesses.length > 0 && epochCosigners(one, keys.witnesses).length === 0)
  return alone === undefined
    ? statements
    : `no witness whose key was given has cosigned the statement of epoch ${alone.mark.number}: only the log itself vouches for it`
}

const forkedAt = (size: number) =>
  broken(`the first ${size} leaves do not match a stored checkpoint: the log was forked`)

interface Verified {
  readonly size: number
  readonly kept: number
  readonly lost: readonly string[]
  readonly own: readonly LoggedEntry[]
  readonly chain: TenantChain | null
}

function findingsOf(
  { size, kept, own, chain, lost }: Verified,
  cosigned: readonly Cosigned[],
): Omit<LogFindings, 'outcome'> {
  const last = own.reduce((most, { seq }) => Math.max(most, seq), 0)
  const chained = own.length === 0 ? [] : [`the chain's first ${last} entries match its ${own.length} heads in the log`]
  const missing = chain !== null && own.length === 0 ? ['anything of this chain: the log has no head of it'] : []
  return {
    proven: [
      `the ${size} leaves match the checkpoint`,
      ...(kept === 0 ? [] : [`the log only grew since the ${kept} checkpoints that were kept`]),
      ...chained,
      ...witnessedBy(cosigned),
    ],
    notProven: [
      ...lost,
      ...(kept === 0 ? ['that the log only grew: no older checkpoint was given'] : []),
      ...(cosigned.length === 0 ? [NO_WITNESS] : []),
      ...(chain === null ? ['the owner of these leaves: this needs a blinding key and an export'] : missing),
      NOT_COMPLETE,
    ],
  }
}

function openOlder(notes: readonly string[], key: NoteKey) {
  const opened = notes.map((note) => openTreeHead(note, key))
  const heads = opened.flatMap((one) => (one.outcome === 'signed' ? [one.head] : []))
  return heads.length === notes.length ? heads : null
}

async function* leavesOf(read: Mirror['read'], size: number): AsyncGenerator<Buffer | null> {
  for (let index = 0; index * TILE_WIDTH < size; index += 1) {
    const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH)
    const bytes = await read(`tile/${tilePathOf({ level: null, index, width })}`)
    const leaves = bytes === null ? null : unpackEntries(bytes)
    for (let i = 0; i < width; i += 1) yield leaves?.length === width ? (leaves[i] ?? null) : null
  }
}

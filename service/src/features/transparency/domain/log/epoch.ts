// Signs and reads statements of a new epoch. An epoch begins when the store was restored to a state older than what witnesses saw.

import { createHash } from 'node:crypto'
import {
  judgeNote,
  type LocalNoteSigner,
  type NoteKey,
  type NoteSigner,
  type ReadNote,
  readNote,
  signNote,
} from '../../../../platform/signed-note.ts'
import type { Instant } from '../../../../platform/world.ts'
import { type EpochMark, epochNumber, FIRST_EPOCH, isSameEpoch, type LogTreeHead, openTreeHead } from './checkpoint.ts'
import { type Cosigned, cosignersOf } from './cosignature.ts'
import { epochLeafOf } from './leaves.ts'

const FORMAT = 'vidimus.log-epoch/v1'
const REASON_LENGTH_MAX = 500

/** A signed note (C2SP signed-note). Its first line differs from that of every checkpoint. */
export interface EpochStatement {
  readonly origin: string
  readonly mark: EpochMark
  /** The checkpoint that the log continues from, possibly of an earlier epoch. The leaves after it, up to `witnessed`, are lost. */
  readonly restored: LogTreeHead
  readonly restoredNote: ReadNote
  /** The newest known checkpoint of the previous epoch. */
  readonly witnessed: LogTreeHead
  readonly at: Instant
  readonly reason: string
  readonly note: ReadNote
}

interface NewEpoch {
  readonly number: number
  /** The two checkpoints as whole notes, with signatures and cosignatures. */
  readonly restored: string
  readonly witnessed: string
  readonly at: Instant
  readonly reason: string
}

/** One line that is not empty and has no control characters. */
export const isReason = (text: string) =>
  text.trim() === text && text !== '' && text.length <= REASON_LENGTH_MAX && !/[\p{Cc}\p{Zl}\p{Zp}\ufffd]/u.test(text)

export function signEpoch(epoch: NewEpoch, signer: LocalNoteSigner): string
export function signEpoch(epoch: NewEpoch, signer: NoteSigner): string | Promise<string>
export function signEpoch({ number, restored, witnessed, at, reason }: NewEpoch, signer: NoteSigner) {
  const lines = [
    `${FORMAT} ${signer.name}`,
    `epoch ${number}`,
    `time ${at}`,
    `reason ${reason}`,
    `restored ${Buffer.from(restored, 'utf8').toString('base64')}`,
    `witnessed ${Buffer.from(witnessed, 'utf8').toString('base64')}`,
  ]
  return signNote(`${lines.join('\n')}\n`, signer)
}

/** Returns null if the text is not a statement, if the log did not sign it, or if the statement contradicts itself. */
export function openEpoch(text: string, key: NoteKey): EpochStatement | null {
  const note = readNote(text)
  if (note === null || judgeNote(note, key) !== 'signed') return null
  const [first, ...lines] = note.text.slice(0, -1).split('\n')
  const values = NAMES.map((name, i) => (lines[i]?.startsWith(`${name} `) ? lines[i].slice(name.length + 1) : null))
  const [number, at, reason, restored, witnessed] = values
  if (
    first !== `${FORMAT} ${key.name}` ||
    lines.length !== NAMES.length ||
    !/^([2-9]|[1-9]\d{1,8})$/.test(number ?? '')
  )
    return null
  if (!at || !INSTANT.test(at) || !reason || !isReason(reason)) return null
  const from = openEmbedded(restored, key)
  const to = openEmbedded(witnessed, key)
  if (from === null || to === null) return null
  const isEarlier = epochNumber(from.head.epoch) < epochNumber(to.head.epoch)
  const isNext =
    Number(number) === epochNumber(to.head.epoch) + 1 && (isEarlier || isSameEpoch(from.head.epoch, to.head.epoch))
  if (!isNext || from.head.size >= to.head.size) return null
  const mark = { number: Number(number), digest: digestOf(note.text) }
  const ends = { restored: from.head, restoredNote: from.note, witnessed: to.head }
  return { origin: key.name, mark, ...ends, at, reason, note }
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/
const NAMES = ['epoch', 'time', 'reason', 'restored', 'witnessed'] as const

function openEmbedded(encoded: string | null | undefined, key: NoteKey) {
  const bytes = Buffer.from(encoded ?? '', 'base64')
  const opened = bytes.toString('base64') === encoded ? openTreeHead(bytes.toString('utf8'), key) : null
  return opened?.outcome === 'signed' ? opened : null
}

const digestOf = (text: string) => createHash('sha256').update(text, 'utf8').digest()

/** The first leaf of the epoch. Every later checkpoint covers it. */
export const epochLeaf = ({ digest }: EpochMark): Buffer => epochLeafOf(digest)

export const epochCosigners = ({ note }: EpochStatement, keys: readonly NoteKey[]): Cosigned[] =>
  cosignersOf(note, keys)

/** Whether the statements lead, in order and without a gap, from the first epoch to that of `mark`. */
export function isEpochSequence(statements: readonly EpochStatement[], mark: EpochMark | null): boolean {
  const marks = [null, ...statements.map((one) => one.mark)]
  const linked = statements.every(
    ({ mark: own, witnessed, restored }, i) =>
      own.number === i + FIRST_EPOCH + 1 &&
      isSameEpoch(witnessed.epoch, marks[i] ?? null) &&
      isOnNewestBranch(restored, statements.slice(0, i)),
  )
  return linked && isSameEpoch(marks.at(-1) ?? null, mark)
}

/** Whether a checkpoint belongs to one of the stated epochs, and no later epoch has abandoned any of its leaves. */
export function isOnNewestBranch({ size, epoch }: LogTreeHead, statements: readonly EpochStatement[]): boolean {
  const own = statements.find(({ mark }) => mark.number === epochNumber(epoch))?.mark ?? null
  return isSameEpoch(epoch, own) && later(epoch, statements).every(({ restored }) => size <= restored.size)
}

/** Returns statements whose leaf is in the log. A restore to a state before an epoch loses the leaf that opened the epoch. */
export const statementsInLog = (statements: readonly EpochStatement[]): EpochStatement[] =>
  statements.filter(({ mark }) =>
    statements.every((other) => other.mark.number <= mark.number || epochNumber(other.restored.epoch) >= mark.number),
  )

/** Maps the digest in an epoch's leaf (hex) to the number of the epoch. */
export const epochNumbers = (statements: readonly EpochStatement[]): Map<string, number> =>
  new Map(statements.map(({ mark }) => [mark.digest.toString('hex'), mark.number]))

/** What happened to a leaf or a tree that an earlier checkpoint covered. */
type Fate =
  | { readonly outcome: 'kept' }
  | { readonly outcome: 'lost'; readonly statement: EpochStatement }
  /** The leaf or tree lies beyond everything that the statement declares lost, or names another epoch with its number. */
  | { readonly outcome: 'unaccounted'; readonly statement: EpochStatement }

/** What happened to the first `size` leaves of a checkpoint, by the statements of later epochs. */
export function fateOfTreeHead(
  head: { readonly size: number; readonly root: Buffer; readonly epoch: EpochMark | null },
  statements: readonly EpochStatement[],
): Fate {
  const forked = findOtherEpoch(head.epoch, statements)
  if (forked !== undefined) return { outcome: 'unaccounted', statement: forked }
  for (const statement of later(head.epoch, statements)) {
    const { restored, witnessed } = statement
    if (head.size <= restored.size) continue
    const isOther = head.size === witnessed.size && !head.root.equals(witnessed.root)
    return { outcome: head.size > witnessed.size || isOther ? 'unaccounted' : 'lost', statement }
  }
  return { outcome: 'kept' }
}

/** What happened to the leaf at `index`, which a checkpoint of `epoch` covered. */
export function fateOfLeaf(index: number, epoch: EpochMark | null, statements: readonly EpochStatement[]): Fate {
  for (const statement of later(epoch, statements)) {
    const { restored, witnessed } = statement
    if (index < restored.size) continue
    return { outcome: index < witnessed.size ? 'lost' : 'unaccounted', statement }
  }
  return { outcome: 'kept' }
}

/** The statement with the number of `epoch`, if it opened another epoch. */
const findOtherEpoch = (epoch: EpochMark | null, statements: readonly EpochStatement[]) =>
  statements.find(({ mark }) => mark.number === epochNumber(epoch) && !isSameEpoch(mark, epoch))

const later = (epoch: EpochMark | null, statements: readonly EpochStatement[]) =>
  statements.filter(({ mark }) => mark.number > epochNumber(epoch))

export const lostIn = ({ mark, restored, witnessed, at, reason }: EpochStatement) =>
  `lost in a restore, epoch ${mark.number}: of ${witnessed.size} leaves the log continued from ${restored.size} at ${at} (${reason})`

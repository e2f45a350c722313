// The signed head of a log (C2SP tlog-checkpoint): three lines. From the second epoch on, a fourth line names the epoch.

import {
  judgeNote,
  type LocalNoteSigner,
  type NoteKey,
  type NoteSigner,
  type ReadNote,
  readNote,
  signNote,
} from '../../../../platform/signed-note.ts'
import { HASH_BYTES, isTreeSize, type TreeHead } from './merkle.ts'

/** A checkpoint's epoch: its number, and SHA-256 over the statement that opened it (see epoch.ts). */
export interface EpochMark {
  readonly number: number
  readonly digest: Buffer
}

export interface LogTreeHead extends TreeHead {
  readonly origin: string
  readonly root: Buffer
  /** null: the first epoch. */
  readonly epoch: EpochMark | null
}

export const FIRST_EPOCH = 1
export const epochNumber = (epoch: EpochMark | null) => epoch?.number ?? FIRST_EPOCH
export const isSameEpoch = (a: EpochMark | null, b: EpochMark | null) =>
  epochNumber(a) === epochNumber(b) && (a === null || b === null ? a === b : a.digest.equals(b.digest))

type OpenedTreeHead =
  | { readonly outcome: 'signed'; readonly head: LogTreeHead; readonly note: ReadNote }
  | { readonly outcome: 'malformed' | 'not_signed_by_key' }

export const treeHeadText = ({ origin, size, root }: TreeHead & { readonly origin: string }) =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`

export function signTreeHead(head: TreeHead, signer: LocalNoteSigner, epoch?: EpochMark | null): string
export function signTreeHead(head: TreeHead, signer: NoteSigner, epoch?: EpochMark | null): string | Promise<string>
export function signTreeHead(head: TreeHead, signer: NoteSigner, epoch: EpochMark | null = null) {
  return signNote(`${treeHeadText({ ...head, origin: signer.name })}${epoch === null ? '' : epochLine(epoch)}`, signer)
}

const epochLine = ({ number, digest }: EpochMark) => `epoch ${number} ${digest.toString('base64')}\n`

/** Ignores unknown extension lines, which other logs may have. */
function readEpochLine(line: string): EpochMark | null {
  const [, number, encoded = ''] = /^epoch ([2-9]|[1-9]\d{1,8}) ([A-Za-z0-9+/]{43}=)$/.exec(line) ?? []
  return number === undefined ? null : { number: Number(number), digest: Buffer.from(encoded, 'base64') }
}

/** Reads a checkpoint without verifying its signature. */
export function readTreeHead(note: ReadNote): LogTreeHead | null {
  const [origin = '', sizeText = '', rootText = '', extension = ''] = note.text.split('\n')
  const size = /^(0|[1-9]\d{0,15})$/.test(sizeText) ? Number(sizeText) : Number.NaN
  const root = Buffer.from(rootText, 'base64')
  const readable =
    origin !== '' && isTreeSize(size) && root.length === HASH_BYTES && root.toString('base64') === rootText
  return readable ? { origin, size, root, epoch: readEpochLine(extension) } : null
}

/** Opens a checkpoint only if the log's own key has signed it. */
export function openTreeHead(text: string, key: NoteKey): OpenedTreeHead {
  const note = readNote(text)
  const head = note === null ? null : readTreeHead(note)
  if (note === null || head === null) return { outcome: 'malformed' }
  const signed = head.origin === key.name && judgeNote(note, key) === 'signed'
  return signed ? { outcome: 'signed', head, note } : { outcome: 'not_signed_by_key' }
}

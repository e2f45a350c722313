// The head of a log, signed (C2SP tlog-checkpoint): three lines, no further ones.

import { HASH_BYTES, isTreeSize, type TreeHead } from './merkle.ts'
import { judgeNote, type NoteKey, type NoteSigner, type ReadNote, readNote, signNote } from './note.ts'

export interface LogHead extends TreeHead {
  readonly origin: string
  readonly root: Buffer
}

export type OpenedLogHead =
  | { readonly outcome: 'signed'; readonly head: LogHead; readonly note: ReadNote }
  | { readonly outcome: 'malformed' | 'not_signed_by_key' }

export const headText = ({ origin, size, root }: TreeHead & { readonly origin: string }) =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`

export const signHead = (head: TreeHead, signer: NoteSigner) =>
  signNote(headText({ ...head, origin: signer.name }), signer)

/** What a checkpoint says, whoever signed it. Extension lines, which others' logs may have, are not looked at. */
export function readHead(note: ReadNote): LogHead | null {
  const [origin = '', sizeText = '', rootText = ''] = note.text.split('\n')
  const size = /^(0|[1-9]\d{0,15})$/.test(sizeText) ? Number(sizeText) : Number.NaN
  const root = Buffer.from(rootText, 'base64')
  const readable =
    origin !== '' && isTreeSize(size) && root.length === HASH_BYTES && root.toString('base64') === rootText
  return readable ? { origin, size, root } : null
}

/** Only what the log's own key signed is given out. */
export function openHead(text: string, key: NoteKey): OpenedLogHead {
  const note = readNote(text)
  const head = note === null ? null : readHead(note)
  if (note === null || head === null) return { outcome: 'malformed' }
  const signed = head.origin === key.name && judgeNote(note, key) === 'signed'
  return signed ? { outcome: 'signed', head, note } : { outcome: 'not_signed_by_key' }
}

// What a log sends to a witness, and how the witness judges it (C2SP tlog-witness, add-checkpoint).

import { judgeNote, NOTE_BYTES_MAX, type NoteKey, type ReadNote, readNote } from '../../../../platform/signed-note.ts'
import { type EpochMark, isSameEpoch, type LogTreeHead, readTreeHead } from './checkpoint.ts'
import { HASH_BYTES, isConsistent, isTreeSize, PROOF_HASHES_MAX, type TreeHead } from './merkle.ts'

export const SUBMISSION_BYTES_MAX = NOTE_BYTES_MAX + 4 * 1024

interface Submission {
  /** The tree size that the witness knows, as far as the log knows. */
  readonly old: number
  readonly proof: readonly Buffer[]
  readonly checkpoint: string
}

export const renderSubmission = ({ old, proof, checkpoint }: Submission) =>
  [`old ${old}`, ...proof.map((hash) => hash.toString('base64')), '', checkpoint].join('\n')

export function readSubmission(body: string): Submission | null {
  const end = body.indexOf('\n\n')
  if (Buffer.byteLength(body) > SUBMISSION_BYTES_MAX || end < 0) return null
  const [first = '', ...lines] = body.slice(0, end).split('\n')
  const old = /^old (0|[1-9]\d{0,15})$/.exec(first)?.[1]
  const proof = lines.map((line) => Buffer.from(line, 'base64'))
  const canonical = proof.every((hash, i) => hash.length === HASH_BYTES && hash.toString('base64') === lines[i])
  if (old === undefined || !isTreeSize(Number(old)) || !canonical || proof.length > PROOF_HASHES_MAX) return null
  return { old: Number(old), proof, checkpoint: body.slice(end + 2) }
}

/** What a witness knows of a log. */
export interface WitnessedTreeHead extends TreeHead {
  readonly epoch: EpochMark | null
  /** The checkpoint as its log signed it. null: an earlier release did not store it, or a new epoch has just begun. */
  readonly note: string | null
}

export type SubmissionVerdict =
  | { readonly outcome: 'consistent'; readonly head: LogTreeHead; readonly note: ReadNote }
  /** `size` is the size that the witness knows. The log must prove consistency from there. */
  | { readonly outcome: 'conflict'; readonly size: number }
  | { readonly outcome: 'malformed' | 'unknown_log' | 'not_signed' | 'bad_proof' }

/** `known` returns the newest head of a log that this witness has stored. */
export function judgeSubmission(
  body: string,
  logs: readonly NoteKey[],
  known: (origin: string) => WitnessedTreeHead | null,
): SubmissionVerdict {
  const submission = readSubmission(body)
  const note = submission === null ? null : readNote(submission.checkpoint)
  const head = note === null ? null : readTreeHead(note)
  if (submission === null || note === null || head === null || submission.old > head.size)
    return { outcome: 'malformed' }
  const keys = logs.filter(({ name }) => name === head.origin)
  if (keys.length === 0) return { outcome: 'unknown_log' }
  if (!keys.some((key) => judgeNote(note, key) === 'signed')) return { outcome: 'not_signed' }
  const last = known(head.origin)
  const lastSize = last?.size ?? 0
  if (submission.old !== lastSize) return { outcome: 'conflict', size: lastSize }
  // A submission cannot change the epoch: the log must send the epoch's statement (see epoch.ts).
  if (last !== null && !isSameEpoch(last.epoch, head.epoch)) return { outcome: 'conflict', size: lastSize }
  // Two different trees of one size are a fork, even if the proof is valid.
  if (last !== null && head.size === last.size && !head.root.equals(last.root))
    return { outcome: 'conflict', size: lastSize }
  const holds = last === null ? submission.proof.length === 0 : isConsistent(last, head, submission.proof)
  return holds ? { outcome: 'consistent', head, note } : { outcome: 'bad_proof' }
}

// Writes and reads a proof that something is in the log (C2SP tlog-proof).

import { NOTE_BYTES_MAX, type NoteKey } from '../../../../platform/signed-note.ts'
import { type EpochMark, openTreeHead } from './checkpoint.ts'
import { type Cosigned, cosignersOf } from './cosignature.ts'
import { LEAF_SALT_BYTES, receiptLeaf, saltedReceiptLeaf } from './leaves.ts'
import { HASH_BYTES, isIncluded, leafHash, PROOF_HASHES_MAX } from './merkle.ts'

const FORMAT = 'c2sp.org/tlog-proof@v1'
const EXTRA = 'extra '
const PROOF_FILE_BYTES_MAX = NOTE_BYTES_MAX + 8 * 1024

interface LogProof {
  readonly index: number
  /** Begins with the leaf's sibling. */
  readonly hashes: readonly Buffer[]
  readonly checkpoint: string
  /** The salt of a receipt's leaf in our log; other logs may differ. null: the line is missing; empty: unreadable. */
  readonly extra: Buffer | null
}

type ProofVerdict =
  | {
      readonly outcome: 'included'
      readonly index: number
      readonly size: number
      readonly root: Buffer
      readonly origin: string
      readonly epoch: EpochMark | null
      readonly cosigned: readonly Cosigned[]
    }
  | { readonly outcome: 'malformed' | 'not_signed_by_key' | 'not_included' }

export const renderProof = ({ index, hashes, checkpoint, extra }: LogProof) =>
  [
    FORMAT,
    ...(extra === null ? [] : [`${EXTRA}${extra.toString('base64')}`]),
    `index ${index}`,
    ...hashes.map((hash) => hash.toString('base64')),
    '',
    checkpoint,
  ].join('\n')

export function readProof(file: string): LogProof | null {
  if (Buffer.byteLength(file) > PROOF_FILE_BYTES_MAX) return null
  const end = file.indexOf('\n\n')
  if (end < 0) return null
  const [format, ...lines] = file.slice(0, end).split('\n')
  const extraText = lines[0]?.startsWith(EXTRA) === true ? (lines.shift() ?? '').slice(EXTRA.length) : null
  const [indexLine = '', ...encoded] = lines
  const index = /^index (0|[1-9]\d{0,15})$/.exec(indexLine)?.[1]
  const hashes = encoded.map((line) => Buffer.from(line, 'base64'))
  const canonical = hashes.every((hash, i) => hash.length === HASH_BYTES && hash.toString('base64') === encoded[i])
  if (format !== FORMAT || index === undefined || !canonical || hashes.length > PROOF_HASHES_MAX) return null
  const extra = extraText === null ? null : Buffer.from(extraText, 'base64')
  const isReadable = extra?.toString('base64') === extraText
  const checkpoint = file.slice(end + 2)
  return { index: Number(index), hashes, checkpoint, extra: isReadable || extra === null ? extra : Buffer.alloc(0) }
}

export interface ProofKeys {
  readonly log: NoteKey
  readonly witnesses: readonly NoteKey[]
}

/** Verifies the proof of a receipt. The proof contains the salt of the receipt's leaf, if the leaf has one. */
export function verifyProofOfReceipt(file: string, jws: string, keys: ProofKeys): ProofVerdict {
  const salt = readProof(file)?.extra ?? null
  if (salt !== null && salt.length !== LEAF_SALT_BYTES) return { outcome: 'malformed' }
  return verifyProof(file, salt === null ? receiptLeaf(jws) : saltedReceiptLeaf(jws, salt), keys)
}

export function verifyProof(file: string, leaf: Uint8Array, keys: ProofKeys): ProofVerdict {
  const proof = readProof(file)
  if (proof === null) return { outcome: 'malformed' }
  const opened = openTreeHead(proof.checkpoint, keys.log)
  if (opened.outcome !== 'signed') return { outcome: opened.outcome }
  const { origin, size, root, epoch } = opened.head
  const { index, hashes } = proof
  if (!isIncluded({ index, size, leaf: leafHash(leaf), proof: hashes }, root)) return { outcome: 'not_included' }
  return { outcome: 'included', index, size, root, origin, epoch, cosigned: cosignersOf(opened.note, keys.witnesses) }
}

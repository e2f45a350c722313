// Writes and reads a proof that something is in the log (C2SP tlog-proof).

import { NOTE_BYTES_MAX, type NoteKey } from '../../../../platform/signed-note.ts'
import { type EpochMark, openTreeHead } from './checkpoint.ts'
import { type Cosigned, cosignersOf } from './cosignature.ts'
import { HASH_BYTES, isIncluded, leafHash, PROOF_HASHES_MAX } from './merkle.ts'

const FORMAT = 'c2sp.org/tlog-proof@v1'
const PROOF_FILE_BYTES_MAX = NOTE_BYTES_MAX + 8 * 1024

interface LogProof {
  readonly index: number
  /** The leaf's sibling first. */
  readonly hashes: readonly Buffer[]
  readonly checkpoint: string
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

export const renderProof = ({ index, hashes, checkpoint }: LogProof) =>
  [FORMAT, `index ${index}`, ...hashes.map((hash) => hash.toString('base64')), '', checkpoint].join('\n')

export function readProof(file: string): LogProof | null {
  if (Buffer.byteLength(file) > PROOF_FILE_BYTES_MAX) return null
  const end = file.indexOf('\n\n')
  if (end < 0) return null
  const [format, ...lines] = file.slice(0, end).split('\n')
  // We do not use the extra line; another log may.
  if (lines[0]?.startsWith('extra ') === true) lines.shift()
  const [indexLine = '', ...encoded] = lines
  const index = /^index (0|[1-9]\d{0,15})$/.exec(indexLine)?.[1]
  const hashes = encoded.map((line) => Buffer.from(line, 'base64'))
  const canonical = hashes.every((hash, i) => hash.length === HASH_BYTES && hash.toString('base64') === encoded[i])
  if (format !== FORMAT || index === undefined || !canonical || hashes.length > PROOF_HASHES_MAX) return null
  return { index: Number(index), hashes, checkpoint: file.slice(end + 2) }
}

export interface ProofKeys {
  readonly log: NoteKey
  readonly witnesses: readonly NoteKey[]
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

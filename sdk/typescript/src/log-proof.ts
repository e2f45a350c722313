// Verifies offline that a receipt is in the public log (C2SP tlog-proof), with the keys of log and witnesses.

import { fromBase64, joined, sha256, utf8 } from './bytes.ts'
import { type Cosigned, cosignedBy, isSignedBy, readLogKey, readLogNote } from './log-note.ts'

type Bytes = Uint8Array<ArrayBuffer>

const FORMAT = 'c2sp.org/tlog-proof@v1'
const HASH_BYTES = 32
const HASHES_MAX = 63
const LENGTH_MAX = 128 * 1024

export type LogProofErrorCode = 'malformed' | 'bad_key' | 'not_signed' | 'not_included'

/** `code` is stable, `message` is for your log. */
export class LogProofError extends Error {
  override readonly name = 'LogProofError'
  readonly code: LogProofErrorCode

  constructor(code: LogProofErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export interface LogKeys {
  /** The key that `/log/key` shows. Store it: if you fetch it each time, you trust any key that the log sends. */
  readonly log: string
  /** The keys of the witnesses that you trust, as they print them. */
  readonly witnesses?: readonly string[]
}

export interface ProvenLeaf {
  readonly origin: string
  readonly index: number
  readonly size: number
  /** Your witnesses that cosigned the checkpoint. Empty: only the log itself claims that there is one history. */
  readonly cosigned: readonly Cosigned[]
  /** The side of each hash of the proof, from the leaf up. */
  readonly way: readonly ('left' | 'right')[]
}

/** Resolves if the receipt is in the log; rejects with a `LogProofError` otherwise. `verifyReceipt` verifies the receipt itself. */
export async function verifyReceiptProof(file: string, jws: string, keys: LogKeys): Promise<ProvenLeaf> {
  const salt = readProof(file)?.extra ?? null
  const receipt = utf8(jws.trim())
  if (salt !== null && salt.length !== HASH_BYTES) throw new LogProofError('malformed', 'This is not a proof.')
  return verifyLeafProof(file, opaqueLeaf(salt === null ? await sha256(receipt) : await hmac(salt, receipt)), keys)
}

/** For a receipt from another installation. With a salt, so that its leaf differs from the one in the other log. */
async function hmac(salt: Bytes, receipt: Bytes): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', salt, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, receipt))
}

/** All leaves have the label of receipts, so that they cannot be distinguished. */
export const opaqueLeaf = (content: Bytes): Bytes => joined([utf8('vidimus-receipt-v1\0'), content])

/** Does the same for any leaf. */
export async function verifyLeafProof(file: string, leaf: Bytes, keys: LogKeys): Promise<ProvenLeaf> {
  const proof = readProof(file)
  const note = proof === null ? null : readLogNote(proof.checkpoint)
  const head = note === null ? null : readHead(note.text)
  if (proof === null || note === null || head === null) throw new LogProofError('malformed', 'This is not a proof.')
  const log = await readLogKey(keys.log)
  const witnesses = await Promise.all((keys.witnesses ?? []).map(readLogKey))
  if (log === null || log.kind !== 'log' || witnesses.some((one) => one?.kind !== 'witness')) {
    throw new LogProofError('bad_key', 'One of the keys is not the key of a log or of a witness.')
  }
  if (head.origin !== log.name || !(await isSignedBy(note, log))) {
    throw new LogProofError('not_signed', 'The checkpoint was not signed by this log.')
  }
  const sides = sidesOf(proof.index, head.size)
  const root = sides?.length === proof.hashes.length ? await climb(leaf, proof.hashes, sides) : null
  if (sides === null || root === null || !isSame(root, head.root)) {
    throw new LogProofError('not_included', 'The proof does not lead to the checkpoint.')
  }
  const cosigned = await Promise.all(witnesses.flatMap((one) => (one === null ? [] : [cosignedBy(note, one)])))
  const { origin, size } = head
  return { origin, index: proof.index, size, cosigned: cosigned.filter((one) => one !== null), way: sides }
}

interface ReadProof {
  readonly index: number
  readonly hashes: readonly Bytes[]
  readonly checkpoint: string
  /** The salt of the leaf, if the receipt has one. Empty: unreadable. */
  readonly extra: Bytes | null
}

function readProof(file: string): ReadProof | null {
  const end = file.indexOf('\n\n')
  if (end < 0 || file.length > LENGTH_MAX) return null
  const [format, ...lines] = file.slice(0, end).split('\n')
  const extra =
    lines[0]?.startsWith('extra ') === true ? (fromBase64((lines.shift() ?? '').slice(6)) ?? new Uint8Array(0)) : null
  const [indexLine = '', ...encoded] = lines
  const index = /^index (0|[1-9]\d{0,15})$/.exec(indexLine)?.[1]
  const hashes = encoded.map(fromBase64).filter((hash) => hash?.length === HASH_BYTES) as Bytes[]
  if (format !== FORMAT || index === undefined || hashes.length !== encoded.length || hashes.length > HASHES_MAX) {
    return null
  }
  return { index: Number(index), hashes, checkpoint: file.slice(end + 2), extra }
}

function readHead(text: string): { origin: string; size: number; root: Bytes } | null {
  const [origin = '', sizeText = '', rootText = ''] = text.split('\n')
  const size = /^(0|[1-9]\d{0,15})$/.test(sizeText) ? Number(sizeText) : Number.NaN
  const root = fromBase64(rootText)
  return origin !== '' && Number.isSafeInteger(size) && root?.length === HASH_BYTES ? { origin, size, root } : null
}

/** The side of each sibling, from the leaf up (RFC 6962 §2.1.1); null if there is no such leaf. */
function sidesOf(index: number, size: number): ('left' | 'right')[] | null {
  if (!Number.isSafeInteger(index) || index >= size) return null
  const sides: ('left' | 'right')[] = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    let half = 1
    while (half * 2 < to - from) half *= 2
    const isLeft = index < from + half
    sides.unshift(isLeft ? 'right' : 'left')
    if (isLeft) to = from + half
    else from += half
  }
  return sides
}

/** The root that hashes lead to from a leaf (RFC 6962 §2.1); `sides`: the side of each. */
export async function climb(
  leaf: Bytes,
  hashes: readonly Bytes[],
  sides: readonly ('left' | 'right')[],
): Promise<Bytes> {
  let hash = await sha256(joined([Uint8Array.of(0), leaf]))
  for (const [i, sibling] of hashes.entries()) {
    const pair = sides[i] === 'right' ? [hash, sibling] : [sibling, hash]
    hash = await sha256(joined([Uint8Array.of(1), ...pair]))
  }
  return hash
}

const isSame = (one: Bytes, other: Bytes) => one.length === other.length && one.every((byte, i) => byte === other[i])

// Verifies a receipt offline with public keys.

import { createPublicKey, hash, verify } from 'node:crypto'
import { RECEIPT_BYTES_MAX, RECEIPT_TYPE } from './receipt.ts'
import type { ReceiptJwk } from './receipt-key.ts'
import { readTreeProof, TREE_ALGORITHM } from './receipt-tree.ts'

export interface ReceiptKeySet {
  readonly keys: readonly Partial<ReceiptJwk>[]
}

export interface ReceiptContent {
  readonly iss: string
  readonly aud: string
  readonly jti: string
  readonly iat: number
  readonly env: string
  readonly asked?: { readonly template?: string; readonly purpose_sha256?: string }
  readonly verdict: 'accepted' | 'rejected'
  readonly code?: string
  readonly bundle_sha256?: string
  readonly result_sha256: string
  readonly chain: { readonly seq: number; readonly hash: string }
}

type ReceiptVerdict =
  | { readonly outcome: 'genuine'; readonly receipt: ReceiptContent }
  | { readonly outcome: 'malformed' | 'unknown_key' | 'bad_signature' }

export function verifyReceipt(jws: string, { keys }: ReceiptKeySet): ReceiptVerdict {
  const parts = jws.trim().split('.')
  const [headerText = '', payloadText = '', signatureText = ''] = parts
  const header = jws.length <= RECEIPT_BYTES_MAX && parts.length === 3 ? jsonOf(headerText) : null
  const receipt = header === null ? null : jsonOf(payloadText)
  const signed = header === null ? null : signedBytes(header.alg, `${headerText}.${payloadText}`, signatureText)
  if (header === null || signed === null || header.typ !== RECEIPT_TYPE || !isReceipt(receipt)) {
    return { outcome: 'malformed' }
  }
  const key = keys.find(
    ({ kid, kty, crv }) => kid !== undefined && kid === header.kid && kty === 'EC' && crv === 'P-256',
  )
  if (key === undefined) return { outcome: 'unknown_key' }
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: key.x ?? '', y: key.y ?? '' }, format: 'jwk' })
  const holds = verify('sha256', signed.statement, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signed.signature)
  return holds ? { outcome: 'genuine', receipt } : { outcome: 'bad_signature' }
}

/** Returns what the key signed: the receipt, or the root of the tree that the receipt's path leads to. null: unknown form. */
function signedBytes(
  algorithm: unknown,
  input: string,
  signature: string,
): { readonly statement: Buffer; readonly signature: Buffer } | null {
  if (algorithm === TREE_ALGORITHM) return readTreeProof(input, signature)
  if (algorithm !== 'ES256') return null
  const bytes = Buffer.from(signature, 'base64url')
  // base64url allows several spellings of the same bytes. Only the canonical one is valid.
  const isExact = bytes.toString('base64url') === signature
  return { statement: Buffer.from(input, 'ascii'), signature: isExact ? bytes : Buffer.alloc(0) }
}

/** Whether the receipt names this evidence bundle. `id`: of the verification, if it came with the bundle. */
export const isBundleOf = (
  { jti, bundle_sha256 }: ReceiptContent,
  { id = jti, evidence }: { readonly id?: unknown; readonly evidence?: unknown },
): boolean => id === jti && typeof evidence === 'string' && hash('sha256', evidence, 'base64url') === bundle_sha256

function isReceipt(json: Record<string, unknown> | null): json is Record<string, unknown> & ReceiptContent {
  if (json === null) return false
  const { iss, aud, jti, iat, env, verdict, code, result_sha256, chain } = json
  const texts = [iss, aud, jti, env, result_sha256].every((value) => typeof value === 'string')
  const judged = verdict === 'accepted' || verdict === 'rejected'
  const at = typeof chain === 'object' && chain !== null && 'seq' in chain && 'hash' in chain ? chain : null
  const chained = at !== null && Number.isSafeInteger(at.seq) && typeof at.hash === 'string'
  return texts && judged && chained && Number.isSafeInteger(iat) && (code === undefined || typeof code === 'string')
}

/** Decodes JSON; null unless its base64url spelling is the canonical one. */
function jsonOf(text: string): Record<string, unknown> | null {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) return null
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : null
  } catch {
    return null
  }
}

// Verifies offline, with the service's public keys, that a receipt is genuine and belongs to a result.

import { type Bytes, fromBase64url, fromHex, joined, utf8 } from './bytes.ts'
import { climb } from './log-proof.ts'
import { compareResult, type ReceiptResult } from './receipt-result.ts'

export interface Receipt {
  /** The address of the installation. */
  iss: string
  /** The tenant. */
  aud: string
  /** The verification's id. */
  jti: string
  /** Seconds since 1970. */
  iat: number
  env: 'test' | 'live'
  verdict: 'accepted' | 'rejected'
  /** The error code, if it was rejected. */
  code?: string
  /** `request_sha256` is the hash of the signed request object that was served first. Older receipts have fewer members. */
  asked: {
    template?: string
    dcql_sha256: string
    purpose_sha256?: string
    request_sha256?: string
    registration_sha256?: string
    intended_use?: string
  }
  /**
   * What bound the answer to a browser, or what must bind it before a sign-in continues: `browser_api`, `response_code`,
   * `response_code_or_code`, `unconfirmed`, `first_browser`, `none`. Older receipts have none.
   */
  bound_by?: string
  credentials: ReceiptCredential[]
  result_sha256: string
  /** What the holder was asked to confirm. `hash`: HMAC-SHA256 under the salt over `transaction`, a zero byte and the `hash` that the API gives. */
  transaction?: { type: string; hash: string }[]
  /** The hash of the evidence bundle, if there is one, over its JWE. */
  bundle_sha256?: string
  /** The entry of the audit chain that records the end. */
  chain: { seq: number; hash: string }
}

/** Hashes are SHA-256, base64url; times are seconds since 1970. Older receipts have fewer members. */
export interface ReceiptCredential {
  /** The id of the credential query it was presented for. */
  query?: string
  format: string
  type?: string
  trusted: boolean
  checks: { check: string; outcome: string }[]
  issuer_cert_sha256?: string
  anchor_sha256?: string
  /** The tenant's policy for a status that is not established. */
  status_policy?: 'require' | 'prefer'
  /** Of a zero-knowledge proof: the only type that the signers under its anchor issue, according to who added the anchor. */
  sole_type?: { doc_type: string; namespace: string; without_status: boolean }
  /** The published list that named the authority. */
  trust_list?: { uri: string; seq?: number; sha256?: string }
  /** `fetched`: only in older receipts. */
  status?: { outcome: string; list_sha256?: string; fetched?: number }
}

/** `malformed_result`: the verification repeats a member, or has one that this release does not know. */
export type ReceiptErrorCode =
  | 'malformed'
  | 'unknown_key'
  | 'bad_signature'
  | 'other_verification'
  | 'other_result'
  | 'malformed_result'

/** `code` is stable, `message` is for your log. */
export class ReceiptVerificationError extends Error {
  override readonly name = 'ReceiptVerificationError'
  readonly code: ReceiptErrorCode

  constructor(code: ReceiptErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export interface VerifyReceiptOptions {
  /** The verification that the receipt must be about. */
  id?: string
  /**
   * Compares `id`, `status`, `template`, `purpose`, `claims`, `credentials` and `error`, and `responded_at` within a minute.
   * `metadata`, `redirect_url`, `created_at` and `expires_at` are not in the receipt: anyone could have changed them.
   */
  result?: ReceiptResult
}

/**
 * Resolves with the content of the receipt if one of the keys signed it; rejects with a `ReceiptVerificationError` otherwise.
 *
 * ```ts
 * const keys = await (await fetch(`${baseUrl}/log/receipt-keys`)).json() // keep them: they verify old receipts for ever
 * const receipt = await verifyReceipt(jws, keys, { result: { verification, salt } })
 * ```
 */
export async function verifyReceipt(
  jws: string,
  keySet: { keys: readonly object[] },
  options: VerifyReceiptOptions = {},
): Promise<Receipt> {
  const parts = jws.trim().split('.')
  const [headerText = '', payloadText = '', signatureText = ''] = parts
  const header =
    parts.length === 3 ? (jsonOf(headerText) as { alg?: unknown; typ?: unknown; kid?: unknown } | null) : null
  const signed = header === null ? null : await signedBytes(header.alg, `${headerText}.${payloadText}`, signatureText)
  if (header === null || signed === null || header.typ !== 'vidimus-receipt+jwt') {
    throw new ReceiptVerificationError('malformed', 'This is not a receipt.')
  }
  const jwk = (keySet.keys as readonly JsonWebKeyWithId[]).find(({ kid }) => kid !== undefined && kid === header.kid)
  if (jwk === undefined) throw new ReceiptVerificationError('unknown_key', 'None of these keys has signed the receipt.')
  if (!(await isSigned(signed, jwk)))
    throw new ReceiptVerificationError('bad_signature', 'The signature of the receipt is not valid.')
  // Only its form is checked: the service signed it.
  const receipt = jsonOf(payloadText) as Receipt | null
  if (receipt === null) throw new ReceiptVerificationError('malformed', 'This is not a receipt.')
  await requireAbout(receipt, options)
  return receipt
}

interface Signed {
  readonly statement: Bytes
  readonly signature: Bytes
}

/** The signed bytes: the receipt, or the root that its path leads to. null: an unknown form. */
async function signedBytes(algorithm: unknown, input: string, signatureText: string): Promise<Signed | null> {
  const signature = fromBase64url(signatureText)
  if (algorithm === TREE_ALGORITHM) return signature === null ? null : readTreeProof(input, signature)
  // An unreadable signature is invalid.
  return algorithm === 'ES256' ? { statement: utf8(input), signature: signature ?? new Uint8Array(0) } : null
}

/** The header member of receipts that share a signature: it covers the root of a tree of 256 receipts. */
export const TREE_ALGORITHM = 'vidimus-ES256-tree'
const LEVELS = 8

/** `proof`: signature (64 bytes), index of the leaf (1 byte), path from the leaf's sibling up. null: another form. */
async function readTreeProof(input: string, proof: Bytes): Promise<Signed | null> {
  if (proof.length !== 65 + LEVELS * 32) return null
  const index = proof[64] ?? 0
  const levels = Array.from({ length: LEVELS }, (_, level) => level)
  const hashes = levels.map((level) => proof.slice(65 + level * 32, 97 + level * 32))
  const sides = levels.map((level) => ((index >> level) % 2 === 0 ? 'right' : 'left'))
  const root = await climb(utf8(input), hashes, sides)
  return { statement: joined([utf8('vidimus-receipt-tree-v1\0'), root]), signature: proof.slice(0, 64) }
}

type JsonWebKeyWithId = { readonly kid?: string; readonly x?: string; readonly y?: string }

async function requireAbout(receipt: Receipt, { id, result }: VerifyReceiptOptions): Promise<void> {
  if (id !== undefined && id !== receipt.jti) {
    throw new ReceiptVerificationError('other_verification', 'The receipt is about another verification.')
  }
  const compared = result === undefined ? null : await compareResult(receipt, result)
  if (compared !== null && 'code' in compared) throw new ReceiptVerificationError(compared.code, compared.message)
}

async function isSigned({ statement, signature }: Signed, { x, y }: JsonWebKeyWithId): Promise<boolean> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
  return crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, signature, statement)
}

function jsonOf(text: string): object | null {
  const bytes = fromBase64url(text)
  if (bytes === null) return null
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof json === 'object' ? json : null
  } catch {
    return null
  }
}

const CERTIFICATE_BYTES_MAX = 1024 * 1024
/** The form of the service's attachments. A PDF that another program saved no longer has it. */
const ATTACHED =
  /\/Type \/EmbeddedFile \/Vidimus \(([\w.-]{1,40})\)[^\n]{0,400} \/Filter \/ASCIIHexDecode \/Length \d{1,7} >>\nstream\n([0-9a-f]*)>\nendstream/g

/**
 * Extracts the receipt and its proof from a certificate (PDF), for `verifyReceipt` and `verifyReceiptProof`. The printed text proves
 * nothing: anyone can edit it. null: not a certificate, or not exactly one receipt and one proof.
 */
export function readCertificate(pdf: Uint8Array): { readonly receipt: string; readonly proof: string } | null {
  if (pdf.length > CERTIFICATE_BYTES_MAX) return null
  const text = new TextDecoder('latin1').decode(pdf)
  if (!text.startsWith('%PDF-')) return null
  const files = [...text.matchAll(ATTACHED)]
  const only = (name: string): string | null => {
    const [file, ...more] = files.filter(([, found]) => found === name)
    const bytes = file === undefined || more.length > 0 ? null : fromHex(file[2] ?? '')
    return bytes === null ? null : new TextDecoder().decode(bytes)
  }
  const [receipt, proof] = [only('receipt.jws'), only('receipt.tlog-proof')]
  return receipt === null || proof === null ? null : { receipt, proof }
}

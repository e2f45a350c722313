// Verifies offline, with the service's public keys, that a receipt is genuine and belongs to a result.

import { type Bytes, fromHex, joined, utf8 } from './bytes.ts'
import { canonical, type Json } from './canonical-json.ts'
import { climb } from './log-proof.ts'

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
  /** The published list that named the authority. */
  trust_list?: { uri: string; seq?: number; sha256?: string }
  status?: { outcome: string; list_sha256?: string; fetched?: number }
}

export type ReceiptErrorCode = 'malformed' | 'unknown_key' | 'bad_signature' | 'other_verification' | 'other_result'

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
  /** The verification from the API or a webhook, and its salt (`X-Vidimus-Receipt-Salt`). */
  result?: { verification: object; salt: string }
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
  const signature = decoded(signatureText)
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
  const claimed = result?.verification as { id?: unknown; claims?: Json; credentials?: Json; error?: Json } | undefined
  if ((id !== undefined && id !== receipt.jti) || (claimed !== undefined && claimed.id !== receipt.jti)) {
    throw new ReceiptVerificationError('other_verification', 'The receipt is about another verification.')
  }
  if (result === undefined || claimed === undefined) return
  const { claims, credentials, error } = claimed
  const salt = decoded(result.salt)
  const digest = salt === null || salt.length === 0 ? null : await hmac(salt, canonical({ claims, credentials, error }))
  if (digest !== receipt.result_sha256) {
    throw new ReceiptVerificationError('other_result', 'The receipt is not about this result with this salt.')
  }
}

async function isSigned({ statement, signature }: Signed, { x, y }: JsonWebKeyWithId): Promise<boolean> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
  return crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, signature, statement)
}

async function hmac(salt: Bytes, text: string): Promise<string> {
  const key = await crypto.subtle.importKey('raw', salt, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return encoded(new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))))
}

function jsonOf(text: string): object | null {
  const bytes = decoded(text)
  if (bytes === null) return null
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof json === 'object' ? json : null
  } catch {
    return null
  }
}

/** Decodes canonical base64url. */
function decoded(text: string): Bytes | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  return encoded(bytes) === text ? bytes : null
}

function encoded(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
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

// Is this receipt genuine, and is it about this result? Offline, with the service's public keys. Web Crypto alone, like webhook.ts.

import { fromHex } from './bytes.ts'
import { canonical, type Json } from './canonical-json.ts'

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
  /** Of the error, where it was rejected. */
  code?: string
  /** `request_sha256` is of the signed request object as it was served first. Older receipts have less. */
  asked: {
    template?: string
    dcql_sha256: string
    purpose_sha256?: string
    request_sha256?: string
    registration_sha256?: string
    intended_use?: string
  }
  /**
   * What tied the answer to a browser, or what must before a sign-in passes anything on: `browser_api`, `response_code`,
   * `response_code_or_code`, `unconfirmed`, `first_browser`, `none`. Older receipts have none.
   */
  bound_by?: string
  credentials: ReceiptCredential[]
  result_sha256: string
  /** What the holder was to agree to. `hash`: HMAC-SHA256 under the salt over `transaction`, a zero byte and the `hash` that the API gives. */
  transaction?: { type: string; hash: string }[]
  /** Of the evidence bundle, where one was made: over the JWE as it is handed out. */
  bundle_sha256?: string
  /** The entry of the audit chain that records the end. */
  chain: { seq: number; hash: string }
}

/** Hashes are SHA-256, base64url; times are seconds since 1970. Older receipts have less. */
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
  /** The verification as the API or a webhook gave it, and the salt that came beside it (`X-Vidimus-Receipt-Salt`). */
  result?: { verification: object; salt: string }
}

/**
 * Resolves with what the receipt says if one of the keys signed it; rejects with a `ReceiptVerificationError` otherwise.
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
  if (header === null || header.alg !== 'ES256' || header.typ !== 'vidimus-receipt+jwt') {
    throw new ReceiptVerificationError('malformed', 'This is no receipt.')
  }
  const jwk = (keySet.keys as readonly JsonWebKeyWithId[]).find(({ kid }) => kid !== undefined && kid === header.kid)
  if (jwk === undefined) throw new ReceiptVerificationError('unknown_key', 'None of these keys has signed the receipt.')
  const signature = decoded(signatureText)
  const holds = signature !== null && (await isSigned(`${headerText}.${payloadText}`, signature, jwk))
  if (!holds) throw new ReceiptVerificationError('bad_signature', 'The signature of the receipt does not hold.')
  // Signed by the service: it has the form that the service gives it.
  const receipt = jsonOf(payloadText) as Receipt | null
  if (receipt === null) throw new ReceiptVerificationError('malformed', 'This is no receipt.')
  await requireAbout(receipt, options)
  return receipt
}

type JsonWebKeyWithId = { readonly kid?: string; readonly x?: string; readonly y?: string }

async function requireAbout(receipt: Receipt, { id, result }: VerifyReceiptOptions): Promise<void> {
  const given = result?.verification as { id?: unknown; claims?: Json; credentials?: Json; error?: Json } | undefined
  if ((id !== undefined && id !== receipt.jti) || (given !== undefined && given.id !== receipt.jti)) {
    throw new ReceiptVerificationError('other_verification', 'The receipt is about another verification.')
  }
  if (result === undefined || given === undefined) return
  const { claims, credentials, error } = given
  const salt = decoded(result.salt)
  const digest = salt === null || salt.length === 0 ? null : await hmac(salt, canonical({ claims, credentials, error }))
  if (digest !== receipt.result_sha256) {
    throw new ReceiptVerificationError('other_result', 'The receipt is not about this result with this salt.')
  }
}

async function isSigned(
  text: string,
  signature: Uint8Array<ArrayBuffer>,
  { x, y }: JsonWebKeyWithId,
): Promise<boolean> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
  return crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, signature, new TextEncoder().encode(text))
}

async function hmac(salt: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
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

/** base64url, in its one spelling. */
function decoded(text: string): Uint8Array<ArrayBuffer> | null {
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
/** As the service writes its attachments. A file that another program has saved again has none of this form. */
const ATTACHED =
  /\/Type \/EmbeddedFile \/Vidimus \(([\w.-]{1,40})\)[^\n]{0,400} \/Filter \/ASCIIHexDecode \/Length \d{1,7} >>\nstream\n([0-9a-f]*)>\nendstream/g

/**
 * Takes the receipt and its proof out of a certificate (PDF), for `verifyReceipt` and `verifyReceiptProof`. What is printed on the
 * page proves nothing: anyone can edit it. null: it is no certificate, or has not exactly one receipt and one proof.
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

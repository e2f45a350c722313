// Decrypts results with the merchant's private key, with Web Crypto only, so that it runs everywhere.

import { type Bytes, fromBase64url as decodeBase64url, joined, sha256, toBase64url, utf8 } from './bytes.ts'
import type { CredentialResult, Verification } from './verification.ts'

/** The private key whose public key you registered: P-256, with `d`. */
export interface ResultPrivateKey {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly y: string
  readonly d: string
}

/**
 * `no_key`: the result is encrypted to a key that you did not pass. `damaged`: it does not open, or belongs to another
 * verification. `not_encrypted`: the result is not encrypted, but you expect encrypted results.
 */
export type ResultErrorCode = 'no_key' | 'damaged' | 'not_encrypted'

export class ResultError extends Error {
  override readonly name = 'ResultError'
  readonly code: ResultErrorCode

  constructor(code: ResultErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Whether `claims` is encrypted to you. */
export function isEncrypted({ claims }: Pick<Verification, 'claims'>): boolean {
  return claims !== undefined && Object.hasOwn(claims, '$jwe')
}

export interface OpenResultOptions {
  /** Accepts results that are not encrypted, for those from before you registered a key. */
  readonly acceptClear?: boolean
}

/**
 * Decrypts the claims of a verification and of its credentials. Pass a verification from a read, a redemption or
 * `verifyWebhook`, and all your keys while you replace one: the result names the key that it is encrypted to. A
 * verification without claims (pending, failed, forgotten) is returned unchanged.
 */
export async function openResult(
  verification: Verification,
  keys: ResultPrivateKey | readonly ResultPrivateKey[],
  { acceptClear = false }: OpenResultOptions = {},
): Promise<Verification> {
  const jwe = jweOf(verification)
  if (jwe === null) {
    if (acceptClear || !hasClaims(verification)) return verification
    throw new ResultError('not_encrypted', 'The result is not encrypted, and the caller expects one that is.')
  }
  if (verification.status !== 'completed') throw damaged('the verification is not completed')
  const text = await decrypt(jwe, { keys: [keys].flat(), type: 'vidimus-result+jwe', audience: verification.id })
  const { claims, credentials } = readContent(text)
  const opened = { ...verification, claims }
  const described = verification.credentials
  if (described === undefined) return opened
  if (described.length !== credentials.length) throw damaged('it has other credentials than the verification')
  const filled = described.map((one, at): CredentialResult => ({ ...one, claims: credentials[at] ?? {} }))
  return { ...opened, credentials: filled }
}

/** A verification without claims has nothing to protect. */
const hasClaims = ({ claims, credentials = [] }: Verification) =>
  claims !== undefined || credentials.some((one) => Object.keys(one.claims).length > 0)

/**
 * Decrypts the evidence bundle of this verification. The evidence guide describes its JSON. Anyone can encrypt to your key:
 * only the receipt shows that the bundle is the service's. With the receipt, a bundle that it does not name is refused;
 * `verifyReceipt` verifies the receipt itself.
 */
export async function openEvidence(
  delivery: { readonly id: string; readonly evidence: string; readonly receipt?: string },
  keys: ResultPrivateKey | readonly ResultPrivateKey[],
): Promise<Record<string, unknown>> {
  if (delivery.receipt !== undefined) await requireNamed(delivery.receipt, delivery)
  const expected = { keys: [keys].flat(), type: 'vidimus-evidence+jwe', audience: delivery.id }
  const content = parsed(await decrypt(delivery.evidence, expected))
  if (typeof content !== 'object' || content === null) throw damaged('it holds no evidence')
  return { ...content }
}

async function requireNamed(receipt: string, { id, evidence }: { readonly id: string; readonly evidence: string }) {
  const named = parsed(new TextDecoder().decode(fromBase64url(receipt.split('.')[1] ?? '')))
  const digest = toBase64url(await sha256(utf8(evidence)))
  if (!isObject(named) || named.jti !== id || named.bundle_sha256 !== digest)
    throw damaged('its receipt does not name this bundle')
}

/** Decrypts a new key's challenge. Send the result to prove the key. `keyId` is the id of the key (`rky_…`). */
export async function openChallenge(challenge: string, key: ResultPrivateKey, keyId: string): Promise<string> {
  return decrypt(challenge, { keys: [key], type: 'vidimus-challenge+jwe', audience: keyId })
}

/** Generates a key pair: register `publicKey`, and store `privateKey` as a secret. Without it results are lost. */
export async function generateResultKey(): Promise<{
  readonly publicKey: Readonly<Record<'kty' | 'crv' | 'x' | 'y' | 'use' | 'alg', string>>
  readonly privateKey: ResultPrivateKey
}> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits'])
  const { x = '', y = '', d = '' } = await crypto.subtle.exportKey('jwk', pair.privateKey)
  const point = { kty: 'EC', crv: 'P-256', x, y }
  return { publicKey: { ...point, use: 'enc', alg: 'ECDH-ES' }, privateKey: { ...point, d } }
}

/** null: `claims` is not encrypted. */
function jweOf(verification: Pick<Verification, 'claims'>): string | null {
  if (!isEncrypted(verification)) return null
  const { $jwe: jwe, ...others } = verification.claims ?? {}
  if (typeof jwe !== 'string' || Object.keys(others).length > 0) throw damaged('claims holds more than a JWE')
  return jwe
}

interface Expected {
  readonly keys: readonly ResultPrivateKey[]
  readonly type: string
  /** The expected `apv`: what the sender encrypted it for. */
  readonly audience: string
}

/** Accepts only ECDH-ES (direct) with A256GCM (RFC 7518 §4.6, §5.3). */
async function decrypt(jwe: string, { keys, type, audience }: Expected): Promise<string> {
  const parts = jwe.split('.')
  const [headerText = '', encryptedKey, ivText = '', bodyText = '', tagText = ''] = parts
  if (parts.length !== 5 || encryptedKey !== '') throw damaged('it is not a JWE of this service')
  const header = readHeader(headerText)
  if (
    header.alg !== 'ECDH-ES' ||
    header.enc !== 'A256GCM' ||
    header.typ !== type ||
    ['crit', 'zip', 'apu'].some((name) => Object.hasOwn(header, name))
  )
    throw damaged('it is not a JWE of this kind')
  const audienceBytes = new TextEncoder().encode(audience)
  if (header.apv !== toBase64url(audienceBytes)) throw damaged('it belongs to something else')
  const key = await keyNamed(header.kid, keys)
  const [iv, body, tag] = [fromBase64url(ivText), fromBase64url(bodyText), fromBase64url(tagText)]
  if (iv.length !== 12 || tag.length !== 16) throw damaged('its parts have wrong lengths')
  try {
    const secret = await agree(key, header.epk)
    const contentKey = await crypto.subtle.importKey('raw', await derive(secret, audienceBytes), 'AES-GCM', false, [
      'decrypt',
    ])
    const opened = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(headerText), tagLength: 128 },
      contentKey,
      joined([body, tag]),
    )
    return new TextDecoder('utf-8', { fatal: true }).decode(opened)
  } catch {
    throw damaged('it does not open with this key')
  }
}

function readHeader(text: string): Record<string, unknown> {
  const header = parsed(new TextDecoder().decode(fromBase64url(text)))
  if (!isObject(header)) throw damaged('its header cannot be read')
  return header
}

/** Reads the claims and those of each credential. Only the form is checked: the service encrypted it. */
function readContent(text: string) {
  const content = parsed(text)
  const { claims, credentials } = isObject(content) ? content : {}
  if (!isObject(claims) || !Array.isArray(credentials)) throw damaged('it holds no result')
  return {
    claims,
    credentials: credentials.map((one: unknown) => {
      if (!isObject(one) || !isObject(one.claims)) throw damaged('a credential has no claims')
      return one.claims
    }),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw damaged('it cannot be read')
  }
}

/** By thumbprint (RFC 7638). */
async function keyNamed(kid: unknown, keys: readonly ResultPrivateKey[]): Promise<ResultPrivateKey> {
  for (const key of keys) {
    const { crv, kty, x, y } = key
    const named = new TextEncoder().encode(JSON.stringify({ crv, kty, x, y }))
    if (toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', named))) === kid) return key
  }
  throw new ResultError('no_key', 'The result is encrypted to a key that is not among those given.')
}

async function agree({ x, y, d }: ResultPrivateKey, epk: unknown): Promise<Uint8Array<ArrayBuffer>> {
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const jwk = { kty: 'EC', crv: 'P-256' }
  if (!isObject(epk) || epk.kty !== jwk.kty || epk.crv !== jwk.crv) throw damaged('its key is of another kind')
  const point = { ...jwk, x: String(epk.x), y: String(epk.y) }
  const theirs = await crypto.subtle.importKey('jwk', point, curve, false, [])
  const ours = await crypto.subtle.importKey('jwk', { ...jwk, x, y, d }, curve, false, ['deriveBits'])
  return new Uint8Array(await crypto.subtle.deriveBits({ name: 'ECDH', public: theirs }, ours, 256))
}

/** The Concat KDF of RFC 7518 §4.6.2: one round of SHA-256. */
async function derive(secret: Uint8Array, audience: Uint8Array): Promise<ArrayBuffer> {
  const field = (bytes: Uint8Array) => [uint32(bytes.length), bytes]
  const fields = [new TextEncoder().encode('A256GCM'), new Uint8Array(), audience].flatMap(field)
  return crypto.subtle.digest('SHA-256', joined([uint32(1), secret, ...fields, uint32(256)]))
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

function fromBase64url(text: string): Bytes {
  const bytes = decodeBase64url(text)
  if (bytes === null) throw damaged('it is not base64url')
  return bytes
}

const damaged = (why: string) => new ResultError('damaged', `The result cannot be opened: ${why}.`)

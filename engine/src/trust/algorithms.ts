// Which certificate signatures and keys do we accept? Two closed tables, keyed by the exact DER of the
// AlgorithmIdentifier, so that parameters can neither be left out nor smuggled in.

import { createPublicKey, type KeyObject, verify } from 'node:crypto'

export type KeyKind = 'P-256' | 'P-384' | 'P-521' | 'Ed25519' | 'RSA'

export interface SignatureAlgorithm {
  readonly family: 'ecdsa' | 'ed25519' | 'rsa'
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null
}

/**
 * RSA (PKCS #1 v1.5) is accepted for the signatures of certification authorities alone: trusted lists still hold RSA
 * authorities above signers with elliptic keys. RSASSA-PSS, SHA-1 and DSA are not.
 */
const SIGNATURE_ALGORITHMS: Readonly<Record<string, SignatureAlgorithm>> = {
  '300a06082a8648ce3d040302': { family: 'ecdsa', hash: 'sha256' },
  '300a06082a8648ce3d040303': { family: 'ecdsa', hash: 'sha384' },
  '300a06082a8648ce3d040304': { family: 'ecdsa', hash: 'sha512' },
  '300506032b6570': { family: 'ed25519', hash: null },
  '300d06092a864886f70d01010b0500': { family: 'rsa', hash: 'sha256' },
  '300d06092a864886f70d01010c0500': { family: 'rsa', hash: 'sha384' },
  '300d06092a864886f70d01010d0500': { family: 'rsa', hash: 'sha512' },
}

/** Named curves only: explicit curve parameters are how CVE-2020-0601 forged keys. */
const KEY_KINDS: Readonly<Record<string, KeyKind>> = {
  '301306072a8648ce3d020106082a8648ce3d030107': 'P-256',
  '301006072a8648ce3d020106052b81040022': 'P-384',
  '301006072a8648ce3d020106052b81040023': 'P-521',
  '300506032b6570': 'Ed25519',
  '300d06092a864886f70d0101010500': 'RSA',
}

const FAMILY_OF_KEY = {
  'P-256': 'ecdsa',
  'P-384': 'ecdsa',
  'P-521': 'ecdsa',
  Ed25519: 'ed25519',
  RSA: 'rsa',
} as const satisfies Record<KeyKind, SignatureAlgorithm['family']>

const RSA_BITS_MIN = 2048
/** Above this a single verification costs milliseconds. */
const RSA_BITS_MAX = 8192
/** Real ones are 3 or 65537. One as long as the modulus makes a verification as dear as a signature. */
const RSA_EXPONENT_MAX = 0xffff_ffffn

export interface CertifiedKey {
  readonly kind: KeyKind
  readonly publicKey: KeyObject
}

export function signatureAlgorithmOf(identifier: Uint8Array): SignatureAlgorithm | null {
  return lookUp(SIGNATURE_ALGORITHMS, identifier)
}

/** Null for every kind of key we do not use, and for points that are not on their curve. */
export function importCertifiedKey(spki: Uint8Array, algorithm: Uint8Array): CertifiedKey | null {
  const kind = lookUp(KEY_KINDS, algorithm)
  if (kind === null) return null
  try {
    const publicKey = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
    const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0
    const exponent = publicKey.asymmetricKeyDetails?.publicExponent ?? 0n
    if (kind === 'RSA' && (bits < RSA_BITS_MIN || bits > RSA_BITS_MAX || exponent > RSA_EXPONENT_MAX)) return null
    return { kind, publicKey }
  } catch {
    return null
  }
}

/** Verifies `signature` (DER form for ECDSA) over `signed`; false for anything that does not fit together. */
export function isSignedBy(
  key: CertifiedKey,
  signed: { readonly bytes: Uint8Array; readonly signature: Uint8Array; readonly algorithm: SignatureAlgorithm },
): boolean {
  const { bytes, signature, algorithm } = signed
  if (FAMILY_OF_KEY[key.kind] !== algorithm.family) return false
  try {
    return verify(algorithm.hash, bytes, { key: key.publicKey, dsaEncoding: 'der' }, signature)
  } catch {
    return false
  }
}

function lookUp<Value>(table: Readonly<Record<string, Value>>, identifier: Uint8Array): Value | null {
  const hex = Buffer.from(identifier.buffer, identifier.byteOffset, identifier.length).toString('hex')
  return Object.hasOwn(table, hex) ? (table[hex] ?? null) : null
}

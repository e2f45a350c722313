// Reads the key of a certificate, and verifies signatures on certificates and revocation lists.

import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { type CertificateSignature, certificateSignature, type KeyKind, keyKindIdentified } from '../algorithms.ts'
import { isUsableRsa } from '../rsa-key.ts'

interface CertifiedKey {
  readonly kind: KeyKind
  readonly publicKey: KeyObject
}

/** Finds the algorithm by the DER of its AlgorithmIdentifier. */
export function signatureAlgorithmOf(identifier: Uint8Array): CertificateSignature | null {
  return certificateSignature(hexOf(identifier))
}

/** Returns null for kinds of keys that are not accepted, and for points that are not on their curve. */
export function importCertifiedKey(spki: Uint8Array, algorithm: Uint8Array): CertifiedKey | null {
  const kind = keyKindIdentified(hexOf(algorithm))
  if (kind === null) return null
  try {
    const publicKey = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
    return kind !== 'RSA' || isUsableRsa(publicKey) ? { kind, publicKey } : null
  } catch {
    return null
  }
}

interface Signed {
  readonly bytes: Uint8Array
  readonly signature: Uint8Array
  readonly algorithm: CertificateSignature
}

/** Verifies `signed.signature` (DER for ECDSA) over `signed.bytes`. Returns false if algorithm and key do not fit. */
export function isSignedBy({ publicKey }: CertifiedKey, signed: Signed): boolean {
  const { bytes, signature, algorithm } = signed
  if (publicKey.asymmetricKeyType !== algorithm.keyType) return false
  try {
    return verify(algorithm.hash, bytes, { key: publicKey, dsaEncoding: 'der' }, signature)
  } catch {
    return false
  }
}

/** Like `isSignedBy`, but hashes and verifies off the event loop. For megabytes of data. */
export function verifySignedBy({ publicKey }: CertifiedKey, signed: Signed): Promise<boolean> {
  const { bytes, signature, algorithm } = signed
  if (publicKey.asymmetricKeyType !== algorithm.keyType) return Promise.resolve(false)
  return new Promise((resolve) => {
    verify(algorithm.hash, bytes, { key: publicKey, dsaEncoding: 'der' }, signature, (error, holds) =>
      resolve(error === null && holds === true),
    )
  })
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

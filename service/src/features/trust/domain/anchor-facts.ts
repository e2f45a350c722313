// Extracts facts from an anchor's certificate when the anchor is added, because parsing is expensive.

import { createPublicKey, hash, type KeyObject, X509Certificate } from 'node:crypto'
import { type Instant, instantOf } from '../../../platform/world.ts'

export interface AnchorFacts {
  /** SHA-256 (hex) of the public key. Certificates with the same key are the same authority. */
  readonly keySha256: string
  readonly subject: string
  /** null: the certificate has no readable end, so it counts as expired. */
  readonly validUntil: Instant | null
}

const SUBJECT_LENGTH_MAX = 500
/** The engine's limit of a certificate. */
const CERTIFICATE_BYTES_MAX = 32 * 1024

/** Returns null if the certificate is unreadable, or longer than any that the engine reads. */
export function anchorFacts(certificate: Uint8Array): AnchorFacts | null {
  if (certificate.length > CERTIFICATE_BYTES_MAX) return null
  try {
    const parsed = new X509Certificate(certificate)
    const key = uncompressed(parsed.publicKey).export({ type: 'spki', format: 'der' })
    const ends = parsed.validToDate.getTime()
    return {
      keySha256: hash('sha256', key),
      subject: parsed.subject.replaceAll('\n', ', ').slice(0, SUBJECT_LENGTH_MAX),
      validUntil: ends > 0 ? instantOf(ends) : null,
    }
  } catch {
    return null
  }
}

/** The curves of issuers' keys that can be trusted. Other keys have no JWK. */
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1']

/** A point on a curve has two encodings. Converts to one, so that the same key has the same hash. */
function uncompressed(key: KeyObject): KeyObject {
  // Other keys have no curve, and the details of a long RSA key take seconds to write.
  if (key.asymmetricKeyType !== 'ec' || !CURVES.includes(key.asymmetricKeyDetails?.namedCurve)) return key
  return createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' })
}

// Checks RSA keys of certificates, clients and providers.

import type { KeyObject } from 'node:crypto'
import { LIMITS } from './limits.ts'

const BITS_MIN = 2048
const EXPONENT_MIN = 3n
/** Of the longest modulus and exponent, with what surrounds them. */
const SPKI_BYTES_MAX = LIMITS.rsaBits / 8 + 64

/**
 * False for other kinds of keys. A very long modulus or exponent makes verification slow; with exponent 1 a signature
 * proves nothing.
 */
export function isUsableRsa(key: KeyObject): boolean {
  // Node writes the exponent in decimal, which takes 200 ms for 30 kB and grows with the square of its length.
  if (key.asymmetricKeyType !== 'rsa' || key.export({ type: 'spki', format: 'der' }).length > SPKI_BYTES_MAX)
    return false
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = key.asymmetricKeyDetails ?? {}
  return bits >= BITS_MIN && bits <= LIMITS.rsaBits && exponent >= EXPONENT_MIN && exponent <= LIMITS.rsaExponent
}

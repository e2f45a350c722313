// Checks RSA keys of certificates, clients and providers. A very long modulus or exponent makes verification take milliseconds, and
// a signature under the exponent 1 proves nothing.

import type { KeyObject } from 'node:crypto'
import { LIMITS } from './limits.ts'

const BITS_MIN = 2048
const EXPONENT_MIN = 3n

/** False for other kinds of keys. */
export function isUsableRsa({ asymmetricKeyDetails }: KeyObject): boolean {
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = asymmetricKeyDetails ?? {}
  return bits >= BITS_MIN && bits <= LIMITS.rsaBits && exponent >= EXPONENT_MIN && exponent <= LIMITS.rsaExponent
}

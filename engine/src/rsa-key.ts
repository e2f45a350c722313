// Checks RSA keys of certificates, clients and providers.

import type { KeyObject } from 'node:crypto'
import { LIMITS } from './limits.ts'

const BITS_MIN = 2048
const EXPONENT_MIN = 3n

/**
 * False for other kinds of keys. A very long modulus or exponent makes verification slow; with exponent 1 a signature
 * proves nothing.
 */
export function isUsableRsa({ asymmetricKeyDetails }: KeyObject): boolean {
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = asymmetricKeyDetails ?? {}
  return bits >= BITS_MIN && bits <= LIMITS.rsaBits && exponent >= EXPONENT_MIN && exponent <= LIMITS.rsaExponent
}

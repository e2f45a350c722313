// RSA keys that others chose: of certificates, of clients, of providers. One that is too long, or has an exponent as long as
// itself, takes milliseconds to verify with; and a signature under an exponent of 1 proves nothing.

import type { KeyObject } from 'node:crypto'
import { LIMITS } from './limits.ts'

const BITS_MIN = 2048
const EXPONENT_MIN = 3n

/** False for every other kind of key. */
export function isUsableRsa({ asymmetricKeyDetails }: KeyObject): boolean {
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = asymmetricKeyDetails ?? {}
  return bits >= BITS_MIN && bits <= LIMITS.rsaBits && exponent >= EXPONENT_MIN && exponent <= LIMITS.rsaExponent
}

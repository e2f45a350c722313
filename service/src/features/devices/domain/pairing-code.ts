// Pairing codes: eight Crockford symbols, shown once as VD-XXXX-XXXX and parsed leniently.

import { createHmac } from 'node:crypto'
import type { Random } from '../../../platform/world.ts'

/** Without I, L, O and U, which are easily misread or misheard. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const SYMBOLS = 8
const PREFIX = 'VD'
const CODE = /^[0-9A-HJKMNP-TV-Z]{8}$/
/** Spaces, and every dash that a keyboard or a text processor produces. */
const SEPARATORS = /[\s\p{Pd}\u00ad\u2212_.]/gu

/** Returns the eight symbols, without prefix and dashes. */
export const mintPairingCode = (random: Random): string => symbolsOf(random(SYMBOLS))

/** Encodes the first eight bytes. 32 divides 256, so the symbols are uniformly distributed. */
export const symbolsOf = (bytes: Uint8Array): string =>
  [...bytes.subarray(0, SYMBOLS)].map((byte) => ALPHABET[byte & 31]).join('')

export const showPairingCode = (code: string): string => `${PREFIX}-${code.slice(0, 4)}-${code.slice(4)}`

/**
 * Spec 4.2: ignores case and dashes. Also ignores spaces and a missing VD, and reads I, L and O as the digits they look
 * like.
 */
export function parsePairingCode(typed: string): string | null {
  const text = typed.normalize('NFKC').toUpperCase().replace(SEPARATORS, '')
  // V and D are symbols, too, so only a text that is two characters too long can begin with the prefix.
  const bare = text.length === PREFIX.length + SYMBOLS && text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text
  const code = bare.replace(/[IL]/g, '1').replace(/O/g, '0')
  return CODE.test(code) ? code : null
}

/** A plain hash of forty bits is easily guessed. Without the pepper, this one reveals nothing. */
export function hashPairingCode(pepper: Uint8Array, code: string): Buffer {
  return createHmac('sha256', pepper).update(code, 'utf8').digest()
}

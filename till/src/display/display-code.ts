// The code of a customer screen: eight Crockford symbols, shown as XXXX-XXXX, read as people type them.

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const SYMBOLS = 8
const CODE = /^[0-9A-HJKMNP-TV-Z]{8}$/

/** From the first eight bytes, as in the service. */
export const symbolsOf = (bytes: Uint8Array) =>
  [...bytes.subarray(0, SYMBOLS)].map((byte) => ALPHABET[byte & 31]).join('')

export const newCode = () => symbolsOf(crypto.getRandomValues(new Uint8Array(SYMBOLS)))
export const showCode = (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`

/** Returns null if it is not a code. */
export function readCode(typed: string): string | null {
  const text = typed.toUpperCase().replace(/[\s\p{Pd}_.]/gu, '')
  const code = text.replace(/[IL]/g, '1').replace(/O/g, '0')
  return CODE.test(code) ? code : null
}

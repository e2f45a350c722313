// Parses a web address that someone else chose, at a bounded cost.

/**
 * null if it is longer than an address may be, or not in ASCII, as RFC 3986 requires: to parse a host beyond ASCII takes the square
 * of its length, 100 ms for 16 kB.
 */
export function parseWebAddress(text: string): URL | null {
  return text.length <= WEB_ADDRESS_LENGTH_MAX && /^[\x20-\x7e]*$/.test(text) ? URL.parse(text) : null
}

export const WEB_ADDRESS_LENGTH_MAX = 2048

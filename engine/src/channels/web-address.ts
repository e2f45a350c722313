// Parses a web address that another party chose, at a bounded cost.

/**
 * Returns null if the address is too long or not ASCII, as RFC 3986 requires. The time for a host beyond ASCII grows
 * with the square of its length: 100 ms for 16 kB.
 */
export function parseWebAddress(text: string): URL | null {
  return text.length <= WEB_ADDRESS_LENGTH_MAX && /^[\x20-\x7e]*$/.test(text) ? URL.parse(text) : null
}

export const WEB_ADDRESS_LENGTH_MAX = 2048

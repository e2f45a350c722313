// Finds the merchant's reference of a verification, such as an order or booking number, in its metadata.

import type { EveryVerification } from './verification.ts'

/** The name under which the dashboard writes it. */
export const REFERENCE = 'reference'

export interface Reference {
  /** The merchant's name for it. */
  readonly name: string
  readonly value: string
}

/** The entry with that name; otherwise the first one. null: there is no metadata. */
export function referenceOf(metadata: EveryVerification['metadata']): Reference | null {
  const entries = Object.entries(metadata ?? {})
  const found = entries.find(([name]) => name === REFERENCE) ?? entries[0]
  return found === undefined ? null : { name: found[0], value: found[1] }
}

/** A reference with more numbers than this is prose. */
const NUMBERS_MAX = 4

/** The numbers in a reference, for search: "1024" of "Order #1024". Shorter ones are no order numbers. */
export function numbersIn({ value }: Reference): string[] {
  return value
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word.length >= 3 && /\p{N}/u.test(word))
    .slice(0, NUMBERS_MAX)
}

// Finds the merchant's reference of a verification, such as an order or booking number, in its metadata.

import { withFewMarks } from '@vidimus/engine/claims'
import type { EveryVerification } from './verification.ts'

/** The name under which the dashboard writes the reference. */
export const REFERENCE = 'reference'

export interface Reference {
  /** The merchant's name for the entry. */
  readonly name: string
  readonly value: string
}

/** The entry with that name, otherwise the first entry; null: there is no metadata. */
export function referenceOf(metadata: EveryVerification['metadata']): Reference | null {
  const entries = Object.entries(metadata ?? {})
  const found = entries.find(([name]) => name === REFERENCE) ?? entries[0]
  return found === undefined ? null : { name: found[0], value: found[1] }
}

/** A reference with more numbers than this is prose. */
const NUMBERS_MAX = 8
/** Shorter numbers would find too much. */
const NUMBER_LENGTH_MIN = 3

/**
 * The numbers that find a reference, even within a word: "8642b" and "8642" of "Order #8642-b". Words without a digit
 * may be names of people, so they find nothing.
 */
export function numbersIn({ value }: Reference): string[] {
  const words = value.split(/\s+/).map(searchTermOf)
  const parts = [...words, ...wordsOf(value), ...(value.match(/\p{N}+/gu) ?? [])]
  const numbers = parts.filter((word) => word.length >= NUMBER_LENGTH_MIN && /\p{N}/u.test(word))
  return [...new Set(numbers)].slice(0, NUMBERS_MAX)
}

/** The form in which texts are indexed and searched. Ignores case, spaces and punctuation. */
export const searchTermOf = (text: string): string => wordsOf(text).join('')

const wordsOf = (text: string): string[] =>
  withFewMarks(text)
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

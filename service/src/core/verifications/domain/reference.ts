// What a merchant calls a verification by: its order or booking number, out of what it wrote beside the question.

import type { EveryVerification } from './verification.ts'

/** Under this name the dashboard writes it. */
export const REFERENCE = 'reference'

export interface Reference {
  /** As the merchant named it. */
  readonly name: string
  readonly value: string
}

/** What is called so; else the first that stands there. null: nothing was written. */
export function referenceOf(metadata: EveryVerification['metadata']): Reference | null {
  const entries = Object.entries(metadata ?? {})
  const found = entries.find(([name]) => name === REFERENCE) ?? entries[0]
  return found === undefined ? null : { name: found[0], value: found[1] }
}

/** More than these in one reference are prose. */
const NUMBERS_MAX = 4

/** The numbers in a reference, as somebody would look for them: "1024" of "Order #1024". What is shorter is no order's number. */
export function numbersIn({ value }: Reference): string[] {
  return value
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word.length >= 3 && /\p{N}/u.test(word))
    .slice(0, NUMBERS_MAX)
}

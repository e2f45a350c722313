// The last ten answers of this window: which, when and how, and nothing of anybody. Pure.

import type { Outcome } from './outcome.ts'

export interface Recent {
  /** The end of the verification's id, enough to find it by. */
  readonly reference: string
  /** By the till's own clock, in milliseconds. */
  readonly at: number
  readonly outcome: Outcome['kind']
  /** What was asked; null: noted by an earlier version. */
  readonly template: string | null
}

const KEPT_MAX = 10
const REFERENCE_LENGTH = 6

/** Newest first. An answer that a reload shows again is the same one. */
export function noteRecent(
  recent: readonly Recent[],
  { id, ...noted }: { readonly id: string } & Omit<Recent, 'reference'>,
): readonly Recent[] {
  const reference = id.slice(-REFERENCE_LENGTH)
  if (recent.some((one) => one.reference === reference)) return recent
  return [{ reference, ...noted }, ...recent].slice(0, KEPT_MAX)
}

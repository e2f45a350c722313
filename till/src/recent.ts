// The last ten outcomes of this window: which, when and how, without personal data.

import type { Outcome } from './outcome.ts'

export interface Recent {
  /** The end of the verification's id, enough to find it. */
  readonly reference: string
  /** By the till's own clock in milliseconds. */
  readonly at: number
  readonly outcome: Outcome['kind']
  /** The template; null: stored by an earlier version. */
  readonly template: string | null
}

const KEPT_MAX = 10
const REFERENCE_LENGTH = 6

/** Newest first. An outcome that a reload shows again is not added twice. */
export function noteRecent(
  recent: readonly Recent[],
  { id, ...noted }: { readonly id: string } & Omit<Recent, 'reference'>,
): readonly Recent[] {
  const reference = id.slice(-REFERENCE_LENGTH)
  if (recent.some((one) => one.reference === reference)) return recent
  return [{ reference, ...noted }, ...recent].slice(0, KEPT_MAX)
}

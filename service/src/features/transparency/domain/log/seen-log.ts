// Compares the log in a store with what this process saw before. A smaller, different or earlier log is refused.

import type { Instant } from '../../../../platform/world.ts'

export interface SeenLog {
  readonly storeId: string
  readonly size: number
  /** How often the log's job found the log halted. It grows while `size` cannot. */
  readonly haltedRuns: number
  /** base64; null: the log has not signed anything yet. */
  readonly root: string | null
  /** When an operator last checked the store after a restore; null: never. */
  readonly checkedAt: Instant | null
  /** The signed checkpoint; null: none yet. */
  readonly note: string | null
}

export interface LogInStore extends SeenLog {
  /** Why the store must not serve; null: no problem is known. */
  readonly setBack: string | null
  /** How many leaves the log had before the restore, as far as the check knew. */
  readonly restoredFrom: number | null
}

type Comparison = { readonly outcome: 'same' | 'grown' | 'checked' } | ({ readonly outcome: 'set_back' } & SetBack)

export interface SetBack {
  readonly why: string
  /** How many leaves were seen. */
  readonly from: number
  /** The `haltedRuns` that were seen. */
  readonly haltedRuns: number
  /** The signed checkpoint that was seen; null: none was seen of this store. */
  readonly note: string | null
}

export function compareLog(seen: SeenLog, store: LogInStore): Comparison {
  const note = store.storeId === seen.storeId ? seen.note : null
  const rolledBack = (why: string) =>
    ({ outcome: 'set_back', why, from: seen.size, haltedRuns: seen.haltedRuns, note }) as const
  if (store.storeId !== seen.storeId) return rolledBack('this is another store than the one that was used before')
  const isCheckedAgain = store.checkedAt !== seen.checkedAt
  const isNewer = store.checkedAt !== null && (seen.checkedAt === null || store.checkedAt > seen.checkedAt)
  if (isCheckedAgain && !isNewer)
    return rolledBack('the store is from before it was checked last (`vidimus restore check`)')
  // A check raises the count of the store to all that it knew.
  if (store.haltedRuns < seen.haltedRuns)
    return rolledBack(
      `the log was found halted ${seen.haltedRuns} times, and the store counts ${store.haltedRuns}: the store was rolled back`,
    )
  if (isCheckedAgain && (store.restoredFrom ?? 0) >= seen.size) return { outcome: 'checked' }
  if (store.size < seen.size)
    return rolledBack(`the log had ${seen.size} leaves and has ${store.size}: the store was rolled back`)
  // An empty log may sign its first checkpoint without growing.
  if (store.size > seen.size || (seen.size === 0 && seen.root === null)) return { outcome: 'grown' }
  if (store.root === seen.root) return { outcome: 'same' }
  return rolledBack(`the log of ${seen.size} leaves is not the one that was seen before`)
}

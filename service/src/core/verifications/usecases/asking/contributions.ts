// Defines what features add to the creation of a verification: locks, rows, and their part of the statement.

import { type KeyedRows, type Part, rowKey } from '../../../../platform/postgres/fragments.ts'
import type { Instant } from '../../../../platform/world.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'
import { type CreationStatements, defineCreations } from '../../store/creation.ts'
import { type AtOnceStatements, defineCreationsAtOnce } from '../../store/creation-at-once.ts'
import type { TenantLock } from '../../store/tenant-lock.ts'
import type { Draft } from './draft.ts'

/** Creation times, set by one contribution. No two in a realm are the same, so that lists have one order. */
export const CREATED_AT = rowKey<ReadonlyMap<Draft, Instant>>('the time of each creation')

export interface AdmittedDrafts {
  readonly realm: Realm
  readonly drafts: readonly Draft[]
  /** The partition of rows that are derived from a draft. */
  readonly dayOf: (draft: Draft) => number
}

export interface CreationContribution {
  readonly name: string
  /** Rows of the tenant that the contribution writes with the verifications. */
  readonly lock?: TenantLock
  readonly part: Part
  /** Puts the contribution's rows where its part of the statement finds them. */
  collect(admitted: readonly AdmittedDrafts[], batch: { readonly now: Instant; readonly keyedRows: KeyedRows }): void
}

/** The contributions, and the statements composed of them. */
export interface ComposedCreations {
  readonly all: readonly CreationContribution[]
  readonly statements: CreationStatements
  /** Opens, writes and commits in one statement; null if a lock has no memory. */
  readonly atOnce: AtOnceStatements | null
}

export function composeCreations(all: readonly CreationContribution[]): ComposedCreations {
  const parts = { locks: all.flatMap(({ lock }) => lock ?? []), parts: all.map(({ part }) => part) }
  return { all, statements: defineCreations(parts), atOnce: defineCreationsAtOnce(parts) }
}

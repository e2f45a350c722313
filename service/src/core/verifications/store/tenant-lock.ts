// Rows of each tenant that a contribution wants locked together with the verifications: in the same statement, after them.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Filled } from '../../../platform/postgres/fragments.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

export type Held = '' | 'skip locked'

export interface TenantLock {
  /** Of its CTE. */
  readonly name: string
  /** Locks one row for each of these tenants (a query of ids), in the order of the ids. Gives `tenant_id` and what it likes. */
  query(tenants: string, environment: string, held: Held): string
  /** What it wants to read of its own query, with names that nobody else uses. */
  readonly columns: string
  /** Throws LockMissing where a row is not there. */
  read(locked: readonly LockedRow[], filled: Filled): void
  /** Makes the row where somebody removed it: the business goes on. */
  ensure(tx: Tx, realm: Realm, now: Instant): Promise<void>
}

export interface LockedRow {
  readonly realm: Realm
  /** Its columns are among these. */
  readonly row: object
}

/** A realm has no row to lock. */
export class LockMissing extends Error {
  override readonly name = 'LockMissing'
  readonly lock: TenantLock

  constructor(lock: TenantLock) {
    super(`a realm without a row of ${lock.name}`)
    this.lock = lock
  }
}

/** Joins that leave out each tenant whose rows were not locked. */
export const joinLocks = (locks: readonly TenantLock[], to: string): string =>
  locks.map(({ name }) => `join ${name} on ${name}.tenant_id = ${to}.tenant_id`).join(' ')

/** Joins that keep each tenant: what is missing reads as null. */
export const leftJoinLocks = (locks: readonly TenantLock[], to: string): string =>
  locks.map(({ name }) => `left join ${name} on ${name}.tenant_id = ${to}.tenant_id`).join(' ')

export const lockCtes = (
  locks: readonly TenantLock[],
  { tenants, environment, held }: { readonly tenants: string; readonly environment: string; readonly held: Held },
): string => locks.map((lock) => `, ${lock.name} as (${lock.query(tenants, environment, held)})`).join('')

/** `, a, b`: behind other columns. */
export const lockColumns = (locks: readonly TenantLock[]): string => locks.map(({ columns }) => `, ${columns}`).join('')

// Locks rows of tenants for contributions, in the statement that locks the verifications and after them.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { KeyedRows } from '../../../platform/postgres/fragments.ts'
import type { ParameterList } from '../../../platform/postgres/statement.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

export type IfLocked = '' | 'skip locked'

export interface TenantLock {
  /** The name of the lock's CTE. */
  readonly name: string
  /**
   * Locks one row for each of these tenants (a query of ids), in the order of the ids. Returns `tenant_id` and further
   * columns.
   */
  query(tenants: string, environment: string, ifLocked: IfLocked): string
  /** The columns of the query that `read` needs, under unique names. */
  readonly columns: string
  /** Throws LockMissing if a row does not exist. */
  read(locked: readonly LockedRow[], keyedRows: KeyedRows): void
  /** Creates the row if it was deleted by hand, so that the service keeps working. */
  ensure(tx: Tx, realm: Realm, now: Instant): Promise<void>
  /** Absent: a batch always reads the rows before it writes. */
  readonly memory?: LockMemory
}

/** What this process remembers of the rows, so that one statement can lock, compare and write. */
export interface LockMemory {
  /** Puts what `read` would. False: something is not remembered, or other processes also write these rows. */
  recall(realms: readonly Realm[], keyedRows: KeyedRows): boolean
  /** The condition that the rows in the lock's CTE are as remembered. */
  unchanged(parameters: ParameterList<KeyedRows>): string
  /** Call after the commit, with the rows that contributions collected. */
  remember(keyedRows: KeyedRows): void
  forget(realms: readonly Realm[]): void
}

/** A CTE that says whether the store is as remembered. In a statement that writes at once, all writes depend on it. */
export const rememberedCte = (
  locks: readonly TenantLock[],
  condition: string,
  parameters: ParameterList<KeyedRows>,
): string => {
  const all = [...locks.map(({ memory }) => memory?.unchanged(parameters) ?? 'false'), condition]
  return `as_remembered as (select ${all.join(' and ')} as is_true)`
}

export const AS_REMEMBERED = '(select is_true from as_remembered)'

/** The final select of such a statement. No row: nothing was written. Fails if `written` has not `many` rows. */
export const selectRemembered = (written: string, many: string, results: readonly string[]): string =>
  `select ${[`case when (select count(*) from ${written}) = ${many}::int then 1 else refuse_stale_batch() end as written`, ...results].join(', ')}
   from as_remembered where is_true`

export interface LockedRow {
  readonly realm: Realm
  /** The values of the lock's columns. */
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

/** Joins that leave out tenants whose rows are not locked. */
export const joinLocks = (locks: readonly TenantLock[], to: string): string =>
  locks.map(({ name }) => `join ${name} on ${name}.tenant_id = ${to}.tenant_id`).join(' ')

/** Joins that keep every tenant, with nulls for missing rows. */
export const leftJoinLocks = (locks: readonly TenantLock[], to: string): string =>
  locks.map(({ name }) => `left join ${name} on ${name}.tenant_id = ${to}.tenant_id`).join(' ')

export const lockCtes = (
  locks: readonly TenantLock[],
  {
    tenants,
    environment,
    ifLocked,
  }: { readonly tenants: string; readonly environment: string; readonly ifLocked: IfLocked },
): string => locks.map((lock) => `, ${lock.name} as (${lock.query(tenants, environment, ifLocked)})`).join('')

/** `, a, b`: appended to other columns. */
export const lockColumns = (locks: readonly TenantLock[]): string => locks.map(({ columns }) => `, ${columns}`).join('')

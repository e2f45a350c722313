// Locks a tenant's rows for contributions in the statement that locks the verifications, after them.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Filled } from '../../../platform/postgres/fragments.ts'
import type { ParameterList } from '../../../platform/postgres/statement.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

export type IfLocked = '' | 'skip locked'

export interface TenantLock {
  /** The name of its CTE. */
  readonly name: string
  /**
   * Locks one row for each of these tenants (a query of ids), in the order of the ids. Returns `tenant_id` and any
   * further columns.
   */
  query(tenants: string, environment: string, ifLocked: IfLocked): string
  /** The columns that it reads of its own query, with unique names. */
  readonly columns: string
  /** Throws LockMissing if a row does not exist. */
  read(locked: readonly LockedRow[], filled: Filled): void
  /** Creates the row if it was deleted by hand, so that the service keeps working. */
  ensure(tx: Tx, realm: Realm, now: Instant): Promise<void>
  /** Absent: a batch always reads the rows before it writes. */
  readonly memory?: LockMemory
}

/** What this process knows of the rows, so that one statement can lock, compare and write. */
export interface LockMemory {
  /** Fills in what `read` would. False: something is unknown, or other processes write these rows, too. */
  recall(realms: readonly Realm[], filled: Filled): boolean
  /** A condition: the locked rows, a CTE of the lock's name, are as recalled. */
  unchanged(parameters: ParameterList<Filled>): string
  /** After the commit of what contributions collected. */
  remember(filled: Filled): void
  forget(realms: readonly Realm[]): void
}

/** A CTE for a statement that writes at once: whether the store is as remembered. Everything that writes depends on it. */
export const rememberedCte = (
  locks: readonly TenantLock[],
  condition: string,
  parameters: ParameterList<Filled>,
): string => {
  const all = [...locks.map(({ memory }) => memory?.unchanged(parameters) ?? 'false'), condition]
  return `as_remembered as (select ${all.join(' and ')} as is_true)`
}

export const AS_REMEMBERED = '(select is_true from as_remembered)'

/** Its final select: no row if nothing was written. It fails if `written` has other rows than it was checked for. */
export const selectRemembered = (written: string, many: string, results: readonly string[]): string =>
  `select ${[`case when (select count(*) from ${written}) = ${many}::int then 1 else refuse_stale_batch() end as written`, ...results].join(', ')}
   from as_remembered where is_true`

export interface LockedRow {
  readonly realm: Realm
  /** Contains its columns. */
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

/** Joins that leave out tenants whose rows were not locked. */
export const joinLocks = (locks: readonly TenantLock[], to: string): string =>
  locks.map(({ name }) => `join ${name} on ${name}.tenant_id = ${to}.tenant_id`).join(' ')

/** Joins that keep every tenant: what is missing reads as null. */
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

/** `, a, b`: to append to other columns. */
export const lockColumns = (locks: readonly TenantLock[]): string => locks.map(({ columns }) => `, ${columns}`).join('')

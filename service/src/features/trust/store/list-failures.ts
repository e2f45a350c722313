// Stores the last failed fetch of a status list of each origin, for `vidimus doctor`.

import type { Tx } from '../../../platform/postgres/db.ts'
import { type Environment, type Instant, instantOf, millisecondsOf } from '../../../platform/world.ts'
import { FAILURE_KEPT_MS, FAILURES_KEPT, isListFailureCause, type ListFailureRecord } from '../domain/list-failure.ts'

/** `records` has at most one record per environment and origin. Keeps only the newest `FAILURES_KEPT` of each environment. */
export async function saveListFailures(tx: Tx, records: readonly ListFailureRecord[]): Promise<void> {
  await tx.query(
    {
      name: 'save_list_failures',
      text: `insert into status_list_failures (environment, origin, cause, reason, failed_at)
             select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) order by 1, 2
             on conflict (environment, origin)
             do update set cause = excluded.cause, reason = excluded.reason, failed_at = excluded.failed_at`,
    },
    [
      records.map(({ environment }) => environment),
      records.map(({ origin }) => origin),
      records.map(({ cause }) => cause),
      records.map(({ reason }) => reason),
      records.map(({ at }) => at),
    ],
  )
  await tx.query(
    {
      name: 'trim_list_failures',
      text: `delete from status_list_failures where (environment, origin) in (
               select environment, origin from status_list_failures f
               where origin not in (
                 select origin from status_list_failures n where n.environment = f.environment
                 order by failed_at desc limit $1)
               order by environment, origin for update skip locked)`,
    },
    [FAILURES_KEPT],
  )
}

/** Deletes records older than a day, and returns how many. */
export async function deleteOldListFailures(tx: Tx, now: Instant, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'delete_old_list_failures',
      text: `delete from status_list_failures where (environment, origin) in (
               select environment, origin from status_list_failures where failed_at < $1
               order by environment, origin limit $2 for update skip locked)
             returning environment`,
    },
    [instantOf(millisecondsOf(now) - FAILURE_KEPT_MS), rowsMax],
  )
  return rows.length
}

export async function listListFailures(tx: Tx, since: Instant): Promise<ListFailureRecord[]> {
  const rows = await tx.query<{
    environment: Environment
    origin: string
    cause: string
    reason: string
    failed_at: string
  }>(
    {
      name: 'list_list_failures',
      text: 'select * from status_list_failures where failed_at >= $1 order by failed_at desc, environment, origin',
    },
    [since],
  )
  return rows.flatMap(({ cause, failed_at: at, ...row }) => (isListFailureCause(cause) ? [{ ...row, cause, at }] : []))
}

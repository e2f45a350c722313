// Detects which processes live, by the advisory lock that each of their sessions holds.

const LOCK_CLASS = 7_310_040

/**
 * The process of the session that runs the statement. Processes with the same name count as one, which can hide a dead
 * process, but never a live one.
 */
export const OWN_PROCESS = `hashtext(current_setting('application_name'))`

/** All sessions of a process share this lock. Never waits, because no session takes the lock exclusively. */
export const HOLD_OWN_PROCESS = `select pg_advisory_lock_shared(${LOCK_CLASS}, ${OWN_PROCESS})`

/** Whether the process of `owner` is gone. False if `owner` is unknown. */
export const isGone = (owner: string): string =>
  `(${owner} is not null and not exists (
     select from pg_locks held where held.locktype = 'advisory' and held.classid = ${LOCK_CLASS} and held.objsubid = 2
       and held.objid = (${owner}::bigint & 4294967295)::oid
       and held.database = (select oid from pg_database where datname = current_database())))`

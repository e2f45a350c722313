// Which processes are there? Every session holds a shared advisory lock under its process's name, and PostgreSQL gives it back
// when the session ends: a process is gone when nobody holds its lock. Locks are visible to every role, sessions are not.

const LOCK_CLASS = 7_310_040

/** Of the process whose session runs the statement. Processes that share a name count as one: then more are there, never fewer. */
export const OWN_PROCESS = `hashtext(current_setting('application_name'))`

/** Shared with the other sessions of the process; it waits for nobody, as nobody takes it alone. */
export const HOLD_OWN_PROCESS = `select pg_advisory_lock_shared(${LOCK_CLASS}, ${OWN_PROCESS})`

/** False where the process is not known. */
export const isGone = (owner: string): string =>
  `(${owner} is not null and not exists (
     select from pg_locks held where held.locktype = 'advisory' and held.classid = ${LOCK_CLASS} and held.objsubid = 2
       and held.objid = (${owner}::bigint & 4294967295)::oid
       and held.database = (select oid from pg_database where datname = current_database())))`

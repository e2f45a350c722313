// Stores periodic jobs: one row each, leased by the replica that runs the job.

import type { Tx } from '../postgres/db.ts'
import type { Instant } from '../world.ts'

interface JobLease {
  readonly name: string
  readonly now: Instant
  readonly leaseUntil: Instant
  /** The job is due if its last run was not later than this. */
  readonly dueAfter: Instant
}

/** This service writes no time that is further in the future than any clock error. Such a time is ignored. */
const CLOCK_ERROR_MAX = "interval '1 hour'"

/** The condition on a row of `jobs`: the job is due, and no process has leased it. */
const isDue = (leaseUntil: string, now: string, dueAfter: string) =>
  `(jobs.lease_until <= ${now} or jobs.lease_until > ${leaseUntil}::timestamptz + ${CLOCK_ERROR_MAX})
   and (jobs.ran_at is null or jobs.ran_at <= ${dueAfter} or jobs.ran_at > ${now}::timestamptz + ${CLOCK_ERROR_MAX})`

/** The names of jobs that can be leased now. Only reads, because even a refused lease would write. */
export async function listDueJobs(tx: Tx, now: Instant, jobs: readonly Omit<JobLease, 'now'>[]): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    {
      name: 'list_due_jobs',
      text: `select j.name from unnest($1::text[], $2::timestamptz[], $3::timestamptz[]) as j (name, lease_until, due_after)
             left join jobs on jobs.name = j.name
             where jobs.name is null or (${isDue('j.lease_until', '$4', 'j.due_after')})`,
    },
    [jobs.map(({ name }) => name), jobs.map((job) => job.leaseUntil), jobs.map(({ dueAfter }) => dueAfter), now],
  )
  return rows.map(({ name }) => name)
}

/** Leases the job if it is due and not leased; returns whether this process has the lease. */
export async function leaseJob(tx: Tx, lease: JobLease): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'lease_job',
      text: `insert into jobs (name, lease_until) values ($1, $2)
             on conflict (name) do update set lease_until = excluded.lease_until
             where ${isDue('$2', '$3', '$4')}
             returning name`,
    },
    [lease.name, lease.leaseUntil, lease.now, lease.dueAfter],
  )
  return rows.length === 1
}

/** Only the owner of the lease can finish the job. `ran_at` never moves back. */
export async function finishJob(tx: Tx, lease: JobLease): Promise<void> {
  await tx.query(
    {
      name: 'finish_job',
      text: `update jobs set ran_at = $3, lease_until = $3
             where name = $1 and lease_until = $2 and (ran_at is null or ran_at < $3 or ran_at > $3::timestamptz + ${CLOCK_ERROR_MAX})`,
    },
    [lease.name, lease.leaseUntil, lease.now],
  )
}

/** Releases the lease without a run. The job stays due. */
export async function releaseJob(tx: Tx, lease: JobLease): Promise<void> {
  await tx.query(
    { name: 'release_job', text: 'update jobs set lease_until = $3 where name = $1 and lease_until = $2' },
    [lease.name, lease.leaseUntil, lease.now],
  )
}

/** The last completed run; null: never. */
export async function loadLastRun(tx: Tx, name: string): Promise<Instant | null> {
  const [row] = await tx.query<{ ranAt: Instant | null }>(
    { name: 'load_last_run', text: 'select ran_at as "ranAt" from jobs where name = $1' },
    [name],
  )
  return row?.ranAt ?? null
}

/** The last completed run of each job; jobs that never ran are left out. */
export async function listLastRuns(tx: Tx): Promise<{ readonly name: string; readonly ranAt: Instant }[]> {
  return tx.query({
    name: 'list_last_runs',
    text: 'select name, ran_at as "ranAt" from jobs where ran_at is not null order by name',
  })
}

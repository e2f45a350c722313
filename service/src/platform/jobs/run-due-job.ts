// Runs a due job only once across all replicas: on the replica that gets the lease.

import type { Deps } from '../../deps.ts'
import { egressUntil } from '../egress/client.ts'
import { instantOf, NEVER_STOPPED } from '../world.ts'
import { finishJob, leaseJob, listDueJobs, releaseJob } from './job-leases.ts'

export interface Job {
  /** The name of the job's use case. */
  readonly name: string
  readonly everySeconds: number
  /** Longer than a run takes. After a crash the job waits this long. */
  readonly leaseSeconds: number
  /** A job with many items checks `stopped` before each and throws its reason. Outbound requests are aborted, too. */
  readonly run: (deps: Deps, stopped: AbortSignal) => Promise<unknown>
}

/** Reports a failed run, which is retried when the lease expires. Another replica can lease a stopped run at once. */
export async function runDueJob(
  deps: Deps,
  job: Job,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<'done' | 'failed' | 'stopped' | 'not_due'> {
  const lease = leaseAt(job, deps.clock.now())
  if (!(await leaseJob(deps.db, lease))) return 'not_due'
  try {
    const run = () => job.run(stoppable(deps, stopped), stopped)
    await (deps.traces === null ? run() : deps.traces.job(job.name, run))
  } catch (error) {
    if (stopped.aborted && error === stopped.reason) {
      await releaseJob(deps.db, lease)
      return 'stopped'
    }
    deps.metrics.alarms.inc({ alarm: 'job_failed' })
    deps.log.fault('job failed', error, { job: job.name })
    return 'failed'
  }
  await finishJob(deps.db, lease)
  deps.log.debug('job done', { job: job.name })
  return 'done'
}

/** The jobs that are due and that no replica runs. One query. */
export async function findDueJobs({ db, clock }: Deps, jobs: readonly Job[]): Promise<readonly Job[]> {
  const nowMs = clock.now()
  const leases = jobs.map((job) => leaseAt(job, nowMs))
  const names = new Set(await listDueJobs(db, instantOf(nowMs), leases))
  return jobs.filter(({ name }) => names.has(name))
}

const leaseAt = ({ name, everySeconds, leaseSeconds }: Job, nowMs: number) => ({
  name,
  now: instantOf(nowMs),
  leaseUntil: instantOf(nowMs + leaseSeconds * 1000),
  dueAfter: instantOf(nowMs - everySeconds * 1000),
})

function stoppable(deps: Deps, stopped: AbortSignal): Deps {
  const { test, live } = deps.egress
  return { ...deps, egress: { test: egressUntil(test, stopped), live: egressUntil(live, stopped) } }
}

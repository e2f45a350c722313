// Runs a periodic job once across all replicas: the replica that gets the lease runs it when it is due.

import type { Deps } from '../../deps.ts'
import { egressUntil } from '../egress/client.ts'
import { instantOf, NEVER_STOPPED } from '../world.ts'
import { finishJob, leaseJob, releaseJob } from './job-leases.ts'

export interface Job {
  /** The name of the job's use case. */
  readonly name: string
  readonly everySeconds: number
  /** Longer than a run takes. After a crash the job waits this long. */
  readonly leaseSeconds: number
  /** Work on many items checks `stopped` before each and throws its reason; outbound requests are aborted with it. */
  readonly run: (deps: Deps, stopped: AbortSignal) => Promise<unknown>
}

/** A failed run is reported and retried when its lease expires; a stopped one can be leased at once. */
export async function runDueJob(
  deps: Deps,
  job: Job,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<'done' | 'failed' | 'stopped' | 'not_due'> {
  const nowMs = deps.clock.now()
  const lease = {
    name: job.name,
    now: instantOf(nowMs),
    leaseUntil: instantOf(nowMs + job.leaseSeconds * 1000),
    dueAfter: instantOf(nowMs - job.everySeconds * 1000),
  }
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

function stoppable(deps: Deps, stopped: AbortSignal): Deps {
  const { test, live } = deps.egress
  return { ...deps, egress: { test: egressUntil(test, stopped), live: egressUntil(live, stopped) } }
}

// Periodic work is done once, by one replica: the one that gets the lease when the time has come.

import type { Deps } from '../../deps.ts'
import { instantOf } from '../../domain/world.ts'
import { finishJob, leaseJob } from '../../store/jobs.ts'

export interface Job {
  /** The name of its use case. */
  readonly name: string
  readonly everySeconds: number
  /** Longer than a run takes; after a crash the job waits this long. */
  readonly leaseSeconds: number
  readonly run: (deps: Deps) => Promise<unknown>
}

/** A run that fails is reported, and tried again when its lease is over. */
export async function runDueJob(deps: Deps, job: Job): Promise<'done' | 'failed' | 'not_due'> {
  const nowMs = deps.clock.now()
  const lease = {
    name: job.name,
    now: instantOf(nowMs),
    leaseUntil: instantOf(nowMs + job.leaseSeconds * 1000),
    dueAfter: instantOf(nowMs - job.everySeconds * 1000),
  }
  if (!(await leaseJob(deps.db, lease))) return 'not_due'
  try {
    await job.run(deps)
  } catch (error) {
    deps.metrics.alarms.inc({ alarm: 'job_failed' })
    deps.log.fault('job failed', error, { job: job.name })
    return 'failed'
  }
  await finishJob(deps.db, lease)
  deps.log.debug('job done', { job: job.name })
  return 'done'
}
